import type { Signal } from '../../ports/bus.ts'
import type { Log } from '../../ports/monitoring.ts'
import { type Connection, openReconnectingConnection, withTimeout } from './reconnecting-connection.ts'
import { cutIntoParts, type Part } from './signal-parts.ts'

type SenderConnection = Connection & {
  /** Keeps the order; resolves when the server has the texts. */
  send: (texts: string[]) => Promise<unknown>
}

/** A server that passes texts on to every node, including the one that sent them. */
export type Broker = {
  name: string
  openReceiver: (receive: (text: string) => void, onLost: (reason: unknown) => void) => Promise<Connection>
  openSender: (onLost: (reason: unknown) => void) => Promise<SenderConnection>
  /** In bytes; texts must be shorter. */
  limit: number
}

/** Tells the other nodes that signals may have been lost. */
type Gap = { kind: 'gap' }

/** Comes back to the node that sent it, which so learns how long signals take; the others ignore it. */
type Probe = { kind: 'probe'; sentAt: number }

/** Nodes of earlier versions send no `from`, and ignore it. */
export type Message = { from?: string } & (Signal | Gap | Probe | Part)

const toText = (from: string, signal: Signal | Gap | Probe | Part): string =>
  JSON.stringify({ from, ...signal } satisfies Message)

/** Looks only at how the text begins, because a node reads nothing that it sent itself. */
export const isFrom = (node: string, text: string): boolean => text.startsWith(`{"from":"${node}"`)

const probePattern = /^\{"from":"[\w-]+","kind":"probe","sentAt":([\d.]+)\}$/u

/** When this node sent it, by its own clock; null for anything but a probe. */
export function probeOf(text: string): number | null {
  const [, sentAt] = (text.length < maxProbeLength && probePattern.exec(text)) || []
  return sentAt === undefined ? null : Number(sentAt)
}

/** Anything longer is not a probe, and most signals are longer. */
const maxProbeLength = 100
const probeEveryMs = 1_000

const maxBatch = 500
const maxQueued = 10_000
const sendTimeoutMs = 5000

type SignalSender = {
  current: () => SenderConnection | undefined
  /** Sends a gap instead once the broker is back, if it is away or too slow. */
  send: (signals: readonly Signal[]) => void
  /** Sends a probe with what waits. */
  probe: () => void
  close: () => Promise<void>
}

/** Queues signals for the broker. Everything queued while one batch is being sent goes out together in the next. */
export async function openSignalSender(broker: Broker, node: string, log: Log): Promise<SignalSender> {
  const { name, limit } = broker
  const queue: Signal[] = []
  let hasGap = false
  let probedAt = Number.NEGATIVE_INFINITY
  let wantsProbe = false
  let sending: Promise<void> | undefined

  function dropQueue(): void {
    queue.length = 0
    hasGap = true
  }

  function takeBatch(): string[] {
    const texts = queue.splice(0, maxBatch).flatMap((signal) => encode(node, signal, limit))
    if (hasGap) texts.unshift(toText(node, { kind: 'gap' }))
    hasGap = false
    const now = performance.now()
    if (wantsProbe || now - probedAt >= probeEveryMs) {
      wantsProbe = false
      probedAt = now
      texts.push(toText(node, { kind: 'probe', sentAt: now }))
    }
    return texts
  }

  async function flush(): Promise<void> {
    // Batches what is published in the same turn of the event loop.
    await Promise.resolve()
    try {
      for (;;) {
        const current = connection.current()
        if (!current || (queue.length === 0 && !hasGap && !wantsProbe)) return
        await withTimeout(sendTimeoutMs, current.send(takeBatch()))
      }
    } catch (error) {
      dropQueue()
      connection.reconnect(error)
    } finally {
      sending = undefined
    }
  }

  function startFlush(): void {
    sending ??= flush()
  }

  const connection = await openReconnectingConnection({
    name: `sending to ${name}`,
    log,
    connect: broker.openSender,
    onConnected: () => {
      if (hasGap) startFlush()
    },
  })

  return {
    current: connection.current,
    send(signals) {
      if (!connection.current()) return dropQueue()
      if (queue.length + signals.length > maxQueued) {
        log.warn({ signals: queue.length }, `${name} is too slow: signals are dropped`)
        dropQueue()
      }
      queue.push(...signals)
      startFlush()
    },
    probe() {
      wantsProbe = true
      startFlush()
    },
    async close() {
      await sending
      await connection.close()
    },
  }
}

/**
 * A signal that is too large is split, or replaced by one that only says where to look: nodes of earlier versions know
 * no parts. Any other is sent in parts.
 */
function encode(node: string, signal: Signal, limit: number): string[] {
  const text = toText(node, signal)
  if (Buffer.byteLength(text) < limit) return [text]
  if (signal.kind === 'event')
    return encode(node, { kind: 'missed', restaurantId: signal.event.topic.restaurantId }, limit)
  if (signal.kind === 'sessions-changed' && signal.sessionIds.length > 1) {
    const { sessionIds } = signal
    const half = Math.ceil(sessionIds.length / 2)
    return [sessionIds.slice(0, half), sessionIds.slice(half)].flatMap((ids) =>
      encode(node, { ...signal, sessionIds: ids }, limit),
    )
  }
  return cutIntoParts(JSON.stringify(signal), limit).map((part) => toText(node, part))
}
