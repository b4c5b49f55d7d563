import type { ClientMessage } from '#contract/live.ts'
import { formatDuration, Refusal } from '../core/errors.ts'
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

type BucketRate = { burst: number; perSecond: number }

/** A page that connects says its contexts and asks for both snapshots, sometimes twice: 30 to 45. */
const socketRate: BucketRate = { burst: 120, perSecond: 20 }
/** 300 crew screens that come back at one moment, and more. */
const restaurantRate: BucketRate = { burst: 15_000, perSecond: 1_000 }
const guestRate: BucketRate = { burst: 2_000, perSecond: 200 }

/** How often the full budgets are forgotten, in milliseconds: a full one and none are the same. */
const sweepEveryMs = 10_000

class TokenBucket {
  #rate: BucketRate
  #left: number
  #at: number

  constructor(rate: BucketRate, now: number) {
    this.#rate = rate
    this.#left = rate.burst
    this.#at = now
  }

  isFull(now: number): boolean {
    this.#refill(now)
    return this.#left === this.#rate.burst
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
    this.#left = Math.min(this.#rate.burst, this.#left + gained)
    this.#at = now
  }
}

/**
 * Each socket has a budget, and so have all sockets of one restaurant's staff together, and all guests of one address:
 * however many sockets one of them has, it leaves the server to the others.
 */
export function createMessageLimiter(): (from: Connection, message: ClientMessage, now: number) => void {
  const sockets = new WeakMap<Connection, TokenBucket>()
  const groups = new Map<string, TokenBucket>()
  let sweptAt = 0

  function socketBucket(from: Connection, now: number): TokenBucket {
    const known = sockets.get(from) ?? new TokenBucket(socketRate, now)
    sockets.set(from, known)
    return known
  }

  function groupBucket({ actor: { restaurantId, address } }: Connection, now: number): TokenBucket {
    const key = restaurantId ?? `guests ${address}`
    const known = groups.get(key)
    if (known) return known
    if (now - sweptAt > sweepEveryMs) {
      for (const [other, budget] of groups) if (budget.isFull(now)) groups.delete(other)
      sweptAt = now
    }
    const made = new TokenBucket(restaurantId === null ? guestRate : restaurantRate, now)
    groups.set(key, made)
    return made
  }

  return (from, message, now) => {
    const cost = costOf(message)
    const waitMs = socketBucket(from, now).take(cost, now) || groupBucket(from, now).take(cost, now)
    if (waitMs === 0) return
    throw new Refusal('rate_limited', `Too many messages. Please wait ${formatDuration(waitMs)}.`)
  }
}
