import type { ClientMessage } from '#contract/live.ts'
import { formatDuration, Refusal } from '../core/errors.ts'
import type { Connection } from './connection.ts'
import { type BucketRate, TokenBucket } from './token-bucket.ts'

/** The cost of messages that cause more work; all others cost 1. */
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

/** A page that connects sends its contexts and asks for both snapshots, sometimes twice: 30 to 45. */
const socketRate: BucketRate = { burst: 120, perSecond: 20 }
/** Enough for 300 crew screens that reconnect at once. */
const restaurantRate: BucketRate = { burst: 15_000, perSecond: 1_000 }
const guestRate: BucketRate = { burst: 2_000, perSecond: 200 }

/** So many may all be at one process. */
const fewSockets = 10

/** How often full buckets are dropped, in milliseconds: a full bucket and a missing one are the same. */
const sweepEveryMs = 10_000

/**
 * Limits each socket, all staff sockets of one restaurant together, and all guest sockets of one address together, so
 * that nobody can slow the server down for others by opening many sockets. Sockets are spread evenly over the workers,
 * and so are the limits of groups.
 */
export function createMessageLimiter(
  countProcesses = () => 1,
): (from: Connection, message: ClientMessage, now: number) => void {
  const sockets = new WeakMap<Connection, TokenBucket>()
  const groups = new Map<string, TokenBucket>()
  let sweptAt = 0

  function socketBucket(from: Connection, now: number): TokenBucket {
    const bucket = sockets.get(from) ?? new TokenBucket(socketRate, now)
    sockets.set(from, bucket)
    return bucket
  }

  function groupBucket({ actor: { restaurantId, address } }: Connection, now: number): TokenBucket {
    const key = restaurantId ?? `guests ${address}`
    const existing = groups.get(key)
    if (existing) return existing
    if (now - sweptAt > sweepEveryMs) {
      for (const [otherKey, bucket] of groups) if (bucket.isFull(now)) groups.delete(otherKey)
      sweptAt = now
    }
    const all = restaurantId === null ? guestRate : restaurantRate
    const processes = countProcesses()
    const share = (rate: keyof BucketRate) =>
      Math.max(all[rate] / processes, Math.min(all[rate], fewSockets * socketRate[rate]))
    const created = new TokenBucket({ burst: share('burst'), perSecond: share('perSecond') }, now)
    groups.set(key, created)
    return created
  }

  return (from, message, now) => {
    const cost = costOf(message)
    const waitMs = socketBucket(from, now).take(cost, now) || groupBucket(from, now).take(cost, now)
    if (waitMs === 0) return
    throw new Refusal('rate_limited', `Too many messages. Please wait ${formatDuration(waitMs)}.`)
  }
}
