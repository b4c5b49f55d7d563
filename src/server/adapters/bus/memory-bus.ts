import type { Bus } from '../../ports/bus.ts'
import type { Log } from '../../ports/monitoring.ts'
import { createDispatcher } from './dispatcher.ts'

/** One process: publishing is calling. */
export function createMemoryBus(log: Log): Bus {
  const { subscribe, onGap, dispatch, clear } = createDispatcher(log)
  let closed = false

  return {
    publish(signals) {
      if (!closed) signals.forEach(dispatch)
    },
    subscribe,
    onGap,
    async ready() {
      return !closed
    },
    async close() {
      closed = true
      clear()
    },
  }
}
