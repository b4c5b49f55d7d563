import { randomBytes } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { minuteMs } from '#contract/durations.ts'
import { databaseUnavailable, formatDuration, notFound, Refusal } from '../../core/errors.ts'
import type { ExportJob, ExportNews } from '../../core/export/job.ts'
import type { ExportService } from '../../ports/exports.ts'
import type { Log } from '../../ports/monitoring.ts'

type Done = Extract<ExportNews, { kind: 'done' }>
type Failed = Exclude<ExportNews, Done | { kind: 'begun' }>
type Watch = Parameters<ExportService['write']>[1]

/** A file takes room on the disk until it is sent. Without a limit, whoever reads slowly would fill the disk. */
const downloadLimitMs = 15 * minuteMs

/**
 * Each file is written in a thread of its own, at the speed of the disk: however slowly somebody downloads it, the
 * database is read no longer, and others have their turn. It has no name, so it is gone with whoever has it open.
 */
export function createExportWorkerClient(
  databaseUrl: string,
  log: Log,
  { limitMs = downloadLimitMs }: { limitMs?: number } = {},
): ExportService {
  const stop = new AbortController()
  let running: Promise<unknown> | undefined
  /** When the download of each restaurant's file ends at the latest. */
  const downloads = new Map<string, number>()

  function limitDownload(restaurantId: string, chunks: Readable): void {
    downloads.set(restaurantId, performance.now() + limitMs)
    const timer = setTimeout(() => {
      log.warn({ restaurantId }, 'a download of everything took too long')
      chunks.destroy()
    }, limitMs).unref()
    const end = (): void => {
      chunks.off('end', end).off('close', end)
      clearTimeout(timer)
      downloads.delete(restaurantId)
    }
    chunks.on('end', end).on('close', end)
  }

  async function fillFile(job: Omit<ExportJob, 'databaseUrl' | 'fd'>, { signal, begun }: Watch) {
    const file = await openUnnamedFile(log)
    try {
      const either = AbortSignal.any([signal, stop.signal])
      const { name, bytes } = await runThread(
        { ...job, databaseUrl, fd: file.fd },
        { signal: either, begun },
        log,
      )
      // With its end, it knows at once that it has sent everything.
      const chunks = file.createReadStream({ start: 0, end: bytes - 1 })
      limitDownload(job.restaurantId, chunks)
      return { name, bytes, chunks }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  return {
    async write(job, watch) {
      stop.signal.throwIfAborted()
      const until = downloads.get(job.restaurantId)
      if (until !== undefined) throw stillDownloading(until - performance.now())
      if (running) throw busy()
      const filled = fillFile(job, watch)
      running = filled.catch(() => {})
      try {
        return await filled
      } finally {
        running = undefined
      }
    },
    async close() {
      stop.abort(new Refusal('unavailable', 'The server is restarting'))
      await running
    },
  }
}

/** In the system's temporary folder; where nobody may write there, as in a container, in the working directory. */
async function openUnnamedFile(log: Log): Promise<FileHandle> {
  const name = `.tableside-export-${randomBytes(8).toString('hex')}`
  let problem: unknown
  for (const path of [join(tmpdir(), name), name]) {
    try {
      const file = await open(path, 'wx+', 0o600)
      await unlink(path)
      return file
    } catch (error) {
      problem = error
    }
  }
  throw noRoom(problem, log)
}

async function runThread(job: ExportJob, { signal, begun }: Watch, log: Log): Promise<Done> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('../../export-worker.ts', import.meta.url), {
    workerData: job,
    execArgv: [],
  })
  try {
    return await new Promise<Done>((resolve, reject) => {
      let counted = Promise.resolve()
      let isWritten = false
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.on('error', (cause) => reject(new Error('The export thread failed', { cause })))
      worker.on('exit', () => {
        if (!isWritten) reject(new Error('The export thread ended'))
      })
      worker.on('message', (news: ExportNews) => {
        if (news.kind === 'begun') {
          counted = begun()
          counted.catch(reject)
        } else if (news.kind === 'done') {
          isWritten = true
          counted.then(() => resolve(news), reject)
        } else reject(toError(news, log))
      })
    })
  } finally {
    // Before that its file must not be closed: the same number could then be another file's.
    await worker.terminate()
  }
}

const roomCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function toError(news: Failed, log: Log): Error {
  switch (news.kind) {
    case 'busy':
      return busy()
    case 'unknown':
      return notFound('Restaurant')
    case 'refused':
      return new Refusal(news.code, news.message)
    case 'failed': {
      const error = new Error(`The export thread failed: ${news.error}`)
      if (roomCodes.has(news.code)) return noRoom(error, log)
      return news.outage ? databaseUnavailable(error) : error
    }
  }
}

function noRoom(error: unknown, log: Log): Refusal {
  log.error({ error }, 'no room for the file of a restaurant')
  return new Refusal(
    'unavailable',
    'The server has no room for this file right now. Please tell whoever runs it.',
  )
}

function stillDownloading(ms: number): Refusal {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return new Refusal(
    'rate_limited',
    `Everything is being downloaded already. Please wait until that is done, or try again in ${formatDuration(seconds * 1000)}.`,
    { retryAfter: seconds, params: { seconds } },
  )
}

/** A file takes seconds. */
function busy(): Refusal {
  const seconds = 10
  return new Refusal(
    'rate_limited',
    `Somebody is downloading everything right now. Please try again in ${formatDuration(seconds * 1000)}.`,
    { retryAfter: seconds, params: { seconds } },
  )
}
