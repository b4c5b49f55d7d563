import { closeSync, createReadStream, openSync, readSync, statSync, writeSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { BackupError } from './errors.ts'
import type { OnProgress } from './progress.ts'

/**
 * A backup of SQLite is an SQLite file, which any SQLite opens. Two fields of its header that belong to the application
 * say that it is ours and what its bytes add up to: SQLite's own check does not notice a changed letter.
 */
const header = { length: 100, magic: 'SQLite format 3\0', checksumAt: 60, idAt: 68 }
/** "TbSd" */
const applicationId = 0x54625364

const pagesPerStep = 2_000

/** Copies what the database holds at this moment, beside whoever reads and writes it. */
export async function copySqlite(
  path: string,
  target: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  using source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  // Without this, every write of the server would begin the copy anew.
  source.exec('begin; select count(*) from sqlite_master')
  await backup(source, target, {
    rate: pagesPerStep,
    progress({ totalPages, remainingPages }) {
      signal.throwIfAborted()
      onProgress(totalPages - remainingPages, totalPages)
    },
  })
  signal.throwIfAborted()
  await seal(target, signal)
}

async function seal(path: string, signal: AbortSignal): Promise<void> {
  {
    using copy = new DatabaseSync(path)
    // One file, without a log beside it.
    copy.exec(
      `pragma journal_mode = delete; pragma user_version = 0; pragma application_id = ${applicationId}`,
    )
  }
  writeField(path, header.checksumAt, await checksumOf(path, signal))
}

/** Makes the copy of a backup an ordinary database, which is about to change. */
export function removeSeal(path: string): void {
  writeField(path, header.checksumAt, 0)
  writeField(path, header.idAt, 0)
}

function writeField(path: string, offset: number, value: number): void {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  const file = openSync(path, 'r+')
  try {
    writeSync(file, bytes, 0, bytes.length, offset)
  } finally {
    closeSync(file)
  }
}

/** The checksum of the whole file, with zeros in the place of the checksum itself. */
async function checksumOf(path: string, signal?: AbortSignal): Promise<number> {
  let sum = 0
  let position = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20, ...(signal && { signal }) })) {
    const bytes: Buffer = chunk
    if (position === 0) bytes.fill(0, header.checksumAt, header.checksumAt + 4)
    sum = crc32(bytes, sum)
    position += bytes.length
  }
  return sum
}

/** Throws if the file is not what was written. False if another program wrote it, without a checksum. */
export async function checkSeal(path: string): Promise<boolean> {
  const head = Buffer.alloc(header.length)
  const file = openSync(path, 'r')
  try {
    readSync(file, head, 0, head.length, 0)
  } finally {
    closeSync(file)
  }
  const { size } = statSync(path)
  const pageSize = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16)
  const expected = pageSize * head.readUInt32BE(28)
  if (size < expected) throw new BackupError(`${path} is cut short: ${size} of ${expected} bytes are there.`)
  if (head.readUInt32BE(header.idAt) !== applicationId) return false
  if ((await checksumOf(path)) !== head.readUInt32BE(header.checksumAt))
    throw new BackupError(`${path} has changed since it was made: its checksum does not fit.`)
  return true
}
