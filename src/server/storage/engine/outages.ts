import { DatabaseError } from 'pg'
import {
  resultCode,
  SQLITE_BUSY,
  SQLITE_CANTOPEN,
  SQLITE_FULL,
  SQLITE_IOERR,
  SQLITE_LOCKED,
  SQLITE_READONLY,
} from './node-sqlite.ts'

/** The database is closed, or was not reached. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

const sqliteOutageCodes = new Set([
  SQLITE_BUSY,
  SQLITE_CANTOPEN,
  SQLITE_FULL,
  SQLITE_IOERR,
  SQLITE_LOCKED,
  SQLITE_READONLY,
])

/**
 * Connection lost, account or database refused, still in conflict after every retry, out of disk or connections,
 * timed out, stopped by its operator, failed disk; and a standby, which only reads.
 */
const postgresOutagePattern = /^(?:08|28|3D|40|53|55|57|58|25006)/u

/** Whether it failed because the database is away or takes no writes: nothing was wrong with what was asked. */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  if (error instanceof DatabaseError) return postgresOutagePattern.test(error.code ?? '')
  return sqliteOutageCodes.has(resultCode(error) ?? -1)
}
