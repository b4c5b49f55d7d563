const uniqueViolation = { postgres: '23505', sqlite: [1555, 2067] }
const foreignKeyViolation = { postgres: '23503', sqlite: [787] }

function failedWith({ postgres, sqlite }: typeof uniqueViolation, error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === postgres) return true
  return 'errcode' in error && typeof error.errcode === 'number' && sqlite.includes(error.errcode)
}

/** Whether a statement failed because a row with that key is there. */
export const isUniqueViolation = (error: unknown): boolean => failedWith(uniqueViolation, error)

/** Whether a statement failed because a row that it refers to is gone, or is still referred to. */
export const isForeignKeyViolation = (error: unknown): boolean => failedWith(foreignKeyViolation, error)
