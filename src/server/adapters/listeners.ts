import type { Bus, Log, Signal } from '../core/ports.ts'

/** Those who listen on this node. One that throws keeps nothing from the others. */
type Listeners = Pick<Bus, 'subscribe' | 'onGap'> & {
  tell: (signal: Signal) => void
  tellOfGap: () => void
  leave: () => void
}

export function listeners(log: Log): Listeners {
  const hearing = new Set<(signal: Signal) => void>()
  const looking = new Set<() => void>()
  const waiting: (() => void)[] = []
  let telling = false

  /** What a listener brings about while it listens comes after what the others have yet to hear. */
  function inOrder(work: () => void): void {
    waiting.push(work)
    if (telling) return
    telling = true
    for (let next = waiting.shift(); next; next = waiting.shift()) next()
    telling = false
  }

  function each<L>(all: Set<L>, call: (listener: L) => void): void {
    for (const listener of all) {
      try {
        call(listener)
      } catch (error) {
        log.error({ error }, 'a listener of the bus failed')
      }
    }
  }

  return {
    subscribe: (listener) => join(hearing, listener),
    onGap: (listener) => join(looking, listener),
    tell: (signal) => inOrder(() => each(hearing, (listener) => listener(signal))),
    tellOfGap: () => inOrder(() => each(looking, (listener) => listener())),
    leave() {
      hearing.clear()
      looking.clear()
    },
  }
}

/** The same function given twice listens twice. */
function join<A extends unknown[]>(
  all: Set<(...args: A) => void>,
  listener: (...args: A) => void,
): () => void {
  const own = (...args: A): void => listener(...args)
  all.add(own)
  return () => void all.delete(own)
}
