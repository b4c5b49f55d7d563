import { parentPort, workerData } from 'node:worker_threads'
import { runInSnapshot, type WorkerRequest, type WorkerReply } from './core/analytics/queries.ts'
import { openReader } from './storage/engine/database.ts'
import { isOutage } from './storage/engine/errors.ts'

/** Runs in its own thread, so that long queries delay no guest. */
const port = parentPort
if (port === null) throw new Error('This file runs as a worker thread of the server')
const db = openReader(String(workerData))

port.on('message', (request: WorkerRequest) => void answer(request))

async function answer({ id, question }: WorkerRequest): Promise<void> {
  try {
    const result = await runInSnapshot(db, question)
    postReply({ id, answer: result }, result.kind === 'events' ? [result.bytes.buffer] : [])
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    postReply({ id, error: text, outage: isOutage(error) })
  }
}

function postReply(reply: WorkerReply, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(reply, transfer)
}
