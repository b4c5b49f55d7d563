/** Whether a statement failed because a row with that key is there: PostgreSQL 23505, SQLite's extended codes. */
export function isDuplicate(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === '23505') return true
  return 'errcode' in error && (error.errcode === 1555 || error.errcode === 2067)
}
