import type { MessageOf, ServerMessage } from '#contract/live.ts'
import type { Ctx } from '../../core/ctx.ts'
import { escalateAllUnattended } from '../../core/requests/escalation/escalation.ts'
import { broadcast, type Connection } from '../connection.ts'
import type { Rooms } from '../rooms.ts'
import { reloadGraceMs } from './presence-times.ts'

/** All in milliseconds. */
const batchMs = 50
const greetAfterMs = 2 * batchMs
/** Whether anybody listens is told at once, how many do at most this often, and while they keep coming less often. */
const countEveryMs = 1_000
const countAtLatestMs = 5_000
const escalatedAtOnce = 200

type PresenceMessage = MessageOf<ServerMessage, 'presence'>

const isSame = (message: PresenceMessage, known: PresenceMessage | undefined): boolean =>
  message.listening === known?.listening && message.screens === known.screens

/** Sends presence to screens and guests, and escalates requests when nobody is left to hear them. */
export class PresenceBroadcaster {
  #ctx: Ctx
  #rooms: Rooms
  #changed = new Set<string>()
  /** What restaurants were told a moment ago, and whether the number has changed since. */
  #told = new Map<string, { listening: boolean; at: number; isOutdated: boolean; timer: NodeJS.Timeout }>()
  /** What all connections of a restaurant know. */
  #known = new Map<string, PresenceMessage>()
  #newcomers = new Set<Connection>()
  #broadcastTimer: NodeJS.Timeout | undefined
  #greetTimer: NodeJS.Timeout | undefined
  /** Restaurants whose requests may have nobody left to hear them, and when that is asked; the first due first. */
  #unattended = new Map<string, number>()
  #unattendedTimer: NodeJS.Timeout | undefined

  constructor(ctx: Ctx, rooms: Rooms) {
    this.#ctx = ctx
    this.#rooms = rooms
  }

  /** Batched, so that when many screens reconnect, each one is not announced to all the others. */
  presenceChanged(restaurantId: string): void {
    this.#escalateLater(restaurantId)
    if (this.#rooms.inRestaurant(restaurantId).size === 0) {
      this.#known.delete(restaurantId)
      return
    }
    const told = this.#told.get(restaurantId)
    if (told?.listening === this.#ctx.presence(restaurantId).listening) {
      told.isOutdated = true
      if (this.#ctx.now() - told.at < countAtLatestMs - countEveryMs) told.timer.refresh()
      return
    }
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
        for (const [restaurantId, connections] of Map.groupBy(this.#newcomers, (to) => to.restaurantId))
          if (restaurantId !== null) this.#welcome(restaurantId, connections)
        this.#newcomers.clear()
      }, greetAfterMs)
    }
    this.#newcomers.add(newcomer)
  }

  #welcome(restaurantId: string, newcomers: Iterable<Connection>): void {
    const message = this.#presenceMessage(restaurantId)
    broadcast(newcomers, message)
    if (!isSame(message, this.#known.get(restaurantId))) this.#known.delete(restaurantId)
  }

  stop(): void {
    clearTimeout(this.#unattendedTimer)
    for (const { timer } of this.#told.values()) clearTimeout(timer)
    clearTimeout(this.#broadcastTimer)
    clearTimeout(this.#greetTimer)
  }

  #broadcast(restaurantId: string): void {
    const message = this.#presenceMessage(restaurantId)
    this.#tell(restaurantId, message)
    this.#remember(restaurantId, message.listening)
  }

  /** Who listens may have changed, but not how many. */
  #tell(restaurantId: string, message: PresenceMessage): void {
    const connections = this.#rooms.inRestaurant(restaurantId)
    if (connections.size === 0) this.#known.delete(restaurantId)
    else if (!isSame(message, this.#known.get(restaurantId))) {
      broadcast(connections, message)
      this.#known.set(restaurantId, message)
      for (const connection of connections) this.#newcomers.delete(connection)
    }
  }

  #remember(restaurantId: string, listening: boolean): void {
    clearTimeout(this.#told.get(restaurantId)?.timer)
    const timer = setTimeout(() => {
      const isOutdated = this.#told.get(restaurantId)?.isOutdated
      this.#told.delete(restaurantId)
      if (isOutdated) this.#broadcast(restaurantId)
    }, countEveryMs)
    this.#told.set(restaurantId, { listening, at: this.#ctx.now(), isOutdated: false, timer })
  }

  #presenceMessage(restaurantId: string): PresenceMessage {
    const { listening, screens } = this.#ctx.presence(restaurantId)
    return { type: 'presence', listening, screens }
  }

  #escalateLater(restaurantId: string): void {
    if (this.#unattended.has(restaurantId)) return
    this.#unattended.set(restaurantId, performance.now() + reloadGraceMs)
    if (this.#unattended.size === 1) this.#escalateIn(reloadGraceMs)
  }

  #escalateIn(ms: number): void {
    this.#unattendedTimer = setTimeout(() => this.#escalateDue(), ms)
  }

  #escalateDue(): void {
    const due: string[] = []
    for (const [restaurantId, at] of this.#unattended) {
      const waitMs = at - performance.now()
      // Timers may be a little early.
      if (waitMs > batchMs) {
        this.#escalateIn(waitMs)
        break
      }
      due.push(restaurantId)
      this.#unattended.delete(restaurantId)
    }
    this.#ctx.background(() => this.#escalateUnattended(due))
  }

  /** After a start they may be all restaurants. */
  async #escalateUnattended(restaurantIds: readonly string[]): Promise<void> {
    for (let at = 0; at < restaurantIds.length; at += escalatedAtOnce)
      await escalateAllUnattended(this.#ctx, restaurantIds.slice(at, at + escalatedAtOnce))
  }
}
