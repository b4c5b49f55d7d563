import { parentPort, workerData } from 'node:worker_threads'
import { answer, type Question } from './core/analyst.ts'
import { openReader } from './storage/database.ts'

/** A thread of its own: whatever takes long here holds up no guest. */
const port = parentPort
if (port === null) throw new Error('The analyst works in a thread of the server')
const db = openReader(String(workerData))

port.on('message', ({ id, question }: { id: number; question: Question }) => {
  void reply(id, question)
})

async function reply(id: number, question: Question): Promise<void> {
  try {
    const result = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((moment) => answer(moment, question))
    port?.postMessage({ id, result }, result instanceof Uint8Array ? [result.buffer] : [])
  } catch (error) {
    port?.postMessage({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}
