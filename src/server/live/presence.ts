import { pushListensMs } from '#contract/push.ts'
import type { Presence } from '../core/ports.ts'
import type { KnownDevice } from '../core/devices.ts'

/** A node that said nothing for so long, in milliseconds, is gone, and its screens with it. */
const silenceMs = 12_000

type Screens = { listening: number; screens: number; crew: string[]; at: number }

/** Who listens to each restaurant: staff screens over all nodes, and devices that are pushed to. */
export class PresenceBoard {
  #restaurants = new Map<string, Map<string, Screens>>()
  #devices = new Map<string, KnownDevice[]>()
  /** Those of them that count. */
  #awake = new Map<string, KnownDevice[]>()
  #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  of(restaurantId: string): Presence {
    let screens = 0
    const listeners = new Set<string>()
    for (const node of this.#restaurants.get(restaurantId)?.values() ?? []) {
      screens += node.listening
      for (const id of node.crew) listeners.add(id)
    }
    const ownScreen = new Set(listeners)
    for (const { crewMemberId } of this.#awake.get(restaurantId) ?? []) {
      if (crewMemberId === null || !ownScreen.has(crewMemberId)) screens++
      if (crewMemberId !== null) listeners.add(crewMemberId)
    }
    return { listening: screens > 0, screens, listeners }
  }

  hasDevices(restaurantId?: string): boolean {
    return restaurantId === undefined ? this.#devices.size > 0 : this.#devices.has(restaurantId)
  }

  /** All devices of this restaurant. True when what `of` says changed by it. */
  setDevices(restaurantId: string, devices: KnownDevice[]): boolean {
    const before = this.of(restaurantId)
    if (devices.length === 0) this.#devices.delete(restaurantId)
    else this.#devices.set(restaurantId, devices)
    this.#wake(restaurantId)
    return differs(before, this.of(restaurantId))
  }

  /** A manager's device is told when nobody listens; it does not listen itself. Nor does one that lies forgotten. */
  #wake(restaurantId: string): void {
    const since = this.#now() - pushListensMs
    const devices = this.#devices.get(restaurantId) ?? []
    const awake = devices.filter(({ audience, seenAt }) => audience === 'crew' && seenAt > since)
    if (awake.length === 0) this.#awake.delete(restaurantId)
    else this.#awake.set(restaurantId, awake)
  }

  /** Devices that lie forgotten count no more; tells whose presence changed by it. */
  lapse(): string[] {
    return [...this.#awake.keys()].filter((restaurantId) =>
      this.setDevices(restaurantId, this.#devices.get(restaurantId) ?? []),
    )
  }

  /** All devices there are; tells whose presence changed by it. */
  setAllDevices(devices: KnownDevice[]): string[] {
    const grouped = Map.groupBy(devices, ({ restaurantId }) => restaurantId)
    const restaurantIds = new Set([...this.#devices.keys(), ...grouped.keys()])
    return [...restaurantIds].filter((restaurantId) =>
      this.setDevices(restaurantId, grouped.get(restaurantId) ?? []),
    )
  }

  /** Where one of these sessions has a device. */
  ofSessions(sessionIds: ReadonlySet<string>): string[] {
    return [...this.#devices].flatMap(([restaurantId, devices]) =>
      devices.some(({ sessionId }) => sessionIds.has(sessionId)) ? [restaurantId] : [],
    )
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
