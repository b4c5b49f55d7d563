import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs, minuteMs } from '#contract/durations.ts'
import { makeBackup } from '../../src/server/backup/make-backup.ts'
import { backUpIfDue } from '../../src/server/backup/schedule.ts'
import { verifyBackup } from '../../src/server/backup/verify.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { password, startTestApp, type TestApp, TestBrowser } from '../support/app.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'
import { startPostgres } from '../support/postgres/postgres-cluster.ts'
import { urlOfAll } from '../support/postgres/postgres-server.ts'
import { tableside } from '../support/servers/command-line.ts'
import { type ServerProcess, startServer } from '../support/servers/server-process.ts'

async function makeFolders(count: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-nodes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return Array.from({ length: count }, (_, index) => join(folder, `node-${index}`))
}

const backupsIn = (folders: string[]): string[] =>
  folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))

it('when two servers start together, one backs up', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const folders = await makeFolders(2)
  const servers = await Promise.all(folders.map((folder) => startServer(url, { BACKUP_DIR: folder })))
  for (const server of servers)
    await expect
      .poll(async () => (await (await fetch(`${server.url}/readyz`)).json()).backup.ageSeconds)
      .toBeTypeOf('number')
  expect(backupsIn(folders)).toHaveLength(1)
  for (const server of servers) await server.stop()
  expect(servers.flatMap(({ lines }) => lines)).toEqual([])
})

it('each time it is due one node does it, and another takes over from one that died', async () => {
  const { url, drop } = await freshDatabase()
  const nodes: TestApp[] = []
  for (const _ of ['first', 'second', 'third']) nodes.push(await startTestApp({ databaseUrl: url }))
  onTestFinished(async () => {
    for (const node of nodes) await node.stop()
    await drop()
  })
  const folders = await makeFolders(nodes.length)
  const source = { databaseUrl: url, databaseDirectUrl: null }
  const round = async (): Promise<number> => {
    await Promise.all(
      nodes.map(({ ctx }, index) => {
        const schedule = { folder: folders[index] ?? '', everyMs: hourMs, keep: 7 }
        return backUpIfDue(ctx, schedule, (folder, options) =>
          makeBackup(source, folder, { ...options, tools: { env: process.env } }),
        )
      }),
    )
    return nodes.flatMap(({ lines }) => lines.filter((line) => line.includes('"backed up"'))).length
  }
  const pass = (ms: number) => nodes.forEach((node) => node.advance(ms))
  expect(await round()).toBe(1)
  expect(await round()).toBe(1)
  for (const done of [2, 3, 4]) {
    pass(hourMs)
    expect(await round()).toBe(done)
  }

  // Its clock is ahead of the others'.
  const node = nodes.at(-1)
  const { value } = (await node?.ctx.db.reader
    .selectFrom('setting')
    .select('value')
    .where('name', '=', 'backup')
    .executeTakeFirst()) ?? { value: '' }
  pass(hourMs)
  const died = JSON.stringify({ ...JSON.parse(value), state: 'running', renewedAt: node?.now() })
  await node?.ctx.db.transact((db) =>
    db.updateTable('setting').set({ value: died }).where('name', '=', 'backup').execute(),
  )
  pass(10 * minuteMs - 1)
  expect(await round()).toBe(4)
  pass(1)
  expect(await round()).toBe(5)
})

