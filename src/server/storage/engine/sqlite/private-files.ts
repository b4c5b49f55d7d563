import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ownerOnlyModes = { folder: 0o700, file: 0o600 }
const othersMask = 0o077

/** Creates the folder if it is missing, closed to other users of the machine. True if it was created. */
export function createPrivateFolder(folder: string): boolean {
  return mkdirSync(folder, { recursive: true, mode: ownerOnlyModes.folder }) !== undefined
}

/** Comes before SQLite, which would create the file readable by everybody. The -wal and -shm files copy its mode. */
export function createPrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', ownerOnlyModes.file))
}

/** The regular files in a folder; a link might lead to somebody else's file. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))

/**
 * Removes other users' access to these paths. Returns the paths that they may still access: Windows and some file
 * systems have no such modes, and only the owner of a file may change them.
 */
export function restrictToOwner(paths: string[], chmod: typeof chmodSync = chmodSync): string[] {
  return paths.filter((path) => existsSync(path) && !isRestricted(path, chmod))
}

function isRestricted(path: string, chmod: typeof chmodSync): boolean {
  const isExposed = () => (statSync(path).mode & othersMask) !== 0
  if (!isExposed()) return true
  try {
    chmod(path, statSync(path).isDirectory() ? ownerOnlyModes.folder : ownerOnlyModes.file)
    return !isExposed()
  } catch {
    return false
  }
}
