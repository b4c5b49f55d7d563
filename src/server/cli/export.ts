import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { writeWholeFile } from '../backup/whole-file.ts'
import { readConfig } from '../config.ts'
import { exportRestaurant, type RestaurantExport } from '../core/export/restaurant-export.ts'
import { type ArchivedFile, archiveName, writeArchive } from '../export-archive.ts'
import { isPostgres, openReader } from '../storage/engine/database.ts'
import { requireDatabaseFile } from './operator.ts'
import { CommandError, type Outcome } from './output.ts'
import { createProgress } from './progress.ts'

/** Reads beside a running server, as it was at one moment. */
export async function exportOne(name: string, to?: string): Promise<Outcome> {
  const { databaseUrl, databaseDirectUrl } = readConfig()
  requireDatabaseFile(databaseUrl)
  const now = Date.now()
  await using db = openReader(databaseDirectUrl ?? databaseUrl)
  const { target, files } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (snapshot) => {
      const engine = isPostgres(databaseUrl) ? 'postgres' : 'sqlite'
      const found = await exportRestaurant(snapshot, engine, { name }, now)
      if (!found) throw new CommandError(`There is no restaurant "${name}"`)
      const file = resolve(to ?? archiveName(found, now))
      return { target: file, files: await writeFile(file, found, now) }
    })
  return {
    text: `${target}: ${files.length} files of ${name}, which manifest.json describes. It holds names and what guests wrote: keep it accordingly.`,
    json: { file: target, files },
  }
}

async function writeFile(target: string, found: RestaurantExport, now: number): Promise<ArchivedFile[]> {
  await using progress = createProgress('Exporting')
  const written: ArchivedFile[] = []
  await writeWholeFile(target, async (unfinished) => {
    await using file = await open(unfinished, 'r+')
    const write = async (bytes: Uint8Array, position: number) =>
      (await file.write(bytes, 0, bytes.byteLength, position)).bytesWritten
    const { files } = await writeArchive(found, now, write, progress.report)
    written.push(...files)
  })
  return written
}
