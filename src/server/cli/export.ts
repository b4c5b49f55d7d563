import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { writeWholeFile } from '../backup/whole-file.ts'
import { readConfig } from '../config.ts'
import {
  type ExportedFile,
  exportRestaurant,
  type RestaurantExport,
} from '../core/export/restaurant-export.ts'
import { isPostgres, openReader } from '../storage/engine/database.ts'
import { requireDatabaseFile } from './operator.ts'
import { CommandError, type Outcome } from './output.ts'
import { createProgress } from './progress.ts'
import { writeZipFile, type ZipEntry } from './zip-file.ts'

type FileEntry = { name: string; about: string; bytes: number; sha256: string }

/** Reads beside a running server, as it was at one moment. */
export async function exportOne(name: string, to?: string): Promise<Outcome> {
  const { databaseUrl, databaseDirectUrl } = readConfig()
  requireDatabaseFile(databaseUrl)
  const now = Date.now()
  const entries: FileEntry[] = []
  await using db = openReader(databaseDirectUrl ?? databaseUrl)
  const file = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (snapshot) => {
      const engine = isPostgres(databaseUrl) ? 'postgres' : 'sqlite'
      const found = await exportRestaurant(snapshot, engine, name, now)
      if (!found) throw new CommandError(`There is no restaurant "${name}"`)
      const target = resolve(to ?? fileNameOf(found.restaurant.name, now))
      using progress = createProgress('Exporting')
      await writeWholeFile(target, (unfinished) =>
        writeZipFile(unfinished, toZipEntries(found, now, entries, progress.report), new Date(now)),
      )
      return target
    })
  return {
    text: `${file}: ${entries.length} files of ${name}, which manifest.json describes. It holds names and what guests wrote: keep it accordingly.`,
    json: { file, files: entries },
  }
}

async function* toZipEntries(
  { restaurant, retention, files, leftOut }: RestaurantExport,
  now: number,
  entries: FileEntry[],
  report: (done: number, total: number) => void,
): AsyncGenerator<ZipEntry> {
  for (const file of files) {
    yield { name: file.name, parts: measured(file, entries) }
    report(entries.length, files.length)
  }
  const manifest = {
    tableside: 'export',
    format: 1,
    exportedAt: new Date(now).toISOString(),
    restaurant,
    about:
      'Files ending in .jsonl hold one JSON object per line. Times are milliseconds since 1970 in UTC, days are local days of the restaurant, ids are text. What gives access (passwords, keys, tokens) is never exported. What was removed before the times in retention.removedBefore is in no file.',
    retention,
    files: entries,
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
  entries: FileEntry[],
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of parts) {
    const chunk = typeof part === 'string' ? Buffer.from(part) : part
    hash.update(chunk)
    bytes += chunk.byteLength
    yield chunk
  }
  entries.push({ name, about, bytes, sha256: hash.digest('hex') })
}

function fileNameOf(name: string, now: number): string {
  const plain = name.normalize('NFKD').replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/gu, '')
  return `${plain}-export-${time}.zip`
}
