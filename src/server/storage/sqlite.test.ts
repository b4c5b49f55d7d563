import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ids, insert, open, place, stored } from '../../../test/notes.ts'
import { restrictToOwner } from './private-files.ts'

describe('a database on SQLite', () => {
  it('puts 200 writes at once into one commit', async () => {
    const commits: number[] = []
    const database = await open(await place(), { onCommit: (count) => commits.push(count) })
    await Promise.all(ids(200).map((id) => database.transact((db) => insert(db, id))))
    expect(commits).toEqual([200])
    expect(await stored(database.reader)).toEqual(ids(200))
  })

  it('puts what is asked for meanwhile into the next commits, never more than fit', async () => {
    const commits: number[] = []
    const database = await open(await place(), { maxBatch: 64, onCommit: (count) => commits.push(count) })
    await Promise.all(
      ids(100).map(async (id) => {
        await database.transact((db) => insert(db, id))
        await database.transact((db) => insert(db, `${id}-again`))
      }),
    )
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(200)
    expect(Math.max(...commits)).toBeLessThanOrEqual(64)
    expect(commits.length).toBeLessThan(8)
  })

  it('answers nobody before the commit that all of a batch share', async () => {
    const url = await place()
    const database = await open(url)
    const happened: string[] = []
    const onDisk = () => {
      using other = new DatabaseSync(url.slice('file:'.length), { readOnly: true })
      return Number(other.prepare('select count(*) as count from note').get()?.['count'])
    }
    const ask = async (id: string, refuse = false) => {
      await database
        .transact(async (db) => {
          await insert(db, id)
          happened.push(`${id} ran, ${onDisk()} on the disk`)
          if (refuse) throw new Error(id)
        })
        .catch(() => {})
      happened.push(`${id} answered, ${onDisk()} on the disk`)
    }
    await Promise.all([ask('a'), ask('b', true), ask('c')])
    expect(happened).toEqual([
      'a ran, 0 on the disk',
      'b ran, 0 on the disk',
      'c ran, 0 on the disk',
      'a answered, 2 on the disk',
      'b answered, 2 on the disk',
      'c answered, 2 on the disk',
    ])
  })

  it('gives up on a work that waits for something else, and goes on with the others', async () => {
    const database = await open(await place())
    const stuck = database.transact(async (db) => {
      await insert(db, 'stuck')
      await new Promise(() => {})
    })
    const nested = database.transact(() => database.transact((db) => insert(db, 'inner')))
    const other = database.transact((db) => insert(db, 'other'))
    await expect(stuck).rejects.toThrow('A transaction waited for something other than its database')
    await expect(nested).rejects.toThrow('A transaction waited for something other than its database')
    await other
    await database.transact((db) => insert(db, 'next'))
    expect(await stored(database.reader)).toEqual(['inner', 'next', 'other'])
  })

  it('refuses to write through the reader, and values that are neither text nor number', async () => {
    const database = await open(await place())
    await expect(insert(database.reader, 'a')).rejects.toThrow(/readonly/)
    const yes: unknown = true
    await expect(database.transact((db) => sql`select ${yes}`.execute(db))).rejects.toThrow(
      'The tables hold text and numbers only, not boolean',
    )
  })

  it('is durable by its settings', async () => {
    const database = await open(await place())
    const settings = await database.transact(async (db) => {
      const { rows } =
        await sql`select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`.execute(db)
      return rows
    })
    expect(settings).toEqual([{ journalMode: 'wal', synchronous: 2, foreignKeys: 1 }])
  })

  it('belongs to one Tableside at a time', async () => {
    const url = await place()
    const first = await open(url)
    await expect(open(url)).rejects.toThrow('Another Tableside is running on this data folder')
    await first.close()
    await open(url)
  })

  it('leaves one whole file when it is closed', async () => {
    const url = await place()
    const database = await open(url)
    await database.transact((db) => insert(db, 'a'))
    await database.close()
    expect(existsSync(`${url.slice('file:'.length)}-wal`)).toBe(false)
  })

  it('is copied as it was at one moment, while writes go on', async () => {
    const url = await place()
    const database = await open(url)
    await Promise.all(ids(500).map((id) => database.transact((db) => insert(db, id))))
    const target = (await place()).slice('file:'.length)
    const copied = database.backup?.(target)
    const after = ids(500).map((id) => database.transact((db) => insert(db, `${id}-after`)))
    await Promise.all([copied, ...after])

    const copy = await open(`file:${target}`)
    const kept = await stored(copy.reader)
    expect(kept).toEqual(expect.arrayContaining(ids(500)))
    expect(await stored(database.reader)).toHaveLength(1000)
    await copy.transact((db) => insert(db, 'usable'))
  })

  it('takes over the folder of a process that was killed, with all that it had acknowledged', async () => {
    const url = await place()
    const child = await writeInAnotherProcess(url)
    await expect(open(url)).rejects.toThrow('Another Tableside is running on this data folder')
    child.process.kill('SIGKILL')
    await child.ended
    const database = await open(url)
    expect(await stored(database.reader)).toEqual(expect.arrayContaining(child.acknowledged))
  })

  it.runIf(process.platform !== 'win32')(
    'ends the process when the disk fails, never having lied',
    async () => {
      const url = await place()
      const child = await writeInAnotherProcess(url, 'ulimit -f 1000;')
      expect(await child.ended).toBe(1)
      expect(await child.complaint).toMatch(/^The disk failed a write of the database.*disk I\/O error/)
      const database = await open(url)
      expect(await stored(database.reader)).toEqual(expect.arrayContaining(child.acknowledged))
    },
  )
})

