import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { BackupError, describeWriteError } from './errors.ts'

/** What ends with its process. */
const unfinishedFiles = new Set<string>()
const removeUnfinished = (): void => unfinishedFiles.forEach(removeFile)

/** SQLite keeps a journal beside what it writes. */
function removeFile(path: string): void {
  for (const file of [path, `${path}-journal`]) rmSync(file, { force: true })
}

/**
 * Writes a file that only this user can read and that is there only once it is whole and on the disk. Nothing is ever
 * overwritten, and no link is followed: `write` gets the path of a new file beside it.
 */
export async function writeWholeFile(
  target: string,
  write: (unfinished: string) => Promise<void>,
): Promise<void> {
  const path = resolve(target)
  const unfinished = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.part`)
  try {
    requireAbsent(path)
    createFile(unfinished)
    if (unfinishedFiles.size === 0) process.on('exit', removeUnfinished)
    unfinishedFiles.add(unfinished)
    await write(unfinished)
    sync(unfinished)
    reserve(path)
    renameSync(unfinished, path)
    sync(dirname(path))
  } catch (error) {
    throw describeWriteError(path, error)
  } finally {
    if (unfinishedFiles.delete(unfinished)) removeFile(unfinished)
    if (unfinishedFiles.size === 0) process.off('exit', removeUnfinished)
  }
}

export function requireAbsent(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw new BackupError(`${path} exists already. Nothing is ever overwritten: please name another file.`)
}

/** Fails where anything has this name, also a link that leads nowhere. */
const createFile = (path: string): void => closeSync(openSync(path, 'wx', 0o600))

/** When two write the same file at the same time, one finds it taken. */
function reserve(path: string): void {
  try {
    createFile(path)
  } catch (error) {
    requireAbsent(path)
    throw error
  }
}

function sync(path: string): void {
  // Windows cannot open a folder.
  if (process.platform === 'win32') return
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const mebibyte = 2 ** 20
/** Where a database shares the disk, requests must still find room beside a backup. */
const reservedBytes = 100 * mebibyte
const roomIntervalMs = 200

/** Throws if a file of so many bytes has no room in a folder. `short` is aborted when the room runs out meanwhile. */
export async function watchRoom(folder: string, bytes: number): Promise<Disposable & { short: AbortSignal }> {
  await requireRoom(folder, bytes)
  const shortage = new AbortController()
  // A disk that does not answer, such as one in the network, holds up nothing else, and is not asked again meanwhile.
  let isAsked = false
  const timer = setInterval(() => {
    if (isAsked) return
    isAsked = true
    requireRoom(folder, 0)
      .catch((error: unknown) => shortage.abort(error))
      .finally(() => {
        isAsked = false
      })
  }, roomIntervalMs)
  return { short: shortage.signal, [Symbol.dispose]: () => clearInterval(timer) }
}

async function requireRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize, blocks } = await statfs(folder)
  const free = bavail * bsize
  // Some file systems do not say it.
  if (blocks === 0 || free >= bytes + reservedBytes) return
  const inMegabytes = (count: number) => `${Math.floor(count / mebibyte)} MB`
  const needed = bytes === 0 ? '' : `takes ${inMegabytes(bytes)} and `
  throw new BackupError(
    `There is no room for the backup in ${folder}: it ${needed}must leave ${inMegabytes(reservedBytes)}, and ${inMegabytes(free)} are free. Nothing was kept.`,
  )
}
