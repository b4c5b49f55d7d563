import type { Bus, Log, Signal } from '../../core/ports.ts'
import { type Connection, openReconnectingConnection, withTimeout } from './reconnecting-connection.ts'
import { createDispatcher } from './dispatcher.ts'

type Sender = Connection & {
  /** Sends in this order; resolves when the server has them. */
  send: (texts: string[]) => Promise<unknown>
}

/** A server that passes texts on to every node, this one included. */
type Broker = {
  name: string
  openReceiver: (receive: (text: string) => void, lost: (reason: unknown) => void) => Promise<Connection>
  openSender: (lost: (reason: unknown) => void) => Promise<Sender>
  /** In bytes: a text must be shorter. */
  limit: number
}

/** To every node: signals may have been lost. */
type Gap = { kind: 'gap' }

const maxBatch = 500
const maxQueued = 10_000
const sendTimeoutMs = 5000
const pingTimeoutMs = 2000

/**
 * A bus by way of a server. While that is away a node still hears itself, and remembers no signal for the
 * others: once it is back it tells them all to look.
 */
export async function createBrokerBus(transport: Broker, log: Log): Promise<Bus> {
  const { name, limit } = transport
  const { subscribe, onGap, dispatch: tell, dispatchGap: tellOfGap, clear: leave } = createDispatcher(log)
  const queue: Signal[] = []
  let hasGap = false
  let sending: Promise<void> | undefined
  let closed = false

  function receive(text: string): void {
    if (closed) return
    try {
      const signal: Signal | Gap = JSON.parse(text)
      if (signal.kind === 'gap') tellOfGap()
      else tell(signal)
    } catch (error) {
      log.error({ error }, `not a signal, from ${name}`)
    }
  }

  function dropQueue(): void {
    queue.length = 0
    hasGap = true
  }

  /** All that is published while one statement is under way goes together in the next. */
  async function flush(): Promise<void> {
    // So does what is published in the same turn.
    await Promise.resolve()
    try {
      for (;;) {
        const connection = sender.current()
        if (!connection || (queue.length === 0 && !hasGap)) return
        const texts = queue.splice(0, maxBatch).flatMap((signal) => encode(signal, limit))
        if (hasGap) texts.unshift(JSON.stringify({ kind: 'gap' } satisfies Gap))
        hasGap = false
        await withTimeout(sendTimeoutMs, connection.send(texts))
      }
    } catch (error) {
      dropQueue()
      sender.reconnect(error)
    } finally {
      sending = undefined
    }
  }

  function startFlush(): void {
    sending ??= flush()
  }

  const [receiver, sender] = await Promise.all([
    openReconnectingConnection({
      name: `receiving from ${name}`,
      log,
      connect: (onLost) => transport.openReceiver(receive, onLost),
      onConnected: (again) => {
        if (again) tellOfGap()
      },
    }),
    openReconnectingConnection({
      name: `sending to ${name}`,
      log,
      connect: transport.openSender,
      onConnected: () => {
        if (hasGap) startFlush()
      },
    }),
  ])

  return {
    publish(signals) {
      if (closed || signals.length === 0) return
      if (!sender.current() || !receiver.current()) signals.forEach(tell)
      if (!sender.current()) return dropQueue()
      if (queue.length + signals.length > maxQueued) {
        log.warn({ signals: queue.length }, `${name} is too slow: signals are dropped`)
        dropQueue()
      }
      queue.push(...signals)
      startFlush()
    },
    subscribe,
    onGap,
    async ready() {
      const connections = [receiver.current(), sender.current()]
      const answers = connections.map(async (connection) => {
        if (closed || !connection) throw new Error('not connected')
        await withTimeout(pingTimeoutMs, connection.ping())
      })
      return Promise.all(answers).then(
        () => true,
        () => false,
      )
    },
    async close() {
      if (closed) return
      closed = true
      leave()
      await sending
      await Promise.all([receiver.close(), sender.close()])
    },
  }
}

/** What is too large to be carried says only where to look, or goes in pieces. */
function encode(signal: Signal, limit: number): string[] {
  const text = JSON.stringify(signal)
  if (Buffer.byteLength(text) < limit) return [text]
  if (signal.kind === 'event') {
    return encode({ kind: 'missed', restaurantId: signal.event.topic.restaurantId }, limit)
  }
  if (signal.kind !== 'sessions-changed' || signal.sessionIds.length < 2) {
    throw new Error(`too large to be carried: ${signal.kind}`)
  }
  const { sessionIds } = signal
  const half = Math.ceil(sessionIds.length / 2)
  return [sessionIds.slice(0, half), sessionIds.slice(half)].flatMap((ids) =>
    encode({ ...signal, sessionIds: ids }, limit),
  )
}
