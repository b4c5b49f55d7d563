import { Kysely, sql } from 'kysely'
import { type Client, Pool, types, TypeOverrides } from 'pg'
import { DatabaseOpenError } from '../storage/engine/errors.ts'
import { migrate, pickMigrations } from '../storage/engine/migrator.ts'
import { PrimaryClient } from '../storage/engine/postgres/postgres-client.ts'
import { SnakeCasePostgresDialect } from '../storage/engine/snake-case.ts'
import { BackupError } from './errors.ts'
import type { OwnTable } from './own-tables.ts'
import { type Batch, type Contents, leapStreams, quote, requireKnown, rowsPerBatch } from './rows.ts'

export async function connect(url: string): Promise<Client & AsyncDisposable> {
  const numbers = new TypeOverrides()
  numbers.setTypeParser(types.builtins.INT8, Number)
  const client = new PrimaryClient({
    connectionString: url,
    application_name: 'tableside-backup',
    connectionTimeoutMillis: 10_000,
    types: numbers,
  })
  // A connection that breaks fails the query that is running.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new DatabaseOpenError('PostgreSQL', error)
  }
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** All rows as they were at one moment, whatever is written meanwhile. */
export async function* readPostgres(client: Client, tables: readonly OwnTable[]): AsyncGenerator<Batch> {
  await client.query('begin isolation level repeatable read, read only')
  for (const { name: table, columns } of tables) {
    const query = `select ${columns.map(quote).join(', ')} from ${quote(table)}`
    await client.query(`declare backup_rows no scroll cursor for ${query}`)
    for (;;) {
      const { rows } = await client.query<unknown[]>({
        text: `fetch ${rowsPerBatch} from backup_rows`,
        rowMode: 'array',
      })
      if (rows.length === 0) break
      yield { table, columns, rows }
    }
    await client.query('close backup_rows')
  }
  await client.query('commit')
}

/** The tables of the database that its account meets without naming a schema. */
export async function listTables(client: Client): Promise<{ schema: string; name: string }[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select table_schema as schema, table_name as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`,
  )
  return rows
}

/** Restores go only where nothing is. */
export async function requireEmptyPostgres(url: string): Promise<void> {
  await using client = await connect(url)
  const tables = await listTables(client)
  if (tables.length === 0) return
  throw new BackupError(
    `The database is not empty: it has ${tables.length} tables, such as ${tables[0]?.name}. A backup is only restored into an empty one.`,
  )
}

/** Everything in one transaction: a failure leaves the database as empty as it was. */
export async function loadIntoPostgres(
  url: string,
  { migrations, batches }: Contents,
  tables: readonly OwnTable[],
): Promise<void> {
  const pool = new Pool({
    Client: PrimaryClient,
    connectionString: url,
    max: 1,
    application_name: 'tableside-restore',
  })
  pool.on('error', () => {})
  const db = new Kysely<unknown>({ dialect: new SnakeCasePostgresDialect({ pool }) })
  try {
    await db.transaction().execute(async (inside) => {
      await migrate(inside, pickMigrations(migrations))
      for await (const { table, columns, rows } of batches()) {
        requireKnown(tables, table, columns)
        const objects = rows.map((row) =>
          Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])),
        )
        const names = sql.raw(columns.map(quote).join(', '))
        const into = sql.raw(quote(table))
        await sql`insert into ${into} (${names}) select ${names}
          from json_populate_recordset(null::${into}, ${JSON.stringify(objects)}::json)`.execute(inside)
      }
      await sql.raw(leapStreams).execute(inside)
    })
  } finally {
    await db.destroy()
  }
}
