import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

export const SQLITE_BUSY = 5
export const SQLITE_LOCKED = 6
export const SQLITE_READONLY = 8
export const SQLITE_IOERR = 10
export const SQLITE_FULL = 13
export const SQLITE_CANTOPEN = 14

/** SQLite's primary result code, when the error is one of SQLite's. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  return error.errcode & 0xff
}

/** The queries of the product are a few hundred; only lists of changing length make more. */
const keptStatements = 1000

/**
 * node:sqlite in the shape that Kysely's SQLite dialect asks for. Preparing is dear, so statements are kept.
 * `manyRows`: for reads of thousands of rows by somebody who changes no tables.
 */
export function forKysely(database: DatabaseSync, { manyRows = false } = {}): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = kept.get(sql)
      if (known) return known
      const statement = manyRows ? prepareForMany(database, sql) : prepare(database, sql)
      if (kept.size >= keptStatements) kept.clear()
      kept.set(sql, statement)
      return statement
    },
  }
}

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(storable)),
    run: (parameters) => statement.run(...parameters.map(storable)),
    iterate: (parameters) => statement.iterate(...parameters.map(storable)),
  }
}

/** Rows as node:sqlite makes them take twice as long to make and to read as these. */
function prepareForMany(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  const names = statement.columns().map(({ name }) => name)
  statement.setReturnArrays(true)
  return {
    ...prepare(database, sql),
    all: (parameters) => statement.all(...parameters.map(storable)).map((values) => named(names, values)),
  }
}

function named(names: string[], values: Record<number, unknown>): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index++) row[names[index] ?? ''] = values[index]
  return row
}

function storable(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value
  }
  throw new TypeError(`The tables hold text and numbers only, not ${typeof value}`)
}
