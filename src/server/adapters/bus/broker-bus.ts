import type { Bus, Log, Signal } from '../../core/ports.ts'
import { openReconnectingConnection, withTimeout } from './reconnecting-connection.ts'
import { createDispatcher } from './dispatcher.ts'
import { type Broker, type Gap, openSignalSender } from './signal-sender.ts'

const pingTimeoutMs = 2000

/**
 * A bus over a broker. While the broker is away a node still hears itself, but keeps no signals for the others: once the
 * broker is back, the node tells them all to check for missed events.
 */
export async function createBrokerBus(broker: Broker, log: Log): Promise<Bus> {
  const { name } = broker
  const { subscribe, onGap, dispatch, dispatchGap, clear } = createDispatcher(log)
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

  const [receiver, sender] = await Promise.all([
    openReconnectingConnection({
      name: `receiving from ${name}`,
      log,
      connect: (onLost) => broker.openReceiver(receive, onLost),
      onConnected: (again) => {
        if (again) dispatchGap()
      },
    }),
    openSignalSender(broker, log),
  ])

  return {
    publish(signals) {
      if (closed || signals.length === 0) return
      if (!sender.current() || !receiver.current()) signals.forEach(dispatch)
      sender.send(signals)
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
      await Promise.all([receiver.close(), sender.close()])
    },
  }
}
