import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { toSqlValue } from '../storage/engine/sqlite/node-sqlite.ts'
import { openUnchanged } from '../storage/engine/sqlite/sqlite.ts'
import { BackupError } from './errors.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import type { OwnTable } from './own-tables.ts'

export type Row = readonly unknown[]

/** Some rows of a table, whose columns come in this order. */
export type Batch = { table: string; columns: readonly string[]; rows: readonly Row[] }

/** What a backup holds, whatever its format. */
export type Contents = { migrations: string[]; batches: () => AsyncIterable<Batch> }

export const rowsPerBatch = 500

/** The rows of an SQLite file, table by table. */
export async function* readSqlite(path: string, tables: readonly OwnTable[]): AsyncGenerator<Batch> {
  using file = openUnchanged(path)
  for (const { name: table, columns } of tables) {
    const statement = file.prepare(`select ${columns.map(quote).join(', ')} from ${quote(table)}`)
    let rows: SQLOutputValue[][] = []
    for (const row of statement.iterate()) {
      rows.push(columns.map((column) => row[column] ?? null))
      if (rows.length < rowsPerBatch) continue
      yield { table, columns, rows }
      rows = []
    }
    if (rows.length > 0) yield { table, columns, rows }
  }
}

/** Fills an empty file. With `toLatest` what it holds is then brought up to this version. */
export async function loadIntoSqlite(
  path: string,
  { migrations, batches }: Contents,
  tables: readonly OwnTable[],
  { toLatest = false } = {},
): Promise<void> {
  using file = new DatabaseSync(path)
  // It is of no use until it is whole, and synced then.
  file.exec('pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off')
  await migrateSqlite(file, migrations)
  file.exec('begin')
  const inserts = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  for await (const { table, columns, rows } of batches()) {
    requireKnown(tables, table, columns)
    const text = insertOf(table, columns)
    const insert = inserts.get(text) ?? file.prepare(text)
    inserts.set(text, insert)
    for (const row of rows) insert.run(...row.map(toSqlValue))
  }
  file.exec('commit')
  if (toLatest) await migrateSqlite(file)
}

/** More than any stream has gone on since a backup was made. */
export const streamLeap = 1_000_000_000

/**
 * To be run after a restore: screens keep the number of the last event that they know. If what happens now got the same
 * numbers as what was lost, one that comes back would take its list for the present one.
 */
export const leapStreams = `update live_stream set last_seq = last_seq + ${streamLeap}`

const insertOf = (table: string, columns: readonly string[]): string =>
  `insert into ${quote(table)} (${columns.map(quote).join(', ')}) values (${columns.map(() => '?').join(', ')})`

/** Their names become a part of statements. */
export function requireKnown(tables: readonly OwnTable[], table: string, columns: readonly string[]): void {
  const known = tables.find(({ name }) => name === table)
  if (!known || columns.some((column) => !known.columns.includes(column)))
    throw new BackupError(`It holds a table that is not of Tableside: ${table}`)
}

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
