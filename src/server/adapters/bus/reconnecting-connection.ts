import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '#contract/backoff.ts'
import type { Log } from '../../ports/monitoring.ts'

export type Connection = {
  ping: () => Promise<unknown>
  /** Never rejects, and waits at most a second for an answer. */
  end: () => Promise<void>
}

/** A connection that reconnects whenever it is lost. */
type ReconnectingConnection<C extends Connection> = {
  current: () => C | undefined
  /** Drops the present connection because something is wrong with it. */
  reconnect: (reason: unknown) => void
  close: () => Promise<void>
}

const heartbeatMs = 10_000
const pingTimeoutMs = 5000
/** Screens miss events until it is back, so it is tried often. */
const retryDelay = { firstMs: 20, growth: 2, maxMs: 1000 }
const stableAfterMs = 5000

type Options<C extends Connection> = {
  name: string
  log: Log
  connect: (lost: (reason: unknown) => void) => Promise<C>
  /** `again` after a time without a connection. */
  onConnected: (again: boolean) => void
}

/** Resolves after the first attempt, whether or not it succeeded. */
export async function openReconnectingConnection<C extends Connection>(
  options: Options<C>,
): Promise<ReconnectingConnection<C>> {
  const { name, log, connect, onConnected } = options
  const closing = new AbortController()
  const firstAttempt = Promise.withResolvers<void>()
  let current: C | undefined
  let connectedAt = Number.POSITIVE_INFINITY
  let loseConnection: (reason: unknown) => void = () => {}

  async function reconnectForever(): Promise<void> {
    for (let failures = 0, again = false; !closing.signal.aborted; again = true) {
      try {
        await connectOnce(again)
      } catch (error) {
        // A connection that breaks as soon as it is used must not be retried at full speed.
        failures = performance.now() - connectedAt > stableAfterMs ? 1 : failures + 1
        connectedAt = Number.POSITIVE_INFINITY
        // The 1st, 2nd, 4th, 8th …: hours without a server do not fill the log.
        if (!closing.signal.aborted && Number.isInteger(Math.log2(failures))) {
          log.warn({ error, failures }, `not ${name}`)
        }
      }
      firstAttempt.resolve()
      await delay(backoffMs(failures, retryDelay), undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  /** Throws the reason when the connection cannot be opened or is lost. */
  async function connectOnce(again: boolean): Promise<void> {
    const lost = Promise.withResolvers<never>()
    // It may be lost while it is being opened, before anything awaits this promise.
    lost.promise.catch(() => {})
    loseConnection = lost.reject
    const connection = await connect(lost.reject)
    const heartbeat = setInterval(() => {
      withTimeout(pingTimeoutMs, connection.ping()).catch(lost.reject)
    }, heartbeatMs)
    try {
      closing.signal.throwIfAborted()
      current = connection
      connectedAt = performance.now()
      if (again) log.info({}, `${name} is back`)
      onConnected(again)
      firstAttempt.resolve()
      await lost.promise
    } finally {
      clearInterval(heartbeat)
      current = undefined
      await connection.end()
    }
  }

  const loop = reconnectForever()
  await firstAttempt.promise
  return {
    current: () => current,
    reconnect: (reason) => loseConnection(reason),
    async close() {
      closing.abort()
      loseConnection(new Error('closed'))
      await loop
    },
  }
}

/** Rejects when `answer` takes longer. */
export async function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([answer, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
