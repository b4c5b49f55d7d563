import type { Presence } from '../core/context.ts'

/** A node that said nothing for so long, in milliseconds, is gone, and its screens with it. */
const silenceMs = 12_000

type Screens = { listening: number; screens: number; crew: string[]; at: number }

/** How many staff screens listen to each restaurant, over all nodes. */
export class PresenceBoard {
  #restaurants = new Map<string, Map<string, Screens>>()
  #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  of(restaurantId: string): Presence {
    let listening = 0
    const listeners = new Set<string>()
    for (const node of this.#restaurants.get(restaurantId)?.values() ?? []) {
      listening += node.listening
      for (const id of node.crew) listeners.add(id)
    }
    return { listening: listening > 0, screens: listening, listeners }
  }

  /** True when what `of` says changed by it. */
  tell(restaurantId: string, node: string, screens: Omit<Screens, 'at'>): boolean {
    const before = this.of(restaurantId)
    const nodes = this.#restaurants.get(restaurantId) ?? new Map<string, Screens>()
    if (screens.screens === 0) nodes.delete(node)
    else nodes.set(node, { ...screens, at: this.#now() })
    if (nodes.size === 0) this.#restaurants.delete(restaurantId)
    else this.#restaurants.set(restaurantId, nodes)
    return differs(before, this.of(restaurantId))
  }

  /** A node stops; tells whose presence changed by it. */
  forget(node: string): string[] {
    const restaurantIds = [...this.#restaurants.keys()]
    return restaurantIds.filter((restaurantId) =>
      this.tell(restaurantId, node, { listening: 0, screens: 0, crew: [] }),
    )
  }

  /** Forgets nodes that fell silent; tells whose presence changed by it. */
  expire(exceptNode: string): string[] {
    const changed: string[] = []
    for (const [restaurantId, nodes] of this.#restaurants) {
      const before = this.of(restaurantId)
      for (const [node, { at }] of nodes) {
        if (node !== exceptNode && at < this.#now() - silenceMs) nodes.delete(node)
      }
      if (nodes.size === 0) this.#restaurants.delete(restaurantId)
      if (differs(before, this.of(restaurantId))) changed.push(restaurantId)
    }
    return changed
  }
}

const differs = (a: Presence, b: Presence) =>
  a.listening !== b.listening ||
  a.screens !== b.screens ||
  [...a.listeners].join() !== [...b.listeners].join()
