import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  noteIds,
  insertNote,
  openTestDatabase,
  temporaryUrl,
  storedIds,
} from '../../../../../test/support/notes-schema.ts'
import { restrictToOwner } from './private-files.ts'

describe('a database on SQLite', () => {
  it('commits 200 simultaneous writes at once', async () => {
    const commits: number[] = []
    const database = await openTestDatabase(await temporaryUrl(), {
      onCommit: (count) => commits.push(count),
    })
    await Promise.all(noteIds(200).map((id) => database.transact((db) => insertNote(db, id))))
    expect(commits).toEqual([200])
    expect(await storedIds(database.reader)).toEqual(noteIds(200))
  })

  it('adds writes that arrive during a commit to the next ones, within the maximum batch', async () => {
    const commits: number[] = []
    const database = await openTestDatabase(await temporaryUrl(), {
      maxBatch: 64,
      onCommit: (count) => commits.push(count),
    })
    await Promise.all(
      noteIds(100).map(async (id) => {
        await database.transact((db) => insertNote(db, id))
        await database.transact((db) => insertNote(db, `${id}-again`))
      }),
    )
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(200)
    expect(Math.max(...commits)).toBeLessThanOrEqual(64)
    expect(commits.length).toBeLessThan(8)
  })

  it('answers no caller of a batch before their shared commit', async () => {
    const url = await temporaryUrl()
    const database = await openTestDatabase(url)
    const log: string[] = []
    const onDisk = () => {
      using other = new DatabaseSync(url.slice('file:'.length), { readOnly: true })
      return Number(other.prepare('select count(*) as count from note').get()?.['count'])
    }
    const transact = async (id: string, shouldFail = false) => {
      await database
        .transact(async (db) => {
          await insertNote(db, id)
          log.push(`${id} ran, ${onDisk()} on the disk`)
          if (shouldFail) throw new Error(id)
        })
        .catch(() => {})
      log.push(`${id} answered, ${onDisk()} on the disk`)
    }
    await Promise.all([transact('a'), transact('b', true), transact('c')])
    expect(log).toEqual([
      'a ran, 0 on the disk',
      'b ran, 0 on the disk',
      'c ran, 0 on the disk',
      'a answered, 2 on the disk',
      'b answered, 2 on the disk',
      'c answered, 2 on the disk',
    ])
  })

  it('gives up a task that waits for something else, and runs the others', async () => {
    const database = await openTestDatabase(await temporaryUrl())
    const stuck = database.transact(async (db) => {
      await insertNote(db, 'stuck')
      await new Promise(() => {})
    })
    const nested = database.transact(() => database.transact((db) => insertNote(db, 'inner')))
    const other = database.transact((db) => insertNote(db, 'other'))
    await expect(stuck).rejects.toThrow('A transaction waited for something other than its database')
    await expect(nested).rejects.toThrow('A transaction waited for something other than its database')
    await other
    await database.transact((db) => insertNote(db, 'next'))
    expect(await storedIds(database.reader)).toEqual(['inner', 'next', 'other'])
  })

  it('refuses writes through the reader, and values that are neither text nor number', async () => {
    const database = await openTestDatabase(await temporaryUrl())
    await expect(insertNote(database.reader, 'a')).rejects.toThrow(/readonly/)
    const flag: unknown = true
    await expect(database.transact((db) => sql`select ${flag}`.execute(db))).rejects.toThrow(
      'The tables hold only text and numbers, not boolean',
    )
  })

  it('is opened with durable settings', async () => {
    const database = await openTestDatabase(await temporaryUrl())
    const settings = await database.transact(async (db) => {
      const { rows } =
        await sql`select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`.execute(db)
      return rows
    })
    expect(settings).toEqual([{ journalMode: 'wal', synchronous: 2, foreignKeys: 1 }])
  })

  it('can be opened by only one process at a time', async () => {
    const url = await temporaryUrl()
    const first = await openTestDatabase(url)
    await expect(openTestDatabase(url)).rejects.toThrow('Another Tableside is running on this data folder')
    await first.close()
    await openTestDatabase(url)
  })

  it('leaves a single file when it is closed', async () => {
    const url = await temporaryUrl()
    const database = await openTestDatabase(url)
    await database.transact((db) => insertNote(db, 'a'))
    await database.close()
    expect(existsSync(`${url.slice('file:'.length)}-wal`)).toBe(false)
  })

  it('opens the folder of a killed process with everything that it had acknowledged', async () => {
    const url = await temporaryUrl()
    const child = await writeInAnotherProcess(url)
    await expect(openTestDatabase(url)).rejects.toThrow('Another Tableside is running on this data folder')
    child.process.kill('SIGKILL')
    await child.ended
    const database = await openTestDatabase(url)
    expect(await storedIds(database.reader)).toEqual(expect.arrayContaining(child.acknowledged))
  })

  it.runIf(process.platform !== 'win32')(
    'ends the process when the disk fails, with everything acknowledged stored',
    async () => {
      const url = await temporaryUrl()
      const child = await writeInAnotherProcess(url, 'ulimit -f 1000;')
      expect(await child.ended).toBe(1)
      expect(await child.stderr).toMatch(/^The disk failed a write of the database.*disk I\/O error/)
      const database = await openTestDatabase(url)
      expect(await storedIds(database.reader)).toEqual(expect.arrayContaining(child.acknowledged))
    },
  )
})

