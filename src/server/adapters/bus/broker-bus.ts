import type { Bus, Log, Signal } from '../../core/ports.ts'
import { type Connection, openReconnectingConnection, withTimeout } from './reconnecting-connection.ts'
import { createDispatcher } from './dispatcher.ts'

type Sender = Connection & {
  /** Keeps the order; resolves when the server has the texts. */
  send: (texts: string[]) => Promise<unknown>
}

/** A server that passes texts on to every node, including this one. */
type Broker = {
  name: string
  openReceiver: (receive: (text: string) => void, onLost: (reason: unknown) => void) => Promise<Connection>
  openSender: (onLost: (reason: unknown) => void) => Promise<Sender>
  /** In bytes; texts must be shorter. */
  limit: number
}

/** Tells every node that signals may have been lost. */
type Gap = { kind: 'gap' }

const maxBatch = 500
const maxQueued = 10_000
const sendTimeoutMs = 5000
const pingTimeoutMs = 2000

/**
 * A bus over a broker. While the broker is away a node still hears itself, but keeps no signals for the others: once the
 * broker is back, the node tells them all to check for missed events.
 */
export async function createBrokerBus(broker: Broker, log: Log): Promise<Bus> {
  const { name, limit } = broker
  const { subscribe, onGap, dispatch, dispatchGap, clear } = createDispatcher(log)
  const queue: Signal[] = []
  let hasGap = false
  let sending: Promise<void> | undefined
  let closed = false

  function receive(text: string): void {
    if (closed) return
    try {
      const signal: Signal | Gap = JSON.parse(text)
      if (signal.kind === 'gap') dispatchGap()
      else dispatch(signal)
    } catch (error) {
      log.error({ error }, `invalid signal from ${name}`)
    }
  }

  function dropQueue(): void {
    queue.length = 0
    hasGap = true
  }

  /** Everything published while one send is under way goes out together in the next. */
  async function flush(): Promise<void> {
    // Batches what is published in the same turn of the event loop.
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
      connect: (onLost) => broker.openReceiver(receive, onLost),
      onConnected: (again) => {
        if (again) dispatchGap()
      },
    }),
    openReconnectingConnection({
      name: `sending to ${name}`,
      log,
      connect: broker.openSender,
      onConnected: () => {
        if (hasGap) startFlush()
      },
    }),
  ])

  return {
    publish(signals) {
      if (closed || signals.length === 0) return
      if (!sender.current() || !receiver.current()) signals.forEach(dispatch)
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
      clear()
      await sending
      await Promise.all([receiver.close(), sender.close()])
    },
  }
}

/** A signal that is too large is split, or replaced by one that only says where to look. */
function encode(signal: Signal, limit: number): string[] {
  const text = JSON.stringify(signal)
  if (Buffer.byteLength(text) < limit) return [text]
  if (signal.kind === 'event') {
    return encode({ kind: 'missed', restaurantId: signal.event.topic.restaurantId }, limit)
  }
  if (signal.kind !== 'sessions-changed' || signal.sessionIds.length < 2) {
    throw new Error(`signal too large: ${signal.kind}`)
  }
  const { sessionIds } = signal
  const half = Math.ceil(sessionIds.length / 2)
  return [sessionIds.slice(0, half), sessionIds.slice(half)].flatMap((ids) =>
    encode({ ...signal, sessionIds: ids }, limit),
  )
}
