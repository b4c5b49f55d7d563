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
const maxCachedStatements = 1000

/**
 * node:sqlite in the shape that Kysely's SQLite dialect asks for. Preparing is dear, so statements are kept.
 * `manyRows`: for reads of thousands of rows by somebody who changes no tables.
 */
export function toKyselyDatabase(database: DatabaseSync, { manyRows = false } = {}): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare(sql) {
      const cached = cache.get(sql)
      if (cached) return cached
      const statement = manyRows ? prepareBulk(database, sql) : prepare(database, sql)
      if (cache.size >= maxCachedStatements) cache.clear()
      cache.set(sql, statement)
      return statement
    },
  }
}

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toSqlValue)),
    run: (parameters) => statement.run(...parameters.map(toSqlValue)),
    iterate: (parameters) => statement.iterate(...parameters.map(toSqlValue)),
  }
}

/** Rows as node:sqlite makes them take twice as long to make and to read as these. */
function prepareBulk(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  const names = statement.columns().map(({ name }) => name)
  statement.setReturnArrays(true)
  return {
    ...prepare(database, sql),
    all: (parameters) => statement.all(...parameters.map(toSqlValue)).map((values) => toRow(names, values)),
  }
}

function toRow(names: string[], values: Record<number, unknown>): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index++) row[names[index] ?? ''] = values[index]
  return row
}

function toSqlValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value
  }
  throw new TypeError(`The tables hold text and numbers only, not ${typeof value}`)
}