describe.runIf(process.platform !== 'win32')('the files of a database on SQLite', () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
  const modesIn = (folder: string): Record<string, string> =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]))
  const pathOf = (url: string): string => url.slice('file:'.length)

  /** A database path in a folder with somebody else's file, both readable by everybody. */
  async function createSharedFolder(): Promise<string> {
    const path = pathOf(await temporaryUrl())
    writeFileSync(join(dirname(path), 'letter.txt'), 'Dear guest', { mode: 0o644 })
    chmodSync(dirname(path), 0o755)
    return path
  }

  it('are restricted to their owner, in a folder of their own', async () => {
    const path = join(dirname(pathOf(await temporaryUrl())), 'made', 'here', 'tableside.db')
    const database = await openTestDatabase(`file:${path}`)
    await database.transact((db) => insertNote(db, 'a'))
    expect([modeOf(dirname(path)), modeOf(dirname(dirname(path)))]).toEqual(['700', '700'])
    const modes = modesIn(dirname(path))
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining(['lock.db', 'tableside.db', 'tableside.db-wal']),
    )
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']))
  })

  it('are restricted when they already exist, and other files beside them are not', async () => {
    const path = await createSharedFolder()
    const before = await openTestDatabase(`file:${path}`)
    await before.transact((db) => insertNote(db, 'a'))
    await before.close()
    const own = [path, join(dirname(path), 'lock.db')]
    for (const file of own) chmodSync(file, 0o666)
    await openTestDatabase(`file:${path}`)
    expect(own.map(modeOf)).toEqual(['600', '600'])
    expect([modeOf(`${path}-wal`), modeOf(`${path}-shm`)]).toEqual(['600', '600'])
    expect([modeOf(dirname(path)), modeOf(join(dirname(path), 'letter.txt'))]).toEqual(['755', '644'])
  })

  it('are reported where the file system has no permissions', async () => {
    const path = await createSharedFolder()
    chmodSync(dirname(path), 0o700)
    const letter = join(dirname(path), 'letter.txt')
    const failToRestrict = () => {
      throw new Error('EPERM')
    }
    expect(restrictToOwner([dirname(path), letter, `${letter}-gone`], () => {})).toEqual([letter])
    expect(restrictToOwner([letter], failToRestrict)).toEqual([letter])
    expect(restrictToOwner([letter])).toEqual([])
  })
})

/** Writes notes until it is killed, and prints the id of each one that was acknowledged. */
async function writeInAnotherProcess(url: string, limit = '') {
  const script = `
    import { openDatabase } from ${JSON.stringify(new URL('../database.ts', import.meta.url).href)}
    const up = (db) => db.schema.createTable('note').addColumn('id', 'text').addColumn('body', 'text')
      .addColumn('written_at', 'bigint').execute()
    const { transact } = await openDatabase(${JSON.stringify(url)}, { migrations: { '001-notes': { up } } })
    const body = 'x'.repeat(5000)
    async function write(writer) {
      for (let count = 0; ; count++) {
        const id = 'note-' + writer + '-' + count
        await transact((db) => db.insertInto('note').values({ id, body, writtenAt: count }).execute())
        console.log(id)
      }
    }
    await Promise.all([1, 2, 3, 4].map(write))`
  const child = spawn(
    'sh',
    ['-c', `${limit} exec "$0" --input-type=module -e "$1"`, process.execPath, script],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const stderr = text(child.stderr)
  const ended = once(child, 'close').then(([code]: unknown[]) => code)
  const acknowledged: string[] = []
  const lines = createInterface(child.stdout).on('line', (id) => acknowledged.push(id))
  await Promise.race([once(lines, 'line'), ended])
  return { process: child, ended, stderr, acknowledged }
}
