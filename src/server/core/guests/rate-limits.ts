import type { Actor } from '../actor.ts'
import type { Ctx, LimitName } from '../ports.ts'
import { Refusal } from '../errors.ts'

/** Who asks for service, and where. */
export type Asker = { actor: Actor; restaurantId: string; tableKey: string; verified: boolean }

/**
 * Four separate budgets with the same limits: requests without a valid code never use up those of guests with one, and
 * repeats of what the table already waits for count on their own.
 */
type AskKind = 'new' | 'repeat'

function limitKeys({ actor, restaurantId, tableKey, verified }: Asker, kind: AskKind): [LimitName, string][] {
  const budget = `${verified ? 'verified' : 'unverified'} ${kind}`
  return [
    ...(actor.guestId === null
      ? []
      : [['guest-device', `${budget} ${restaurantId} ${actor.guestId}`] satisfies [LimitName, string]]),
    ['guest-table', `${budget} ${restaurantId} ${tableKey}`],
    ['guest-address', `${budget} ${actor.address}`],
    ['guest-restaurant', `${budget} ${restaurantId}`],
  ]
}

/** Refuses a request over the limit, without counting it. */
export async function checkLimits(ctx: Ctx, asker: Asker, kind: AskKind): Promise<void> {
  if (!ctx.settings.guestLimits) return
  for (const [limit, key] of limitKeys(asker, kind)) await ctx.limits.check(limit, key)
}

export async function consumeLimits(ctx: Ctx, asker: Asker, kind: AskKind): Promise<void> {
  if (!ctx.settings.guestLimits) return
  for (const [limit, key] of limitKeys(asker, kind)) await ctx.limits.take(limit, key)
}

/** Whether one more repeat is counted: not when the budget for new requests is used up either. */
export async function tryConsumeRepeat(ctx: Ctx, asker: Asker): Promise<boolean> {
  try {
    await checkLimits(ctx, asker, 'new')
    await checkLimits(ctx, asker, 'repeat')
    await consumeLimits(ctx, asker, 'repeat')
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'rate_limited') return false
    throw error
  }
}

/** "Still waiting" makes the crew's screens ring, so it has limits of its own. */
export async function consumeStillWaitingLimits(ctx: Ctx, { guestId, address }: Actor): Promise<void> {
  if (guestId !== null) await ctx.limits.take('guest-urge-device', guestId)
  await ctx.limits.take('guest-urge-address', address)
}
