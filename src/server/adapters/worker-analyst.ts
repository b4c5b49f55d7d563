import { Worker } from 'node:worker_threads'
import { Figures, Overview } from '#contract/analytics.ts'
import { parse } from '#contract/parse.ts'
import type { Analyst, Question } from '../core/analyst.ts'

type Asked = { resolve(result: unknown): void; reject(error: Error): void }
type Thread = { worker: Worker; asked: Map<number, Asked> }

/** A thread with a connection of its own, started with the first question. When it breaks, the next one starts it anew. */
export function workerAnalyst(databaseUrl: string): Analyst {
  let thread: Thread | undefined
  let questions = 0
  let closed = false

  function start(): Thread {
    const worker = new Worker(new URL('../analytics-worker.ts', import.meta.url), {
      workerData: databaseUrl,
      execArgv: [],
    })
    const started: Thread = { worker, asked: new Map() }
    const end = (error: Error) => {
      if (thread === started) thread = undefined
      for (const { reject } of started.asked.values()) reject(error)
      started.asked.clear()
    }
    worker.on('message', (message: { id: number; result?: unknown; error?: string }) => {
      const one = started.asked.get(message.id)
      started.asked.delete(message.id)
      if (message.error === undefined) one?.resolve(message.result)
      else one?.reject(new Error(`The analyst failed: ${message.error}`))
    })
    worker.on('error', (error) => end(new Error('The analyst broke', { cause: error })))
    worker.on('exit', () => end(new Error('The analyst ended')))
    worker.unref()
    return started
  }

  function ask(question: Question): Promise<unknown> {
    if (closed) return Promise.reject(new Error('The analyst is closed'))
    thread ??= start()
    const { worker, asked } = thread
    const id = ++questions
    return new Promise((resolve, reject) => {
      asked.set(id, { resolve, reject })
      worker.postMessage({ id, question })
    })
  }

  return {
    figures: async (question) => known(parse(Figures, await ask(question))),
    overview: async (question) => known(parse(Overview, await ask(question))),
    async events(question) {
      const bytes = await ask(question)
      if (!(bytes instanceof Uint8Array)) throw new Error('The analyst answered something else')
      return bytes
    },
    async close() {
      closed = true
      await thread?.worker.terminate()
    },
  }
}

function known<T>(parsed: { ok: true; value: T } | { ok: false; message: string }): T {
  if (!parsed.ok) throw new Error(`The analyst answered something else: ${parsed.message}`)
  return parsed.value
}
