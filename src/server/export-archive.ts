import { createHash } from 'node:crypto'
import type { ExportedFile, RestaurantExport } from './core/export/restaurant-export.ts'
import { type WriteAt, writeZip, type ZipEntry } from './core/export/zip-file.ts'

export type ArchivedFile = { name: string; about: string; bytes: number; sha256: string }

type Progress = (done: number, total: number) => void

/** Writes a ZIP of everything, whose manifest says what each file is. */
export async function writeArchive(
  found: RestaurantExport,
  now: number,
  write: WriteAt,
  report: Progress = () => {},
): Promise<{ bytes: number; files: ArchivedFile[] }> {
  const files: ArchivedFile[] = []
  const bytes = await writeZip(write, toZipEntries(found, now, files, report), new Date(now))
  return { bytes, files }
}

/** A file name may have 255 bytes, and while it is being written it is longer than this one by 43. */
const longestNameBytes = 120

/** Never begins with a dash: the programs that unpack it would take it for an option. */
export function archiveName(
  { restaurant }: { restaurant: Pick<RestaurantExport['restaurant'], 'name'> },
  now: number,
): string {
  const words = restaurant.name.normalize().match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? ['restaurant']
  const bytes = Buffer.from(words.join('-')).subarray(0, longestNameBytes)
  // A letter that was cut in half is left out, and so is a dash at the cut.
  const plain = new TextDecoder().decode(bytes, { stream: true }).replace(/-$/u, '')
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/gu, '')
  return `${plain}-export-${time}.zip`
}

async function* toZipEntries(
  { restaurant, retention, files, leftOut }: RestaurantExport,
  now: number,
  archived: ArchivedFile[],
  report: Progress,
): AsyncGenerator<ZipEntry> {
  for (const file of files) {
    yield { name: file.name, parts: measured(file, archived) }
    report(archived.length, files.length)
  }
  const manifest = {
    tableside: 'export',
    format: 1,
    exportedAt: new Date(now).toISOString(),
    restaurant,
    about:
      'Files ending in .jsonl hold one JSON object per line. Times are milliseconds since 1970 in UTC, days are local days of the restaurant, ids are text. What gives access (passwords, keys, tokens) is never exported. What was removed before the times in retention.removedBefore is in no file.',
    retention,
    files: archived,
    leftOut,
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield {
    name: 'manifest.json',
    parts: (async function* () {
      yield text
    })(),
  }
}

/** Adds the file to the manifest once it has been read. */
async function* measured(
  { name, about, parts }: ExportedFile,
  archived: ArchivedFile[],
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of parts) {
    const chunk = typeof part === 'string' ? Buffer.from(part) : part
    hash.update(chunk)
    bytes += chunk.byteLength
    yield chunk
  }
  archived.push({ name, about, bytes, sha256: hash.digest('hex') })
}
