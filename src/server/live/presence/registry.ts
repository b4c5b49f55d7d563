import { pushDeviceIdleMs } from '#contract/push.ts'
import type { KnownDevice } from '../../core/push/subscriptions.ts'
import type { Presence } from '../../ports/presence.ts'
import { createSeenTime } from '../seen-time.ts'
import { SetMap } from '../set-map.ts'
import { nodeTimeoutMs, reloadGraceMs } from './presence-times.ts'

type NodeScreens = { listening: number; screens: number; crew: string[]; at: number }

/** Who listens to each restaurant: staff screens of all nodes, and devices with push alerts. */
export class PresenceRegistry {
  #nodes = new Map<string, Map<string, NodeScreens>>()
  #devices = new Map<string, KnownDevice[]>()
  #restaurantsBySession = new SetMap<string>()
  /** The devices that count as listening. */
  #activeDevices = new Map<string, KnownDevice[]>()
  /** When the active device that becomes idle first was seen; or earlier, if it is gone. */
  #firstSeenAt = Number.POSITIVE_INFINITY
  /** When each of the other nodes counts as gone, unless it is heard of before; one that stops is not. */
  #goneAt = new Map<string, { at: number; stops: boolean }>()
  #now: () => number
  /** By which the other nodes are heard and missed; devices keep to the dates in their rows. */
  #seenTime: () => number

  constructor(now: () => number) {
    this.#now = now
    this.#seenTime = createSeenTime(now)
  }

  presenceOf(restaurantId: string): Presence {
    let screens = 0
    const listeners = new Set<string>()
    for (const node of this.#nodes.get(restaurantId)?.values() ?? []) {
      screens += node.listening
      for (const id of node.crew) listeners.add(id)
    }
    const ownScreen = new Set(listeners)
    for (const { crewMemberId } of this.#activeDevices.get(restaurantId) ?? []) {
      if (crewMemberId === null || !ownScreen.has(crewMemberId)) screens++
      if (crewMemberId !== null) listeners.add(crewMemberId)
    }
    return { listening: screens > 0, screens, listeners }
  }

