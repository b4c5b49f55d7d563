import { parentPort, workerData } from 'node:worker_threads'
import { answer, type Asked, type Reply } from './core/analyst.ts'
import { openReader } from './storage/database.ts'
import { isOutage } from './storage/outages.ts'

/** A thread of its own: whatever takes long here holds up no guest. */
const port = parentPort
if (port === null) throw new Error('The analyst works in a thread of the server')
const db = openReader(String(workerData))

port.on('message', (asked: Asked) => void reply(asked))

async function reply({ id, question }: Asked): Promise<void> {
  try {
    const given = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((moment) => answer(moment, question))
    tell({ id, answer: given }, given.kind === 'events' ? [given.bytes.buffer] : [])
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    tell({ id, error: text, outage: isOutage(error) })
  }
}

function tell(reply: Reply, handOver: ArrayBuffer[] = []): void {
  port?.postMessage(reply, handOver)
}
