import { randomUUID } from 'node:crypto'
import type { Bus } from '../../ports/bus.ts'
import type { Log, Metrics } from '../../ports/monitoring.ts'
import { createDispatcher } from './dispatcher.ts'
import { openReconnectingConnection, withTimeout } from './reconnecting-connection.ts'
import { createAssembler } from './signal-parts.ts'
import { type Broker, isFrom, type Message, openSignalSender, probeOf } from './signal-sender.ts'

const probeTimeoutMs = 2000

export type BusMetrics = Pick<Metrics, 'busAnswered' | 'retried'>

/** A bus over a broker. A node hears itself at once and without the broker, which serves the other nodes. */
export async function createBrokerBus(broker: Broker, log: Log, metrics: BusMetrics): Promise<Bus> {
  const { name } = broker
  const { subscribe, onGap, dispatch, dispatchGap, clear } = createDispatcher(log)
  const node = randomUUID()
  const assemble = createAssembler()
  let closed = false
  let probeHeard = Promise.withResolvers<void>()

  function receive(text: string): void {
    if (closed) return
    if (isFrom(node, text)) {
      const sentAt = probeOf(text)
      if (sentAt === null) return
      metrics.busAnswered((performance.now() - sentAt) / 1000)
      probeHeard.resolve()
      probeHeard = Promise.withResolvers()
      return
    }
    try {
      const { from = '', ...signal }: Message = JSON.parse(text)
      if (signal.kind === 'gap') dispatchGap()
      else if (signal.kind === 'part') {
        const whole = assemble(from, signal)
        if (whole !== null) dispatch(JSON.parse(whole))
      } else if (signal.kind !== 'probe') dispatch(signal)
    } catch (error) {
      log.error({ error }, `invalid signal from ${name}`)
    }
  }

  const [receiver, sender] = await Promise.all([
    openReconnectingConnection({
      name: `receiving from ${name}`,
      log,
      connect: (onLost) => broker.openReceiver(receive, onLost),
      onConnected: (again) => {
        if (!again) return
        metrics.retried('bus')
        dispatchGap()
      },
    }),
    openSignalSender(broker, node, log),
  ])

  return {
    publish(signals) {
      if (closed || signals.length === 0) return
      // First, so that what listeners publish in response follows it on the other nodes too.
      sender.send(signals)
      signals.forEach(dispatch)
    },
    subscribe,
    onGap,
    /** Both connections may answer where nothing is heard, as behind a pooler that passes no notifications on. */
    async ready() {
      if (closed || !receiver.current() || !sender.current()) return false
      const heard = withTimeout(probeTimeoutMs, probeHeard.promise)
      sender.probe()
      return heard.then(
        () => true,
        () => false,
      )
    },
    async close() {
      if (closed) return
      closed = true
      clear()
      await Promise.all([receiver.close(), sender.close()])
    },
  }
}