  /** Restaurants where anybody listens, and how many do. */
  totals(): { restaurants: number; listeners: number } {
    const restaurantIds = new Set([...this.#nodes.keys(), ...this.#activeDevices.keys()])
    const counts = [...restaurantIds].map((restaurantId) => this.presenceOf(restaurantId).screens)
    return {
      restaurants: counts.filter((screens) => screens > 0).length,
      listeners: counts.reduce((sum, screens) => sum + screens, 0),
    }
  }

  hasDevices(restaurantId?: string): boolean {
    return restaurantId === undefined ? this.#devices.size > 0 : this.#devices.has(restaurantId)
  }

  /** Replaces the devices of one restaurant. True when its presence changed. */
  setDevices(restaurantId: string, devices: KnownDevice[]): boolean {
    if (isSame(devices, this.#devices.get(restaurantId))) return false
    return this.#replaceDevices(restaurantId, devices)
  }

  #replaceDevices(restaurantId: string, devices: KnownDevice[]): boolean {
    const before = this.presenceOf(restaurantId)
    for (const { sessionId } of this.#devices.get(restaurantId) ?? [])
      this.#restaurantsBySession.delete(sessionId, restaurantId)
    for (const { sessionId } of devices) this.#restaurantsBySession.add(sessionId, restaurantId)
    if (devices.length === 0) this.#devices.delete(restaurantId)
    else this.#devices.set(restaurantId, devices)
    this.#refreshActiveDevices(restaurantId)
    return differs(before, this.presenceOf(restaurantId))
  }

  /** Managers' devices do not count: they are alerted when nobody listens. Nor do devices that have long been idle. */
  #refreshActiveDevices(restaurantId: string): void {
    const devices = this.#devices.get(restaurantId) ?? []
    const active = devices.filter((device) => device.audience === 'crew' && !this.#isIdle(device))
    if (active.length === 0) this.#activeDevices.delete(restaurantId)
    else this.#activeDevices.set(restaurantId, active)
    this.#noteSeen(active)
  }

  #noteSeen(active: KnownDevice[]): void {
    for (const device of active)
      if (!this.#isIdle(device)) this.#firstSeenAt = Math.min(this.#firstSeenAt, device.seenAt)
  }

  #isIdle({ seenAt }: KnownDevice): boolean {
    return seenAt <= this.#now() - pushDeviceIdleMs
  }

  /** Stops counting idle devices. Returns the restaurants whose presence changed. */
  expireDevices(): string[] {
    if (this.#firstSeenAt > this.#now() - pushDeviceIdleMs) return []
    const due = [...this.#activeDevices].filter(([, devices]) =>
      devices.some((device) => this.#isIdle(device)),
    )
    this.#firstSeenAt = Number.POSITIVE_INFINITY
    for (const devices of this.#activeDevices.values()) this.#noteSeen(devices)
    return due.flatMap(([restaurantId]) =>
      this.#replaceDevices(restaurantId, this.#devices.get(restaurantId) ?? []) ? [restaurantId] : [],
    )
  }

  restaurantsWithDevices(): string[] {
    return [...this.#devices.keys()]
  }

  /** The restaurants where one of these sessions has a device. */
  restaurantsOfSessions(sessionIds: ReadonlySet<string>): string[] {
    const restaurantIds = [...sessionIds].flatMap((id) => [...this.#restaurantsBySession.get(id)])
    return [...new Set(restaurantIds)]
  }

  /** True when the restaurant's presence changed. */
  setScreens(restaurantId: string, node: string, screens: Omit<NodeScreens, 'at'>): boolean {
    const before = this.presenceOf(restaurantId)
    const nodes = this.#nodes.get(restaurantId) ?? new Map<string, NodeScreens>()
    if (screens.screens === 0) nodes.delete(node)
    else nodes.set(node, { ...screens, at: this.#seenTime() })
    if (nodes.size === 0) this.#nodes.delete(restaurantId)
    else this.#nodes.set(restaurantId, nodes)
    return differs(before, this.presenceOf(restaurantId))
  }

  /** Another node has told something about its screens. */
  heardFrom(node: string): void {
    if (this.#goneAt.get(node)?.stops !== true)
      this.#goneAt.set(node, { at: this.#seenTime() + nodeTimeoutMs, stops: false })
  }

  /** Its screens have as long to come back, through another node, as after a reload. */
  nodeStops(node: string): void {
    this.#goneAt.set(node, { at: this.#seenTime() + reloadGraceMs, stops: true })
  }

  /** Forgets nodes that stopped or fell silent; at each tick. Returns the restaurants whose presence changed. */
  removeGoneNodes(): string[] {
    const now = this.#seenTime()
    const gone = [...this.#goneAt].flatMap(([node, { at }]) => (at <= now ? [node] : []))
    for (const node of gone) this.#goneAt.delete(node)
    return gone.flatMap((node) => this.removeNode(node))
  }

  /** Returns the restaurants whose presence changed. */
  removeNode(node: string): string[] {
    return [...this.#nodes].flatMap(([restaurantId, nodes]) =>
      nodes.has(node) && this.setScreens(restaurantId, node, { listening: 0, screens: 0, crew: [] })
        ? [restaurantId]
        : [],
    )
  }

  /** Forgets what nodes no longer repeat. Returns the restaurants whose presence changed. */
  expireNodes(exceptNode: string): string[] {
    const changed: string[] = []
    const heardSince = this.#seenTime() - nodeTimeoutMs
    for (const [restaurantId, nodes] of this.#nodes) {
      if (![...nodes].some(([node, { at }]) => node !== exceptNode && at < heardSince)) continue
      const before = this.presenceOf(restaurantId)
      for (const [node, { at }] of nodes) {
        if (node !== exceptNode && at < heardSince) nodes.delete(node)
      }
      if (nodes.size === 0) this.#nodes.delete(restaurantId)
      if (differs(before, this.presenceOf(restaurantId))) changed.push(restaurantId)
    }
    return changed
  }
}

const differs = (a: Presence, b: Presence) =>
  a.listening !== b.listening ||
  a.screens !== b.screens ||
  a.listeners.size !== b.listeners.size ||
  [...a.listeners].some((id) => !b.listeners.has(id))

const isSame = (devices: KnownDevice[], known: KnownDevice[] = []): boolean =>
  devices.length === known.length &&
  devices.every((device, index) => {
    const other = known[index]
    return (
      device.id === other?.id &&
      device.sessionId === other.sessionId &&
      device.crewMemberId === other.crewMemberId &&
      device.audience === other.audience &&
      device.seenAt === other.seenAt
    )
  })
