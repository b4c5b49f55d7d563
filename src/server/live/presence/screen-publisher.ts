import type { Ctx } from '../../core/ctx.ts'
import { oncePerTurn } from '../../core/tasks/once-per-turn.ts'
import type { Signal } from '../../ports/bus.ts'
import type { Rooms } from '../rooms.ts'
import { createSeenTime } from '../seen-time.ts'
import { ListeningScreens } from './listening-screens.ts'
import { nodeTimeoutMs } from './presence-times.ts'
import type { PresenceRegistry } from './registry.ts'

export type PresenceSignal = Extract<Signal, { kind: 'presence' }>

type Options = {
  node: string
  severalNodes: boolean
  onPresenceChanged: (restaurantId: string, onPurpose: boolean) => void
}

/** Counts the listening screens of this node and publishes them to the other nodes. */
export class ScreenPublisher {
  #ctx: Ctx
  #registry: PresenceRegistry
  #rooms: Rooms
  #options: Options
  #screens = new ListeningScreens()
  /** By which screens are expected back. */
  #seenTime: () => number
  /** What the other nodes were told last, by restaurant. */
  #told = new Map<string, string>()
  /** When they were told that a restaurant has no screen here any more. */
  #leftAt = new Map<string, number>()

  constructor(ctx: Ctx, registry: PresenceRegistry, rooms: Rooms, options: Options) {
    this.#ctx = ctx
    this.#registry = registry
    this.#rooms = rooms
    this.#options = options
    this.#seenTime = createSeenTime(ctx.now)
  }

  screensChanged = oncePerTurn<string>((restaurantIds) => {
    const signals = this.#apply([...new Set(restaurantIds)])
    // A screen that is back in time changes nothing for the others.
    this.#ctx.bus.publish(signals.filter((signal) => this.#remember(signal)))
  }, setImmediate)

  receive(signal: PresenceSignal): void {
    if (signal.node === this.#options.node) return
    this.#registry.heardFrom(signal.node)
    this.#register(signal)
  }

  endSessions(sessionIds: ReadonlySet<string>, signedOut: boolean): void {
    for (const restaurantId of this.#screens.endSessions(sessionIds, signedOut))
      this.screensChanged(restaurantId)
  }

  /** Tells the other nodes not to wait longer for screens of this one, which they would count until it times out. */
  stop(): void {
    this.#ctx.bus.publish([{ kind: 'node-stops', node: this.#options.node }])
  }

  /** Notices screens that were expected back, here or from another node, and did not return. */
  tick(): void {
    for (const restaurantId of this.#registry.removeGoneNodes())
      this.#options.onPresenceChanged(restaurantId, false)
    for (const restaurantId of this.#screens.overdue(this.#seenTime())) this.screensChanged(restaurantId)
  }

  /**
   * Other nodes forget what is not repeated, and so does this one. That the last screen has left is repeated, too: who
   * missed it would count that screen until then.
   */
  republish(): void {
    const { node, onPresenceChanged } = this.#options
    for (const restaurantId of this.#registry.expireNodes(node)) onPresenceChanged(restaurantId, false)
    for (const [restaurantId, at] of this.#leftAt)
      if (this.#ctx.now() - at > nodeTimeoutMs) this.#leftAt.delete(restaurantId)
    const signals = this.#apply([...new Set([...this.#rooms.restaurants(), ...this.#leftAt.keys()])])
    for (const signal of signals) this.#remember(signal)
    this.#ctx.bus.publish(signals)
  }

  /** This node counts its own screens at once, however slow the bus is. */
  #apply(restaurantIds: string[]): PresenceSignal[] {
    const signals = restaurantIds.map((restaurantId) => this.#count(restaurantId))
    for (const signal of signals) this.#register(signal)
    return signals
  }

  /** True when the other nodes were told something else last. */
  #remember(signal: PresenceSignal): boolean {
    const { restaurantId, screens } = signal
    const text = JSON.stringify(signal)
    if (this.#told.get(restaurantId) === text) return false
    if (screens > 0) this.#told.set(restaurantId, text)
    else if (this.#told.delete(restaurantId) && this.#options.severalNodes)
      this.#leftAt.set(restaurantId, this.#ctx.now())
    return true
  }

  #register(signal: PresenceSignal): void {
    const { restaurantId, node, onPurpose = false } = signal
    if (this.#registry.setScreens(restaurantId, node, signal))
      this.#options.onPresenceChanged(restaurantId, onPurpose)
  }

  #count(restaurantId: string): PresenceSignal {
    const connections = this.#rooms.inRestaurant(restaurantId)
    const { listening, crew, expected, onPurpose } = this.#screens.count(
      restaurantId,
      connections,
      this.#seenTime(),
    )
    let screens = expected
    for (const connection of connections) if (connection.screen) screens++
    return {
      kind: 'presence',
      node: this.#options.node,
      restaurantId,
      listening,
      screens,
      crew,
      ...(onPurpose && { onPurpose }),
    }
  }
}