describe.runIf(process.platform !== 'win32')('the files of a database on SQLite', () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
  const modesIn = (folder: string): Record<string, string> =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]))
  const pathOf = (url: string): string => url.slice('file:'.length)

  /** A place with somebody else's letter in it, both for everybody to read. */
  async function shared(): Promise<string> {
    const path = pathOf(await place())
    writeFileSync(join(dirname(path), 'letter.txt'), 'Dear guest', { mode: 0o644 })
    chmodSync(dirname(path), 0o755)
    return path
  }

  it('are their owner’s only, in a folder of their own', async () => {
    const path = join(dirname(pathOf(await place())), 'made', 'here', 'tableside.db')
    const database = await open(`file:${path}`)
    await database.transact((db) => insert(db, 'a'))
    expect([modeOf(dirname(path)), modeOf(dirname(dirname(path)))]).toEqual(['700', '700'])
    const modes = modesIn(dirname(path))
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining(['lock.db', 'tableside.db', 'tableside.db-wal']),
    )
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']))
  })

  it('become their owner’s only when they were there before, and nothing beside them does', async () => {
    const path = await shared()
    const before = await open(`file:${path}`)
    await before.transact((db) => insert(db, 'a'))
    await before.close()
    const own = [path, join(dirname(path), 'lock.db')]
    for (const file of own) chmodSync(file, 0o666)
    await open(`file:${path}`)
    expect(own.map(modeOf)).toEqual(['600', '600'])
    expect([modeOf(`${path}-wal`), modeOf(`${path}-shm`)]).toEqual(['600', '600'])
    expect([modeOf(dirname(path)), modeOf(join(dirname(path), 'letter.txt'))]).toEqual(['755', '644'])
  })

  it('are copied for their owner only, also over a copy that everybody can read', async () => {
    const path = await shared()
    const database = await open(`file:${path}`)
    const copy = join(dirname(path), 'copy.db')
    writeFileSync(copy, '', { mode: 0o644 })
    await database.backup?.(copy)
    expect(modesIn(dirname(path))[basename(copy)]).toBe('600')
  })

  it('are told of where the file system keeps no rights', async () => {
    const path = await shared()
    chmodSync(dirname(path), 0o700)
    const letter = join(dirname(path), 'letter.txt')
    const refused = () => {
      throw new Error('EPERM')
    }
    expect(restrictToOwner([dirname(path), letter, `${letter}-gone`], () => {})).toEqual([letter])
    expect(restrictToOwner([letter], refused)).toEqual([letter])
    expect(restrictToOwner([letter])).toEqual([])
  })
})

/** Writes note after note, naming each one that was acknowledged, until it is ended. */
async function writeInAnotherProcess(url: string, limit = '') {
  const script = `
    import { openDatabase } from ${JSON.stringify(new URL('database.ts', import.meta.url).href)}
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
  const complaint = text(child.stderr)
  const ended = once(child, 'close').then(([code]: unknown[]) => code)
  const acknowledged: string[] = []
  const lines = createInterface(child.stdout).on('line', (id) => acknowledged.push(id))
  await Promise.race([once(lines, 'line'), ended])
  return { process: child, ended, complaint, acknowledged }
}
