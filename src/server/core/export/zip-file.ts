import { crc32 } from 'node:zlib'
import { conflict } from '../errors.ts'

export type ZipEntry = { name: string; parts: AsyncIterable<Uint8Array> }

/** Writes at this position of the file, and returns how many bytes were written: fewer than given when the disk is full. */
export type WriteAt = (bytes: Uint8Array, position: number) => Promise<number>

/** Version 2.0, UTF-8 names, stored as they are, readable by their owner. */
const zip = { version: 20, utf8: 0x0800, stored: 0, attributes: 0o100600 * 2 ** 16, maxBytes: 2 ** 32 - 1 }

/** Fills an empty file, and returns its length. Only the directory at its end is held in memory. */
export async function writeZip(
  write: WriteAt,
  entries: AsyncIterable<ZipEntry>,
  modified: Date,
): Promise<number> {
  const directory: Buffer[] = []
  let position = 0
  const append = async (bytes: Uint8Array) => {
    await writeAll(write, bytes, position)
    position += bytes.byteLength
    if (position > zip.maxBytes) throw conflict('It is too large for an archive: more than 4 GB')
  }
  for await (const { name, parts } of entries) {
    const start = position
    const fileName = Buffer.from(name)
    await append(Buffer.concat([describe(modified, { sum: 0, size: 0, fileName }, 0x04034b50), fileName]))
    let [sum, size] = [0, 0]
    for await (const part of parts) {
      sum = crc32(part, sum)
      size += part.byteLength
      await append(part)
    }
    const known = { sum, size, fileName }
    await writeAll(write, describe(modified, known, 0x04034b50), start)
    directory.push(Buffer.concat([describe(modified, known, 0x02014b50, start), fileName]))
  }
  const start = position
  for (const entry of directory) await append(entry)
  await append(describeEnd(directory.length, position - start, start))
  return position
}

async function writeAll(write: WriteAt, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.byteLength;)
    written += await write(bytes.subarray(written), position + written)
}

type Known = { sum: number; size: number; fileName: Buffer }

/** The fields before the name of an entry or, with `start`, before its name in the directory. */
function describe(modified: Date, { sum, size, fileName }: Known, signature: number, start?: number): Buffer {
  const common = fields([
    [zip.version, 2],
    [zip.utf8, 2],
    [zip.stored, 2],
    [timeOf(modified), 2],
    [dateOf(modified), 2],
    [sum, 4],
    [size, 4],
    [size, 4],
    [fileName.length, 2],
    [0, 2],
  ])
  if (start === undefined) return Buffer.concat([fields([[signature, 4]]), common])
  const madeByUnix = zip.version + 3 * 256
  const place = fields([
    [0, 2],
    [0, 2],
    [0, 2],
    [zip.attributes, 4],
    [start, 4],
  ])
  return Buffer.concat([
    fields([
      [signature, 4],
      [madeByUnix, 2],
    ]),
    common,
    place,
  ])
}

const describeEnd = (count: number, size: number, start: number): Buffer =>
  fields([
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [size, 4],
    [start, 4],
    [0, 2],
  ])

function fields(values: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  return Buffer.concat(
    values.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes)
      field.writeUIntLE(value, 0, bytes)
      return field
    }),
  )
}

const timeOf = (at: Date): number =>
  at.getUTCHours() * 2 ** 11 + at.getUTCMinutes() * 2 ** 5 + Math.floor(at.getUTCSeconds() / 2)

const dateOf = (at: Date): number =>
  (at.getUTCFullYear() - 1980) * 2 ** 9 + (at.getUTCMonth() + 1) * 2 ** 5 + at.getUTCDate()
