import type { ClientMessage } from '#contract/live.ts'
import { duration, Refusal } from '../core/errors.ts'
import type { Connection } from './connection.ts'

/** What a message costs by what it asks for; every other costs 1. */
const costs: Partial<Record<ClientMessage['type'], number>> = {
  ping: 0.1,
  'get-pending-requests': 10,
  'get-team-messages': 10,
  'set-restaurant-context': 4,
  'set-crew-member-context': 4,
  'service-request': 3,
}

const costOf = (message: ClientMessage): number =>
  message.type === 'requests-seen' ? 0.5 + message.ids.length / 20 : (costs[message.type] ?? 1)

type Rate = { atOnce: number; perSecond: number }

/** A page that connects says its contexts and asks for both snapshots, sometimes twice: 30 to 45. */
const ofSocket: Rate = { atOnce: 120, perSecond: 20 }
/** 300 crew screens that come back at one moment, and more. */
const ofRestaurant: Rate = { atOnce: 15_000, perSecond: 1_000 }
const ofGuests: Rate = { atOnce: 2_000, perSecond: 200 }

/** How often the full budgets are forgotten, in milliseconds: a full one and none are the same. */
const forgetEveryMs = 10_000

class Budget {
  #rate: Rate
  #left: number
  #at: number

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#left = rate.atOnce
    this.#at = now
  }

  isFull(now: number): boolean {
    this.#refill(now)
    return this.#left === this.#rate.atOnce
  }

  /** Takes it and answers 0, or answers how many milliseconds it is too early. */
  take(cost: number, now: number): number {
    this.#refill(now)
    if (this.#left < cost) return ((cost - this.#left) / this.#rate.perSecond) * 1000
    this.#left -= cost
    return 0
  }

  #refill(now: number): void {
    const gained = (Math.max(0, now - this.#at) / 1000) * this.#rate.perSecond
    this.#left = Math.min(this.#rate.atOnce, this.#left + gained)
    this.#at = now
  }
}

/**
 * Each socket has a budget, and so have all sockets of one restaurant's staff together, and all guests of one address:
 * however many sockets one of them has, it leaves the server to the others.
 */
export function messageBudgets(): (from: Connection, message: ClientMessage, now: number) => void {
  const sockets = new WeakMap<Connection, Budget>()
  const groups = new Map<string, Budget>()
  let forgotAt = 0

  function ofConnection(from: Connection, now: number): Budget {
    const known = sockets.get(from) ?? new Budget(ofSocket, now)
    sockets.set(from, known)
    return known
  }

  function ofGroup({ actor: { restaurantId, address } }: Connection, now: number): Budget {
    const key = restaurantId ?? `guests ${address}`
    const known = groups.get(key)
    if (known) return known
    if (now - forgotAt > forgetEveryMs) {
      for (const [other, budget] of groups) if (budget.isFull(now)) groups.delete(other)
      forgotAt = now
    }
    const made = new Budget(restaurantId === null ? ofGuests : ofRestaurant, now)
    groups.set(key, made)
    return made
  }

  return (from, message, now) => {
    const cost = costOf(message)
    const waitMs = ofConnection(from, now).take(cost, now) || ofGroup(from, now).take(cost, now)
    if (waitMs === 0) return
    throw new Refusal('rate_limited', `Too many messages. Please wait ${duration(waitMs)}.`)
  }
}
