import { Worker } from 'node:worker_threads'
import type {
  AnalyticsResult,
  WorkerRequest,
  WorkerFailure,
  WorkerReply,
} from '../../core/analytics/queries.ts'
import { formatDuration, databaseUnavailable, Refusal } from '../../core/errors.ts'
import type { AnalyticsService, AnalyticsQuery } from '../../ports/analytics.ts'
import { FairQueue } from './fair-queue.ts'

type PendingAnswer = { resolve: (answer: AnalyticsResult) => void; reject: (error: Error) => void }

/**
 * Queries run in a thread with its own database connection, started with the first query and again after a crash.
 * Restaurants take turns, so one with many queries waits for its own.
 */
export function createAnalyticsWorkerClient(databaseUrl: string, workers: number): AnalyticsService {
  let thread: QueryThread | undefined
  let closed = false
  const queue = new FairQueue({
    maxRunning: workers > 1 ? 1 : 2,
    maxRunningPerClient: 1,
    maxQueued: 300,
    maxQueuedPerClient: 30,
    createRefusal: queueFullRefusal,
  })

  function startThread(): QueryThread {
    const started = new QueryThread(databaseUrl, () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  /** A file is queried day by day. Once its beginning has been sent, the rest is never refused. */
  function ask(question: AnalyticsQuery): Promise<AnalyticsResult> {
    const begun = question.kind === 'events' && question.day !== question.range.from
    const askThread = async (): Promise<AnalyticsResult> => {
      if (closed) throw serverStopping()
      thread ??= startThread()
      return thread.ask(question)
    }
    return queue.add({ of: question.subject.restaurantId }, askThread, { begun })
  }

  return {
    ...answerEach(ask),
    async close() {
      closed = true
      await thread?.terminate()
    },
  }
}

/** Each kind of question with its own kind of answer. */
export const answerEach = (
  ask: (question: AnalyticsQuery) => Promise<AnalyticsResult>,
): Omit<AnalyticsService, 'close'> => ({
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
  async expectedTimes(question) {
    const answer = await ask(question)
    if (answer.kind !== 'expectedTimes') throw unexpectedAnswer()
    return answer.expectedTimes
  },
  async events(question) {
    const answer = await ask(question)
    if (answer.kind !== 'events') throw unexpectedAnswer()
    return answer.bytes
  },
})

class QueryThread {
  #worker: Worker
  #pending = new Map<number, PendingAnswer>()
  #lastId = 0
  #isStopping = false

  constructor(databaseUrl: string, onEnd: () => void) {
    const end = (error: Error): void => {
      onEnd()
      for (const { reject } of this.#pending.values()) reject(error)
      this.#pending.clear()
    }
    this.#worker = new Worker(new URL('../../analytics-worker.ts', import.meta.url), {
      workerData: databaseUrl,
      execArgv: [],
    })
    this.#worker.on('message', (reply: WorkerReply) => this.#settle(reply))
    this.#worker.on('error', (error) => end(new Error('The analytics thread failed', { cause: error })))
    this.#worker.on('exit', () =>
      end(this.#isStopping ? serverStopping() : new Error('The analytics thread ended')),
    )
    this.#worker.unref()
  }

  ask(question: AnalyticsQuery): Promise<AnalyticsResult> {
    const request: WorkerRequest = { id: ++this.#lastId, question }
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve, reject })
      this.#worker.postMessage(request, [])
    })
  }

  async terminate(): Promise<void> {
    this.#isStopping = true
    await this.#worker.terminate()
  }

  #settle(reply: WorkerReply): void {
    const query = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if ('answer' in reply) query?.resolve(reply.answer)
    else query?.reject(toError(reply))
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
        { retryAfter },
      )
}

const serverStopping = (): Refusal => new Refusal('unavailable', 'The server is restarting')

const unexpectedAnswer = (): Error => new Error('Analytics gave an unexpected answer')
