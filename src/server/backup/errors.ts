import { sqliteOutage, sqliteResultCode } from '../storage/engine/errors.ts'

/** Says in words why a backup was not made, read or restored. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

const reasons: Record<string, string> = {
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk is full',
  EFBIG: 'No file may be so large there',
  EIO: 'The disk failed',
  ENOENT: 'There is no such folder',
  ENOTDIR: 'There is no such folder',
  EACCES: 'This user may not write there',
  EPERM: 'This user may not write there',
  EROFS: 'The disk is read-only',
  ENAMETOOLONG: 'The name is too long',
}

const sqliteReasons = new Map<number | undefined, string>([
  [sqliteOutage.full, 'ENOSPC'],
  [sqliteOutage.ioError, 'EIO'],
  [sqliteOutage.cannotOpen, 'EACCES'],
])

/** A failure of the disk that a file was written to, in words. Any other error stays as it is. */
export function describeWriteError(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = reasons[sqliteReasons.get(sqliteResultCode(error)) ?? code]
  return reason === undefined
    ? error
    : new BackupError(`${path} cannot be written: ${reason}. Nothing was kept.`, { cause: error })
}
