import { writeSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { Refusal } from './core/errors.ts'
import type { ExportJob, ExportNews } from './core/export/job.ts'
import { exportRestaurant } from './core/export/restaurant-export.ts'
import { archiveName, writeArchive } from './export-archive.ts'
import { isPostgres, openReader } from './storage/engine/database.ts'
import { isOutage } from './storage/engine/errors.ts'
import { lockExports } from './storage/export/exported-rows.ts'

/** Runs in a thread of its own for each file: reading a whole restaurant delays no guest. */
const port = parentPort
if (port === null) throw new Error('This file runs as a worker thread of the server')
if (process.platform === 'linux') letOthersPass()
report(await carryOut(workerData))

/** Elsewhere than on Linux it would concern the whole server. */
function letOthersPass(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // A sandbox may forbid it.
  }
}

async function carryOut({ databaseUrl, restaurantId, now, fd }: ExportJob): Promise<ExportNews> {
  try {
    await using db = openReader(databaseUrl)
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (snapshot) => {
        const engine = isPostgres(databaseUrl) ? 'postgres' : 'sqlite'
        if (engine === 'postgres' && !(await lockExports(snapshot))) return { kind: 'busy' }
        report({ kind: 'begun' })
        const found = await exportRestaurant(snapshot, engine, { id: restaurantId }, now)
        if (!found) return { kind: 'unknown' }
        const write = async (bytes: Uint8Array, position: number) =>
          writeSync(fd, bytes, 0, bytes.byteLength, position)
        const { bytes } = await writeArchive(found, now, write)
        return { kind: 'done', name: archiveName(found, now), bytes }
      })
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', code: error.code, message: error.message }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return { kind: 'failed', error: text, code, outage: isOutage(error) }
  }
}

function report(news: ExportNews): void {
  port?.postMessage(news)
}
