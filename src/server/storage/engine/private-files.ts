import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ownerOnlyModes = { folder: 0o700, file: 0o600 }
const othersMask = 0o077

/** Makes the folder where there is none, closed to other users of the machine. True when it was made. */
export function createPrivateFolder(folder: string): boolean {
  return mkdirSync(folder, { recursive: true, mode: ownerOnlyModes.folder }) !== undefined
}

/** Before SQLite makes it, readable by everybody. Its -wal and -shm files take its mode over. */
export function createPrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', ownerOnlyModes.file))
}

/** The regular files of a folder; a link may lead to somebody else's. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))

/**
 * Takes the rights of other users of the machine away, also where they had some before. Answers what they may
 * still have: Windows and some file systems know no such modes, and what belongs to another user is not changed.
 */
export function restrictToOwner(paths: string[], chmod: typeof chmodSync = chmodSync): string[] {
  return paths.filter((path) => existsSync(path) && !isRestricted(path, chmod))
}

function isRestricted(path: string, chmod: typeof chmodSync): boolean {
  const open = () => (statSync(path).mode & othersMask) !== 0
  if (!open()) return true
  try {
    chmod(path, statSync(path).isDirectory() ? ownerOnlyModes.folder : ownerOnlyModes.file)
    return !open()
  } catch {
    return false
  }
}
