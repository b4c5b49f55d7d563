import { Worker } from 'node:worker_threads'
import { duration, outage, Refusal } from '../core/errors.ts'
import type { Analyst, Question } from '../core/ports.ts'
import type { Answer, Asked, Failure, Reply } from '../core/analyst.ts'
import { fairQueue } from './fair-queue.ts'

type Waiting = { resolve: (answer: Answer) => void; reject: (error: Error) => void }
type Thread = { worker: Worker; waiting: Map<number, Waiting> }

/**
 * A thread with a connection of its own, started with the first question. When it breaks, the next starts it anew.
 * Restaurants take turns at it: whoever asks for much waits for itself.
 */
export function workerAnalyst(databaseUrl: string): Analyst {
  let thread: Thread | undefined
  let questions = 0
  let closed = false

  function start(): Thread {
    const worker = new Worker(new URL('../analytics-worker.ts', import.meta.url), {
      workerData: databaseUrl,
      execArgv: [],
    })
    const waiting = new Map<number, Waiting>()
    const started = { worker, waiting }
    const end = (error: Error) => {
      if (thread === started) thread = undefined
      for (const one of waiting.values()) one.reject(error)
      waiting.clear()
    }
    worker.on('message', (reply: Reply) => {
      const one = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('answer' in reply) one?.resolve(reply.answer)
      else one?.reject(failureOf(reply))
    })
    worker.on('error', (error) => end(new Error('The analyst broke', { cause: error })))
    worker.on('exit', () => end(closed ? stopping() : new Error('The analyst ended')))
    worker.unref()
    return started
  }

  const inTurn = fairQueue({
    atOnce: 2,
    atOnceOfOne: 1,
    longest: 300,
    longestOfOne: 30,
    refusal: tooMany,
  })

  /** A file is asked for day by day; whoever got its beginning gets its end. */
  function ask(question: Question): Promise<Answer> {
    const begun = question.kind === 'events' && question.day !== question.range.from
    return inTurn({ of: question.subject.restaurantId }, () => answered(question), { begun })
  }

  function answered(question: Question): Promise<Answer> {
    if (closed) return Promise.reject(stopping())
    const { worker, waiting } = (thread ??= start())
    const asked: Asked = { id: ++questions, question }
    return new Promise((resolve, reject) => {
      waiting.set(asked.id, { resolve, reject })
      worker.postMessage(asked, [])
    })
  }

  return {
    async figures(question) {
      const answer = await ask(question)
      if (answer.kind !== 'figures') throw somethingElse()
      return answer.figures
    },
    async overview(question) {
      const answer = await ask(question)
      if (answer.kind !== 'overview') throw somethingElse()
      return answer.overview
    },
    async events(question) {
      const answer = await ask(question)
      if (answer.kind !== 'events') throw somethingElse()
      return answer.bytes
    },
    async close() {
      closed = true
      await thread?.worker.terminate()
    },
  }
}

function failureOf(failure: Failure): Error {
  const error = new Error(`The analyst failed: ${failure.error}`)
  return failure.outage ? outage(error) : error
}

/** `own`: it is this restaurant alone that asks for so much. */
function tooMany(retryAfter: number, full: 'own' | 'whole'): Refusal {
  const wait = duration(retryAfter * 1000)
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
const stopping = (): Refusal => new Refusal('unavailable', 'The server is restarting')

const somethingElse = (): Error => new Error('The analyst answered something else')
