import type { Actor } from '../actor.ts'
import type { Ctx, LimitName } from '../ports.ts'
import { Refusal } from '../errors.ts'

/** Who asks for service, and where. */
export type Asker = { actor: Actor; restaurantId: string; tableKey: string; verified: boolean }

/**
 * Four budgets with the same limits each: whoever asks without a code of ours never spends what guests with one need,
 * and repeats of what the table already waits for count by themselves.
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

/** Refuses what would be over a limit, and counts nothing. */
export async function checkLimits(ctx: Ctx, by: Asker, asked: AskKind): Promise<void> {
  if (!ctx.settings.guestLimits) return
  for (const [limit, key] of limitKeys(by, asked)) await ctx.limits.check(limit, key)
}

export async function consumeLimits(ctx: Ctx, by: Asker, asked: AskKind): Promise<void> {
  if (!ctx.settings.guestLimits) return
  for (const [limit, key] of limitKeys(by, asked)) await ctx.limits.take(limit, key)
}

/** Whether one more repeat is noted. Who has spent what new requests may cost is heard no more either. */
export async function tryConsumeRepeat(ctx: Ctx, by: Asker): Promise<boolean> {
  try {
    await checkLimits(ctx, by, 'new')
    await checkLimits(ctx, by, 'repeat')
    await consumeLimits(ctx, by, 'repeat')
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'rate_limited') return false
    throw error
  }
}

/** "Still waiting" makes the crew's screens ring. */
export async function consumeStillWaitingLimits(ctx: Ctx, { guestId, address }: Actor): Promise<void> {
  if (guestId !== null) await ctx.limits.take('guest-urge-device', guestId)
  await ctx.limits.take('guest-urge-address', address)
}
