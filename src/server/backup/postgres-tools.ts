import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getCACertificates } from 'node:tls'
import { Client } from 'pg'
import { readParameter, serverUrls, withParameters } from '../storage/engine/postgres/postgres-url.ts'
import { BackupError } from './errors.ts'
import { splitLines } from './lines.ts'
import { listOwnTables } from './own-tables.ts'
import { type Batch, type Contents, quote, type Row, rowsPerBatch } from './rows.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** PostgreSQL's own programs, where they are installed. `env`: what they are started with. */
export type PostgresTools = { env: Env }

/** The major version of `pg_dump` or `pg_restore`; null where there is none. */
export async function findTool(
  name: 'pg_dump' | 'pg_restore',
  { env }: PostgresTools,
): Promise<number | null> {
  try {
    const { output } = await run(name, ['--version'], env)
    const major = /\b(\d+)(?:\.|devel|rc|beta)/u.exec(output)?.[1]
    return major === undefined ? null : Number(major)
  } catch {
    return null
  }
}

/** Everybody on the machine can read a program's words, so the password is not among them. */
function toConnection(url: string): { dbname: string; secrets: Env } {
  const [first = '', ...others] = serverUrls(withParameters(url, {}))
  // As the server reads it: `pg` has rules of its own for a `%` that begins no escape.
  const { password } = new Client({ connectionString: first })
  const withoutPassword = url.replace(/^([a-z]+:\/\/[^:/?#]*):[^/?#]*@/u, '$1@')
  const dbname = withParameters(withoutPassword, {
    password: null,
    uselibpqcompat: null,
    // Of several servers, the one that takes writes.
    ...(others.length > 0 && { target_session_attrs: 'read-write' }),
  })
  return { dbname, secrets: password ? { PGPASSWORD: password } : {} }
}

/** PostgreSQL's programs know no authority by themselves: they are told those that Node trusts. */
function trustAsNode(url: string, env: Env): Disposable & { url: string } {
  const mustVerify = readParameter(url, 'sslmode')?.startsWith('verify-') === true
  const isTold = readParameter(url, 'sslrootcert') !== null || Boolean(env['PGSSLROOTCERT'])
  if (!mustVerify || isTold) return { url, [Symbol.dispose]() {} }
  const folder = createTemporaryFolder('authorities')
  const sslrootcert = join(folder.path, 'authorities.pem')
  writeFileSync(sslrootcert, getCACertificates().join('\n'))
  return { url: withParameters(url, { sslrootcert }), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** The whole schema, or these tables where it holds others too; what belongs to no table is then left out. */
type Selection = { schema: string; tables: readonly string[] | null }

export async function dumpPostgres(
  url: string,
  { schema, tables }: Selection,
  path: string,
  { env }: PostgresTools,
  signal: AbortSignal,
): Promise<void> {
  using trusting = trustAsNode(url, env)
  const { dbname, secrets } = toConnection(trusting.url)
  const patterns = tables?.map((name) => `--table=${quote(schema)}.${quote(name)}`) ?? [
    `--schema=${quote(schema)}`,
  ]
  const options = ['--format=custom', '--no-owner', '--no-privileges', '--no-password', `--file=${path}`]
  await run('pg_dump', [...options, ...patterns, `--dbname=${dbname}`], { ...env, ...secrets }, signal)
}

/** Its rows only, table by table in the order in which they refer to each other: the tables themselves are ours to make. */
export async function openDump(path: string, tools: PostgresTools): Promise<Contents> {
  if ((await findTool('pg_restore', tools)) === null)
    throw new BackupError(
      `${path} was made by pg_dump. Please install pg_restore to read it (Debian: apt-get install postgresql-client).`,
    )
  const entries = await listEntries(path, tools)
  const read = (names: readonly string[]) =>
    readDump(
      path,
      tools,
      names.map((name) => {
        const entry = entries.get(name)
        if (entry === undefined) throw new BackupError(`${path} lacks the rows of the table ${name}.`)
        return entry
      }),
    )
  const migrations: string[] = []
  for await (const { columns, rows } of read(['kysely_migration']))
    for (const row of rows) migrations.push(String(row[columns.indexOf('name')]))
  return {
    migrations,
    batches: async function* () {
      yield* read((await listOwnTables(migrations)).map(({ name }) => name))
    },
  }
}

/**
 * The lines of the archive's table of contents that stand for rows of ours, by table. Archives that `pg_dump` made of a whole
 * database also hold what other programs have in other schemas.
 */
async function listEntries(path: string, { env }: PostgresTools): Promise<Map<string, string>> {
  const { output } = await run('pg_restore', ['--list', path], env)
  const schemas = new Map<string, Map<string, string>>()
  for (const [line, schema = '', name = ''] of output.matchAll(/^\d+; .* TABLE DATA (\S+) (\S+) .*$/gmu)) {
    const entries = schemas.get(schema) ?? new Map<string, string>()
    schemas.set(schema, entries.set(name, line))
  }
  const ours = [...schemas].filter(
    ([, entries]) => entries.has('kysely_migration') && entries.has('restaurant'),
  )
  if (ours.length > 1)
    throw new BackupError(
      `${path} holds Tableside in several schemas: ${ours.map(([schema]) => schema).join(', ')}. Please let pg_restore restore one of them (--schema).`,
    )
  return ours[0]?.[1] ?? new Map()
}

/** Rows as `pg_restore` prints them, in the order of the entries: a heading for each table, then one line per row. */
async function* readDump(path: string, { env }: PostgresTools, entries: string[]): AsyncGenerator<Batch> {
  using folder = createTemporaryFolder('entries')
  const list = join(folder.path, 'list')
  writeFileSync(list, `${entries.join('\n')}\n`)
  const child = spawn('pg_restore', ['--data-only', `--use-list=${list}`, '--file=-', path], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([once(child, 'close'), text(child.stderr)])
  ended.catch(() => {})
  let open: { table: string; columns: string[]; rows: Row[] } | undefined
  try {
    for await (const line of splitLines(child.stdout)) {
      if (!open) {
        const [, table, columns] = /^COPY (?:\S+\.)?"?(\w+)"? \((.+)\) FROM stdin;$/u.exec(line) ?? []
        if (table !== undefined && columns !== undefined)
          open = { table, columns: columns.split(', ').map((name) => name.replaceAll('"', '')), rows: [] }
      } else if (line === '\\.') {
        if (open.rows.length > 0) yield open
        open = undefined
      } else {
        open.rows.push(line.split('\t').map(parseCell))
        if (open.rows.length < rowsPerBatch) continue
        yield open
        open = { ...open, rows: [] }
      }
    }
    const [[code], problem] = await ended
    if (code !== 0 || open) throw new BackupError(`${path} is damaged or cut short: ${firstLine(problem)}`)
  } finally {
    child.kill()
  }
}

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

function parseCell(cell: string): string | null {
  if (cell === '\\N') return null
  return cell.replaceAll(/\\(.)/gu, (_, letter: string) => escapes[letter] ?? letter)
}

async function run(
  program: string,
  words: string[],
  env: Env,
  signal?: AbortSignal,
): Promise<{ output: string }> {
  const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'], signal })
  let failure: unknown
  child.once('error', (error) => (failure = error))
  const [output, problem, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    // Also after an error: a program that is ended may still write to its file.
    new Promise((closed) => child.once('close', closed)),
  ])
  if (failure !== undefined) throw failure
  if (code !== 0) throw new BackupError(`${program} failed: ${firstLine(problem)}`)
  return { output }
}

const firstLine = (problem: string): string => problem.trim().split('\n')[0] ?? 'it does not say why'
