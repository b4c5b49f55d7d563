import { Worker } from 'node:worker_threads'
import { formatDuration, databaseUnavailable, Refusal } from '../core/errors.ts'
import type { AnalyticsService, AnalyticsQuery } from '../core/ports.ts'
import type { AnalyticsResult, WorkerRequest, WorkerFailure, WorkerReply } from '../core/analytics/queries.ts'
import { createFairQueue } from './fair-queue.ts'

type PendingAnswer = { resolve: (answer: AnalyticsResult) => void; reject: (error: Error) => void }
type Thread = { worker: Worker; pending: Map<number, PendingAnswer> }

/**
 * Queries run in a thread with its own database connection, started with the first query and again after a crash.
 * Restaurants take turns, so one with many queries waits for its own.
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
      for (const query of pending.values()) query.reject(error)
      pending.clear()
    }
    worker.on('message', (reply: WorkerReply) => {
      const query = pending.get(reply.id)
      pending.delete(reply.id)
      if ('answer' in reply) query?.resolve(reply.answer)
      else query?.reject(toError(reply))
    })
    worker.on('error', (error) => end(new Error('The analytics thread failed', { cause: error })))
    worker.on('exit', () => end(closed ? serverStopping() : new Error('The analytics thread ended')))
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

  /** A file is queried day by day. Once its beginning has been sent, the rest is never refused. */
  function ask(question: AnalyticsQuery): Promise<AnalyticsResult> {
    const begun = question.kind === 'events' && question.day !== question.range.from
    return enqueue({ of: question.subject.restaurantId }, () => askThread(question), { begun })
  }

  function askThread(question: AnalyticsQuery): Promise<AnalyticsResult> {
    if (closed) return Promise.reject(serverStopping())
    const { worker, pending } = (thread ??= startThread())
    const request: WorkerRequest = { id: ++lastQuestionId, question }
    return new Promise((resolve, reject) => {
      pending.set(request.id, { resolve, reject })
      worker.postMessage(request, [])
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
  const error = new Error(`The analytics thread failed: ${failure.error}`)
  return failure.outage ? databaseUnavailable(error) : error
}

/** `own`: only this restaurant's own queue is full. */
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

const serverStopping = (): Refusal => new Refusal('unavailable', 'The server is restarting')

const unexpectedAnswer = (): Error => new Error('The analytics thread gave an unexpected answer')
