import { parentPort, workerData } from 'node:worker_threads'
import { runQuery, type WorkerRequest, type WorkerReply } from './core/analytics/queries.ts'
import { openReader } from './storage/engine/database.ts'
import { isOutage } from './storage/engine/errors.ts'

/** A thread of its own: whatever takes long here holds up no guest. */
const port = parentPort
if (port === null) throw new Error('The analyst works in a thread of the server')
const db = openReader(String(workerData))

port.on('message', (asked: WorkerRequest) => void answerQuestion(asked))

async function answerQuestion({ id, question }: WorkerRequest): Promise<void> {
  try {
    const given = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((moment) => runQuery(moment, question))
    postReply({ id, answer: given }, given.kind === 'events' ? [given.bytes.buffer] : [])
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    postReply({ id, error: text, outage: isOutage(error) })
  }
}

function postReply(reply: WorkerReply, handOver: ArrayBuffer[] = []): void {
  port?.postMessage(reply, handOver)
}
