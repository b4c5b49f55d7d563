import type { Bus, Log, Signal } from '../core/ports.ts'
import { type Connection, keepLine, within } from './line.ts'
import { listeners } from './listeners.ts'

type Sender = Connection & {
  /** Sends in this order; resolves when the server has them. */
  send: (texts: string[]) => Promise<unknown>
}

/** A server that passes texts on to every node, this one included. */
type Transport = {
  name: string
  receiver: (receive: (text: string) => void, lost: (reason: unknown) => void) => Promise<Connection>
  sender: (lost: (reason: unknown) => void) => Promise<Sender>
  /** In bytes: a text must be shorter. */
  limit: number
}

/** To every node: signals may have been lost. */
type Gap = { kind: 'gap' }

const mostInOneGo = 500
const longestQueue = 10_000
const sentWithinMs = 5000
const answerWithinMs = 2000

/**
 * A bus by way of a server. While that is away a node still hears itself, and remembers no signal for the
 * others: once it is back it tells them all to look.
 */
export async function relay(transport: Transport, log: Log): Promise<Bus> {
  const { name, limit } = transport
  const { subscribe, onGap, tell, tellOfGap, leave } = listeners(log)
  const queue: Signal[] = []
  let lost = false
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

  function lose(): void {
    queue.length = 0
    lost = true
  }

  /** All that is published while one statement is under way goes together in the next. */
  async function send(): Promise<void> {
    // So does what is published in the same turn.
    await Promise.resolve()
    try {
      for (;;) {
        const connection = sender.connection()
        if (!connection || (queue.length === 0 && !lost)) return
        const texts = queue.splice(0, mostInOneGo).flatMap((signal) => encode(signal, limit))
        if (lost) texts.unshift(JSON.stringify({ kind: 'gap' } satisfies Gap))
        lost = false
        await within(sentWithinMs, connection.send(texts))
      }
    } catch (error) {
      lose()
      sender.giveUp(error)
    } finally {
      sending = undefined
    }
  }

  function startSending(): void {
    sending ??= send()
  }

  const [receiver, sender] = await Promise.all([
    keepLine({
      name: `receiving from ${name}`,
      log,
      open: (onLost) => transport.receiver(receive, onLost),
      onUp: (again) => {
        if (again) tellOfGap()
      },
    }),
    keepLine({
      name: `sending to ${name}`,
      log,
      open: transport.sender,
      onUp: () => {
        if (lost) startSending()
      },
    }),
  ])

  return {
    publish(signals) {
      if (closed || signals.length === 0) return
      if (!sender.connection() || !receiver.connection()) signals.forEach(tell)
      if (!sender.connection()) return lose()
      if (queue.length + signals.length > longestQueue) {
        log.warn({ signals: queue.length }, `${name} is too slow: signals are dropped`)
        lose()
      }
      queue.push(...signals)
      startSending()
    },
    subscribe,
    onGap,
    async ready() {
      const connections = [receiver.connection(), sender.connection()]
      const answers = connections.map(async (connection) => {
        if (closed || !connection) throw new Error('not connected')
        await within(answerWithinMs, connection.ping())
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
