import { accessSync, constants, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { toFilePath } from '../storage/engine/sqlite/sqlite.ts'
import { type Check, ok, problem, reasonOf, warning } from './check.ts'

const mebibyte = 2 ** 20
/** Below the first nothing can be stored soon, below the second it is time to make room. */
const roomLimits = { problem: 100 * mebibyte, warning: 1024 * mebibyte }
const clockToleranceMs = 2_000

/** The machine and the folder of an SQLite database. */
export async function checkHost({ databaseUrl }: Config): Promise<Check[]> {
  const runtime = ok('node', `Node ${process.versions.node}`)
  if (!databaseUrl.startsWith('file:')) return [runtime]
  const path = resolve(toFilePath(databaseUrl))
  const folder = dirname(path)
  if (!isThere(folder))
    return [runtime, ...checkWritable(nearestFolder(folder)), await checkRoom(nearestFolder(folder))]
  return [
    runtime,
    ...checkPermissions(folder, path),
    ...checkWritable(folder, path),
    await checkRoom(folder),
    ...checkFileTimes(path),
  ]
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

const nearestFolder = (folder: string): string => (isThere(folder) ? folder : nearestFolder(dirname(folder)))

const databaseFiles = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`]

/** In a folder that only its owner may enter, the modes of the files do not matter. */
function checkPermissions(folder: string, path: string): Check[] {
  if (process.platform === 'win32') return []
  const isOpen = (file: string) => (statSync(file).mode & 0o077) !== 0
  const exposed = isOpen(folder) ? databaseFiles(path).filter(isThere).filter(isOpen) : []
  if (exposed.length === 0) return [ok('data folder', `Only its owner can read the data in ${folder}`)]
  return [
    problem(
      'data folder',
      `Other users of this machine may read the data. Please run: chmod go= ${exposed.join(' ')}`,
    ),
  ]
}

function checkWritable(folder: string, path?: string): Check[] {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    for (const file of path === undefined ? [] : databaseFiles(path).filter(isThere))
      accessSync(file, constants.R_OK | constants.W_OK)
    return []
  } catch (error) {
    return [problem('data folder', `This user cannot write there: ${reasonOf(error)}`)]
  }
}

async function checkRoom(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const text = `${describeBytes(free)} are free on the disk of ${folder}`
  if (free < roomLimits.problem)
    return problem('disk', `Only ${text}. Please make room: soon no request can be stored`)
  return free < roomLimits.warning ? warning('disk', `Only ${text}`) : ok('disk', text)
}

/** Data from the future means that the clock was set back since. */
function checkFileTimes(path: string): Check[] {
  const latest = Math.max(
    ...databaseFiles(path)
      .filter(isThere)
      .map((file) => statSync(file).mtimeMs),
  )
  const ahead = Math.round((latest - Date.now()) / 1000)
  if (ahead * 1000 <= clockToleranceMs) return [ok('clock', `It is ${new Date().toISOString()} in UTC`)]
  return [problem('clock', `It is ${ahead} s behind the last change of the database. Please set it by NTP`)]
}

export function describeBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const amount = bytes / 1000 ** step
  return `${amount >= 100 || step === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`
}
