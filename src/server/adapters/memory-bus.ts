import type { Bus, Log } from '../core/ports.ts'
import { listeners } from './listeners.ts'

/** One process: publishing is calling. */
export function memoryBus(log: Log): Bus {
  const { subscribe, onGap, tell, leave } = listeners(log)
  let closed = false

  return {
    publish(signals) {
      if (!closed) signals.forEach(tell)
    },
    subscribe,
    onGap,
    async ready() {
      return !closed
    },
    async close() {
      closed = true
      leave()
    },
  }
}
