import type { Bus, Signal } from '../../ports/bus.ts'
import type { Log } from '../../ports/monitoring.ts'

/** Calls the listeners of this node. One that throws does not affect the others. */
type Dispatcher = Pick<Bus, 'subscribe' | 'onGap'> & {
  dispatch: (signal: Signal) => void
  dispatchGap: () => void
  clear: () => void
}

export function createDispatcher(log: Log): Dispatcher {
  const signalListeners = new Set<(signal: Signal) => void>()
  const gapListeners = new Set<() => void>()
  const waiting: (() => void)[] = []
  let isDispatching = false

  /** Signals published by a listener are dispatched after the current one has reached all listeners. */
  function runInOrder(task: () => void): void {
    waiting.push(task)
    if (isDispatching) return
    isDispatching = true
    for (let next = waiting.shift(); next; next = waiting.shift()) next()
    isDispatching = false
  }

  function callEach<L>(listeners: Set<L>, call: (listener: L) => void): void {
    for (const listener of listeners) {
      try {
        call(listener)
      } catch (error) {
        log.error({ error }, 'bus listener failed')
      }
    }
  }

  return {
    subscribe: (listener) => addListener(signalListeners, listener),
    onGap: (listener) => addListener(gapListeners, listener),
    dispatch: (signal) => runInOrder(() => callEach(signalListeners, (listener) => listener(signal))),
    dispatchGap: () => runInOrder(() => callEach(gapListeners, (listener) => listener())),
    clear() {
      signalListeners.clear()
      gapListeners.clear()
    },
  }
}

/** A function that is added twice is called twice. */
function addListener<A extends unknown[]>(
  listeners: Set<(...args: A) => void>,
  listener: (...args: A) => void,
): () => void {
  const own = (...args: A): void => listener(...args)
  listeners.add(own)
  return () => void listeners.delete(own)
}
