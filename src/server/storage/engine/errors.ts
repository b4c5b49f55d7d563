import { DatabaseError } from 'pg'

/** The database is closed, or could not be reached. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** Names the path or the engine and not the URL, which may hold a password. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError'
  constructor(what: string, cause: unknown) {
    super(`The database cannot be opened (${what}): ${describeCause(cause)}`, { cause })
  }
}

/** Its migrations are partly unknown here. */
export class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase'
  constructor(unknown: readonly string[]) {
    super(
      `The database comes from a newer version of Tableside, which this one cannot run:\n${unknown.map((name) => `  ${name}`).join('\n')}`,
    )
  }
}

export class PoolerFound extends Error {
  override readonly name = 'PoolerFound'
  constructor() {
    super('Instead of PostgreSQL a connection pooler answered, such as PgBouncer')
  }
}

/** A pooler that takes no settings for a connection. */
export const isRefusedByPooler = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter')

/** Connecting to a host with several addresses fails once for each, with an empty message. */
function describeCause(cause: unknown): string {
  const causes: unknown[] = cause instanceof AggregateError ? cause.errors : [cause]
  return causes.map((each) => (each instanceof Error ? each.message : String(each))).join(', ')
}

/** SQLite's primary result codes for a database that cannot be used right now. */
export const sqliteOutage = { busy: 5, locked: 6, readonly: 8, ioError: 10, full: 13, cannotOpen: 14 }
const sqliteOutageCodes = new Set(Object.values(sqliteOutage))

/**
 * Connection lost, account or database refused, still in conflict after every retry, out of disk space or
 * connections, timed out, stopped by its operator, failed disk; a standby, which only reads; and a transaction in which
 * the server paused for too long.
 */
const postgresOutagePattern = /^(?:08|28|3D|40|53|55|57|58|25006|25P03|25P04)/u

/** Whether a statement failed because the database is unavailable or read-only, not because of its content. */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  if (error instanceof DatabaseError) return postgresOutagePattern.test(error.code ?? '')
  return sqliteOutageCodes.has(sqliteResultCode(error) ?? -1)
}

/** SQLite's codes for a file that is damaged, or something else. */
const sqliteDamageCodes = new Set([11, 26])

/** Whether nothing can be done before somebody sees to the database, its disk or the way to it. */
export const isUnusable = (error: unknown): boolean =>
  isOutage(error) || sqliteDamageCodes.has(sqliteResultCode(error) ?? -1)

/** Whether PostgreSQL rolled a transaction back for what another one did, so that it may succeed by itself. */
export const isTransient = (error: unknown): boolean =>
  isLockTimeout(error) || (error instanceof DatabaseError && (error.code ?? '').startsWith('40'))

/** Whether a statement waited too long for a row that another transaction holds. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '55P03'

/** Whether a statement failed because a row with the same key exists. */
export const isUniqueViolation = (error: unknown): boolean =>
  isConstraintViolation(error, { postgres: '23505', sqlite: [1555, 2067] })

/** Whether a statement failed because a row that it refers to is gone, or is still referred to. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  isConstraintViolation(error, { postgres: '23503', sqlite: [787] })

function isConstraintViolation(error: unknown, codes: { postgres: string; sqlite: number[] }): boolean {
  if (error instanceof DatabaseError) return error.code === codes.postgres
  return codes.sqlite.includes(sqliteExtendedCode(error) ?? -1)
}

export function sqliteResultCode(error: unknown): number | undefined {
  const extendedCode = sqliteExtendedCode(error)
  return extendedCode === undefined ? undefined : extendedCode & 0xff
}

function sqliteExtendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}
