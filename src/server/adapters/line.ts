import { setTimeout } from 'node:timers/promises'
import type { Log } from '../core/ports.ts'

export type Connection = {
  ping: () => Promise<unknown>
  /** Never rejects, and waits for no answer longer than a second. */
  end: () => Promise<void>
}

/** A connection that is made again whenever it is lost. */
type Line<C extends Connection> = {
  connection: () => C | undefined
  /** Loses the connection on purpose: something is wrong with it. */
  giveUp: (reason: unknown) => void
  close: () => Promise<void>
}

const heartbeatMs = 10_000
const answerWithinMs = 5000
const longestPauseMs = 5000

type Options<C extends Connection> = {
  name: string
  log: Log
  open: (lost: (reason: unknown) => void) => Promise<C>
  /** `again` after any time without a connection. */
  onUp: (again: boolean) => void
}

/** Resolves after the first attempt, whether or not it succeeded. */
export async function keepLine<C extends Connection>(options: Options<C>): Promise<Line<C>> {
  const { name, log, open, onUp } = options
  const closing = new AbortController()
  const attempted = Promise.withResolvers<void>()
  let current: C | undefined
  let upAt = Number.POSITIVE_INFINITY
  let lose: (reason: unknown) => void = () => {}

  async function keep(): Promise<void> {
    for (let failures = 0, again = false; !closing.signal.aborted; again = true) {
      try {
        await holdOne(again)
      } catch (error) {
        // One that breaks as soon as it is used must not be tried again at full speed.
        failures = performance.now() - upAt > longestPauseMs ? 1 : failures + 1
        upAt = Number.POSITIVE_INFINITY
        // The 1st, 2nd, 4th, 8th …: hours without a server do not fill the log.
        if (!closing.signal.aborted && Number.isInteger(Math.log2(failures))) {
          log.warn({ error, failures }, `not ${name}`)
        }
      }
      attempted.resolve()
      const ms = Math.min(longestPauseMs, 20 * 2 ** failures) * (0.5 + Math.random() / 2)
      await setTimeout(ms, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  /** Throws the reason once the connection is lost, or could not be made. */
  async function holdOne(again: boolean): Promise<void> {
    const lost = Promise.withResolvers<never>()
    // It may be lost while it is still being opened, when nobody waits for this yet.
    lost.promise.catch(() => {})
    lose = lost.reject
    const connection = await open(lost.reject)
    const heartbeat = setInterval(() => {
      within(answerWithinMs, connection.ping()).catch(lost.reject)
    }, heartbeatMs)
    try {
      closing.signal.throwIfAborted()
      current = connection
      upAt = performance.now()
      if (again) log.info({}, `${name} is back`)
      onUp(again)
      attempted.resolve()
      await lost.promise
    } finally {
      clearInterval(heartbeat)
      current = undefined
      await connection.end()
    }
  }

  const kept = keep()
  await attempted.promise
  return {
    connection: () => current,
    giveUp: (reason) => lose(reason),
    async close() {
      closing.abort()
      lose(new Error('closed'))
      await kept
    },
  }
}

/** Rejects when `answer` takes longer. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const enough = new AbortController()
  const late = setTimeout(ms, undefined, { signal: enough.signal }).then(() => {
    throw new Error(`no answer within ${ms} ms`)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    enough.abort()
    late.catch(() => {})
  }
}
