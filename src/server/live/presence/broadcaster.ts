import type { MessageOf, ServerMessage } from '#contract/live.ts'
import type { Ctx } from '../../core/ctx.ts'
import { broadcast, type Connection } from '../connection.ts'
import type { Rooms } from '../rooms.ts'
import { announce, type Announcement, type AnnouncementEvent, idle } from './announcement.ts'

/** In milliseconds: longer than an announcement waits, which makes the greeting unnecessary. */
const greetAfterMs = 100

type PresenceMessage = MessageOf<ServerMessage, 'presence'>

const isSame = (message: PresenceMessage, known: PresenceMessage | undefined): boolean =>
  message.listening === known?.listening && message.screens === known.screens

/** Tells screens and guests who listens. */
export class PresenceBroadcaster {
  #ctx: Ctx
  #rooms: Rooms
  /** A restaurant that is idle has none. */
  #announcements = new Map<string, { state: Announcement; timer: NodeJS.Timeout }>()
  /** What all connections of a restaurant know. */
  #known = new Map<string, PresenceMessage>()
  #newcomers = new Set<Connection>()
  #greetTimer: NodeJS.Timeout | undefined

  constructor(ctx: Ctx, rooms: Rooms) {
    this.#ctx = ctx
    this.#rooms = rooms
  }

  presenceChanged(restaurantId: string): void {
    const known = this.#known.get(restaurantId)
    const isEmpty = this.#rooms.inRestaurant(restaurantId).size === 0
    // A guest whose page opens now reads it, and has to be told again if it lasts for a moment only.
    if (isEmpty || this.#ctx.presence(restaurantId).listening !== known?.listening)
      this.#known.delete(restaurantId)
    if (!isEmpty) this.#dispatch(restaurantId, 'presence')
  }

  /** Sends presence to a screen that joined, even if presence did not change, as after a reload. */
  greet(newcomer: Connection): void {
    if (this.#newcomers.size === 0) {
      clearTimeout(this.#greetTimer)
      this.#greetTimer = setTimeout(() => {
        for (const [restaurantId, connections] of Map.groupBy(this.#newcomers, (to) => to.restaurantId))
          if (restaurantId !== null) this.#welcome(restaurantId, connections)
        this.#newcomers.clear()
      }, greetAfterMs)
    }
    this.#newcomers.add(newcomer)
  }

  stop(): void {
    for (const { timer } of this.#announcements.values()) clearTimeout(timer)
    clearTimeout(this.#greetTimer)
  }

  #dispatch(restaurantId: string, type: AnnouncementEvent['type'], now = performance.now()): void {
    const before = this.#announcements.get(restaurantId)
    const { listening } = this.#ctx.presence(restaurantId)
    const { state, announces } = announce(before?.state ?? idle, { type, listening }, now)
    if (state === before?.state) return
    clearTimeout(before?.timer)
    if (state.is === 'idle') this.#announcements.delete(restaurantId)
    else {
      const { until } = state
      // By its own measure the timer may be a little early.
      const wake = () => this.#dispatch(restaurantId, 'time-passed', Math.max(until, performance.now()))
      this.#announcements.set(restaurantId, { state, timer: setTimeout(wake, until - now) })
    }
    if (announces) this.#tell(restaurantId)
  }

  /** Who listens may have changed, but not how many. */
  #tell(restaurantId: string): void {
    const connections = this.#rooms.inRestaurant(restaurantId)
    const message = this.#presenceMessage(restaurantId)
    if (connections.size === 0) this.#known.delete(restaurantId)
    else if (!isSame(message, this.#known.get(restaurantId))) {
      broadcast(connections, message)
      this.#known.set(restaurantId, message)
      for (const connection of connections) this.#newcomers.delete(connection)
    }
  }

  #welcome(restaurantId: string, newcomers: Iterable<Connection>): void {
    const message = this.#presenceMessage(restaurantId)
    broadcast(newcomers, message)
    if (!isSame(message, this.#known.get(restaurantId))) this.#known.delete(restaurantId)
  }

  #presenceMessage(restaurantId: string): PresenceMessage {
    const { listening, screens } = this.#ctx.presence(restaurantId)
    return { type: 'presence', listening, screens }
  }
}