it('a backup is of the schema that its account uses, whatever others have in other schemas', async () => {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const second = new URL(url)
  second.searchParams.set('options', '-c search_path=second')
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`create schema zebra;
    create table zebra.kysely_migration (name text); insert into zebra.kysely_migration values ('theirs');
    create table zebra.setting (name text, value text)`)
  const [folder = ''] = await makeFolders(1)
  const tools = { env: process.env }
  const backUp = async (databaseUrl: string, name: string): Promise<string> => {
    await mkdir(folder, { recursive: true })
    const source = { databaseUrl, databaseDirectUrl: null }
    const { file, kind } = await makeBackup(source, join(folder, name), { now: Date.now(), tools })
    expect(kind).toBe('pg_dump')
    return file
  }
  const dumpAll = async (name: string): Promise<string> => {
    const file = join(folder, name)
    await promisify(execFile)('pg_dump', ['--format=custom', `--file=${file}`, `--dbname=${url}`])
    return file
  }
  const readSchemas = async (file: string): Promise<string[]> => {
    const { stdout } = await promisify(execFile)('pg_restore', ['--list', file])
    return [...new Set([...stdout.matchAll(/ TABLE DATA (\S+)/gu)].map(([, schema = '']) => schema))]
  }

  const file = await backUp(url, 'first')
  expect(await readSchemas(file)).toEqual(['public'])
  expect(await verifyBackup(file, tools)).toMatchObject({ kind: 'pg_dump', differences: [] })
  const all = await dumpAll('all')
  expect(await readSchemas(all)).toEqual(['public', 'zebra'])
  expect(await verifyBackup(all, tools)).toMatchObject({ kind: 'pg_dump', differences: [] })

  await client.query('create table zebra.restaurant (id text)')
  await expect(verifyBackup(await dumpAll('both'), tools)).rejects.toThrow(
    'holds Tableside in several schemas: public, zebra.',
  )
  await client.query('alter schema public rename to second')
  expect(await readSchemas(await backUp(second.href, 'second'))).toEqual(['second'])
})

it('pg_dump gets the password that the server reads in its address, also with a % that begins no escape', async () => {
  const { url, port } = await startPostgres({
    files: {
      'pg_hba.conf': 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
    },
  })
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('create role app superuser login')
  await (await openDatabase(url)).close()
  const [folder = ''] = await makeFolders(1)
  await mkdir(folder)
  const passwords = { '50%': '50%', 'p%c%20d': 'p%c d', '%2F%25': '/%', 'a%2Fb%': 'a%2Fb%' }
  for (const [written, password] of Object.entries(passwords)) {
    await client.query(`alter role app password '${password}'`)
    const databaseUrl = `postgres://app:${written}@127.0.0.1:${port}/postgres?application_name=50%`
    const source = { databaseUrl, databaseDirectUrl: null }
    const options = { now: Date.now(), tools: { env: process.env } }
    const made = await makeBackup(source, join(folder, encodeURIComponent(written)), options)
    expect(made.kind).toBe('pg_dump')
  }
})

it('pg_dump reads the server that takes writes, of several that DATABASE_URL names', async () => {
  const first = await startPostgres({ settings: { synchronous_standby_names: '*' } })
  const second = await startPostgres({ primary: first })
  // The password is in no program's words, and nobody asks for it here.
  const databaseUrl = urlOfAll([second, first]).replace('postgres@', 'postgres:not%20asked%20for@')
  const [folder = ''] = await makeFolders(1)
  const backUp = async (name: string) => {
    const { code, out, err } = await tableside(['backup', `${folder}-${name}`, '--json'], {
      DATABASE_URL: databaseUrl,
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const { kind, file } = JSON.parse(out)
    expect(kind).toBe('pg_dump')
    const verified = await tableside(['verify', file, '--json'])
    expect(verified).toMatchObject({ code: 0, err: '' })
    return JSON.parse(verified.out)
  }
  const tapAt = ({ url }: ServerProcess, tableNumber: string) =>
    new TestBrowser(() => url).ok(api.requests.send, {
      body: { id: randomUUID(), restaurantId: 'Blue Door', tableNumber, serviceType: 'drinks' },
    })
  const before = await startServer(databaseUrl)
  await new TestBrowser(() => before.url).ok(api.accounts.signUp, {
    body: { restaurantName: 'Blue Door', email: 'owner@example.com', password, timeZone: 'UTC' },
  })
  await tapAt(before, '1')
  expect(await backUp('before')).toMatchObject({ restaurants: 1, requests: 1, differences: [] })
  await before.stop()

  await first.kill()
  await second.promote()
  const next = await startServer(databaseUrl)
  onTestFinished(() => next.stop())
  await tapAt(next, '2')
  // The former primary is back, and knows nothing of it.
  await first.start({ synchronous_standby_names: '', default_transaction_read_only: 'on' })
  expect(await backUp('after')).toMatchObject({ restaurants: 1, requests: 2, differences: [] })
})
