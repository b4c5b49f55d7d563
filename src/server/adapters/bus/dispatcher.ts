import type { Bus, Log, Signal } from '../../core/ports.ts'

/** Those who listen on this node. One that throws keeps nothing from the others. */
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

  /** What a listener brings about while it listens comes after what the others have yet to hear. */
  function runInOrder(work: () => void): void {
    waiting.push(work)
    if (isDispatching) return
    isDispatching = true
    for (let next = waiting.shift(); next; next = waiting.shift()) next()
    isDispatching = false
  }

  function callEach<L>(all: Set<L>, call: (listener: L) => void): void {
    for (const listener of all) {
      try {
        call(listener)
      } catch (error) {
        log.error({ error }, 'a listener of the bus failed')
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

/** The same function given twice listens twice. */
function addListener<A extends unknown[]>(
  all: Set<(...args: A) => void>,
  listener: (...args: A) => void,
): () => void {
  const own = (...args: A): void => listener(...args)
  all.add(own)
  return () => void all.delete(own)
}
