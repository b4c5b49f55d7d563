import type { MessageOf, ServerMessage } from '#contract/live.ts'
import type { Ctx } from '../../core/ports.ts'
import { escalateUnattended } from '../../core/requests/escalation.ts'
import { broadcast, type Connection } from '../connection.ts'
import type { Rooms } from '../rooms.ts'

/** All in milliseconds. */
const batchMs = 50
const greetAfterMs = 2 * batchMs
/** By then, a screen that was only reloading is back. */
const reloadGraceMs = 2_000

/** Sends presence to screens and guests, and escalates requests when nobody is left to hear them. */
export class PresenceBroadcaster {
  #ctx: Ctx
  #rooms: Rooms
  #changed = new Set<string>()
  #newcomers = new Set<Connection>()
  #broadcastTimer: NodeJS.Timeout | undefined
  #greetTimer: NodeJS.Timeout | undefined
  #unattendedTimers = new Set<NodeJS.Timeout>()

  constructor(ctx: Ctx, rooms: Rooms) {
    this.#ctx = ctx
    this.#rooms = rooms
  }

  /** Batched, so that when many screens reconnect, each one is not announced to all the others. */
  presenceChanged(restaurantId: string): void {
    if (this.#changed.size === 0)
      this.#broadcastTimer = setTimeout(() => {
        for (const changedId of this.#changed) this.#broadcast(changedId)
        this.#changed.clear()
      }, batchMs)
    this.#changed.add(restaurantId)
  }

  /** Sends presence to a screen that joined, even if presence did not change, as after a reload. */
  greet(newcomer: Connection): void {
    if (this.#newcomers.size === 0) {
      clearTimeout(this.#greetTimer)
      this.#greetTimer = setTimeout(() => {
        for (const connection of this.#newcomers)
          if (connection.restaurantId !== null)
            broadcast([connection], this.#presenceMessage(connection.restaurantId))
        this.#newcomers.clear()
      }, greetAfterMs)
    }
    this.#newcomers.add(newcomer)
  }

  stop(): void {
    for (const timer of this.#unattendedTimers) clearTimeout(timer)
    clearTimeout(this.#broadcastTimer)
    clearTimeout(this.#greetTimer)
  }

  #broadcast(restaurantId: string): void {
    const connections = this.#rooms.inRestaurant(restaurantId)
    broadcast(connections, this.#presenceMessage(restaurantId))
    for (const connection of connections) this.#newcomers.delete(connection)
    const timer = setTimeout(() => {
      this.#unattendedTimers.delete(timer)
      void this.#escalateUnattended(restaurantId)
    }, reloadGraceMs)
    this.#unattendedTimers.add(timer)
  }

  #presenceMessage(restaurantId: string): MessageOf<ServerMessage, 'presence'> {
    const { listening, screens } = this.#ctx.presence(restaurantId)
    return { type: 'presence', listening, screens }
  }

  async #escalateUnattended(restaurantId: string): Promise<void> {
    try {
      await escalateUnattended(this.#ctx, restaurantId)
    } catch (error) {
      this.#ctx.log.error({ error, restaurantId }, 'could not escalate unattended requests')
    }
  }
}
