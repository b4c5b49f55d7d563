import type { ClientMessage } from '#contract/live.ts'
import { formatDuration, Refusal } from '../../core/errors.ts'
import type { Connection } from '../connection.ts'
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
/** How often a socket may show a code beyond its address's limit. One whose code is good needs it once. */
const codeRate: BucketRate = { burst: 3, perSecond: 0.1 }

/** So many may all be at one process. */
const fewSockets = 10

/** How often full buckets are dropped, in milliseconds: a full bucket and a missing one are the same. */
const sweepEveryMs = 10_000

/** A whole restaurant sits behind one address, and so may somebody who floods it without having its code. */
const groupOf = ({ actor: { restaurantId, address }, codeOf }: Connection): string =>
  restaurantId ?? (codeOf === null ? `guests ${address}` : `guests ${address} ${codeOf}`)

type MessageLimiter = {
  /** Takes the cost of the message, or refuses it. */
  charge: (from: Connection, message: ClientMessage, now: number) => void
  /** Whether it is worth looking whether this guest has a code: others have used up what guests without one share. */
  mayShowCode: (from: Connection, message: ClientMessage, now: number) => boolean
}

/**
 * Limits each socket, all staff sockets of one restaurant together, and all guest sockets of one address together, those
 * with a restaurant's code apart from the others, so that nobody can slow the server down for others by opening many
 * sockets. Sockets are spread evenly over the workers, and so are the limits of groups.
 */
export function createMessageLimiter(countProcesses = () => 1): MessageLimiter {
  const sockets = new WeakMap<Connection, TokenBucket>()
  const codes = new WeakMap<Connection, TokenBucket>()
  const groups = new Map<string, TokenBucket>()
  let sweptAt = 0

  function bucketOf(
    buckets: WeakMap<Connection, TokenBucket>,
    rate: BucketRate,
    from: Connection,
    now: number,
  ): TokenBucket {
    const bucket = buckets.get(from) ?? new TokenBucket(rate, now)
    buckets.set(from, bucket)
    return bucket
  }

  function groupBucket(from: Connection, now: number): TokenBucket {
    const key = groupOf(from)
    const existing = groups.get(key)
    if (existing) return existing
    if (now - sweptAt > sweepEveryMs) {
      for (const [otherKey, bucket] of groups) if (bucket.isFull(now)) groups.delete(otherKey)
      sweptAt = now
    }
    const all = from.actor.restaurantId === null ? guestRate : restaurantRate
    const processes = countProcesses()
    const share = (rate: keyof BucketRate) =>
      Math.max(all[rate] / processes, Math.min(all[rate], fewSockets * socketRate[rate]))
    const created = new TokenBucket({ burst: share('burst'), perSecond: share('perSecond') }, now)
    groups.set(key, created)
    return created
  }

  return {
    charge(from, message, now) {
      const cost = costOf(message)
      const waitMs =
        bucketOf(sockets, socketRate, from, now).take(cost, now) || groupBucket(from, now).take(cost, now)
      if (waitMs === 0) return
      throw new Refusal('rate_limited', `Too many messages. Please wait ${formatDuration(waitMs)}.`)
    },
    mayShowCode: (from, message, now) =>
      from.actor.restaurantId === null &&
      from.codeOf === null &&
      !groupBucket(from, now).has(costOf(message), now) &&
      bucketOf(codes, codeRate, from, now).take(1, now) === 0,
  }
}
