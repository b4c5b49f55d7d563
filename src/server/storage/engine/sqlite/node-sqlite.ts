import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

/** The product has a few hundred queries; only lists of varying length make more. */
const maxCachedStatements = 1000

/**
 * Adapts node:sqlite to Kysely's SQLite dialect. Preparing is expensive, so statements are cached.
 * `bulkReads` is for reading thousands of rows on a connection that never changes tables.
 */
export function toKyselyDatabase(database: DatabaseSync, { bulkReads = false } = {}): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare(sql) {
      const cached = cache.get(sql)
      if (cached) return cached
      const statement = bulkReads ? prepareBulk(database, sql) : prepare(database, sql)
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

/** The row objects that node:sqlite creates take twice as long to create and to read as these. */
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

export function toSqlValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value
  }
  throw new TypeError(`The tables hold only text and numbers, not ${typeof value}`)
}
