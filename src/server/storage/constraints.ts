const duplicate = { postgres: '23505', sqlite: [1555, 2067] }
const orphan = { postgres: '23503', sqlite: [787] }

function failedFor({ postgres, sqlite }: typeof duplicate, error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === postgres) return true
  return 'errcode' in error && typeof error.errcode === 'number' && sqlite.includes(error.errcode)
}

/** Whether a statement failed because a row with that key is there. */
export const isDuplicate = (error: unknown): boolean => failedFor(duplicate, error)

/** Whether a statement failed because a row that it refers to is gone, or is still referred to. */
export const isOrphan = (error: unknown): boolean => failedFor(orphan, error)
