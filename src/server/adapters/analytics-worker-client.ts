import { Worker } from 'node:worker_threads'
import { formatDuration, databaseUnavailable, Refusal } from '../core/errors.ts'
import type { AnalyticsService, AnalyticsQuery } from '../core/ports.ts'
import type { AnalyticsResult, WorkerRequest, WorkerFailure, WorkerReply } from '../core/analytics/queries.ts'
import { createFairQueue } from './fair-queue.ts'

type PendingAnswer = { resolve: (answer: AnalyticsResult) => void; reject: (error: Error) => void }
type Thread = { worker: Worker; pending: Map<number, PendingAnswer> }

/**
 * A thread with a connection of its own, started with the first question. When it breaks, the next starts it anew.
 * Restaurants take turns at it: whoever asks for much waits for itself.
 */
export function createAnalyticsWorkerClient(databaseUrl: string): AnalyticsService {
  let thread: Thread | undefined
  let lastQuestionId = 0
  let closed = false

  function startThread(): Thread {
    const worker = new Worker(new URL('../analytics-worker.ts', import.meta.url), {
      workerData: databaseUrl,
      execArgv: [],
    })
    const pending = new Map<number, PendingAnswer>()
    const started = { worker, pending }
    const end = (error: Error) => {
      if (thread === started) thread = undefined
      for (const one of pending.values()) one.reject(error)
      pending.clear()
    }
    worker.on('message', (reply: WorkerReply) => {
      const one = pending.get(reply.id)
      pending.delete(reply.id)
      if ('answer' in reply) one?.resolve(reply.answer)
      else one?.reject(toError(reply))
    })
    worker.on('error', (error) => end(new Error('The analyst broke', { cause: error })))
    worker.on('exit', () => end(closed ? serverStopping() : new Error('The analyst ended')))
    worker.unref()
    return started
  }

  const enqueue = createFairQueue({
    maxRunning: 2,
    maxRunningPerClient: 1,
    maxQueued: 300,
    maxQueuedPerClient: 30,
    createRefusal: queueFullRefusal,
  })

  /** A file is asked for day by day; whoever got its beginning gets its end. */
  function ask(question: AnalyticsQuery): Promise<AnalyticsResult> {
    const begun = question.kind === 'events' && question.day !== question.range.from
    return enqueue({ of: question.subject.restaurantId }, () => askThread(question), { begun })
  }

  function askThread(question: AnalyticsQuery): Promise<AnalyticsResult> {
    if (closed) return Promise.reject(serverStopping())
    const { worker, pending } = (thread ??= startThread())
    const asked: WorkerRequest = { id: ++lastQuestionId, question }
    return new Promise((resolve, reject) => {
      pending.set(asked.id, { resolve, reject })
      worker.postMessage(asked, [])
    })
  }

  return {
    async figures(question) {
      const answer = await ask(question)
      if (answer.kind !== 'figures') throw unexpectedAnswer()
      return answer.figures
    },
    async overview(question) {
      const answer = await ask(question)
      if (answer.kind !== 'overview') throw unexpectedAnswer()
      return answer.overview
    },
    async events(question) {
      const answer = await ask(question)
      if (answer.kind !== 'events') throw unexpectedAnswer()
      return answer.bytes
    },
    async close() {
      closed = true
      await thread?.worker.terminate()
    },
  }
}

function toError(failure: WorkerFailure): Error {
  const error = new Error(`The analyst failed: ${failure.error}`)
  return failure.outage ? databaseUnavailable(error) : error
}

/** `own`: it is this restaurant alone that asks for so much. */
function queueFullRefusal(retryAfter: number, full: 'own' | 'whole'): Refusal {
  const wait = formatDuration(retryAfter * 1000)
  return full === 'own'
    ? new Refusal(
        'rate_limited',
        `Many figures of your restaurant are being worked out already. Please try again in ${wait}.`,
        { retryAfter },
      )
    : new Refusal(
        'unavailable',
        `Many figures are being worked out right now. Please try again in ${wait}.`,
        {
          retryAfter,
        },
      )
}

/** Whoever asked while the server stops is told so; nothing is wrong. */
const serverStopping = (): Refusal => new Refusal('unavailable', 'The server is restarting')

const unexpectedAnswer = (): Error => new Error('The analyst answered something else')
