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

/** The limits for one tap. It is counted once, however often its transaction is tried. */
export class TapBudget {
  #ctx: Ctx
  #counted: AskKind | null = null

  constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  /** Counts a tap for a new request, or refuses it without counting it. */
  async consumeNew(asker: Asker): Promise<void> {
    if (this.#counted === 'new') return
    await checkLimits(this.#ctx, asker, 'new')
    await this.#count(asker, 'new')
  }

  /** Whether one more tap for an open request is counted: not when the budget for new requests is used up either. */
  async tryConsumeRepeat(asker: Asker): Promise<boolean> {
    if (this.#counted !== null) return true
    try {
      await checkLimits(this.#ctx, asker, 'new')
      await checkLimits(this.#ctx, asker, 'repeat')
      await this.#count(asker, 'repeat')
      return true
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limited') return false
      throw error
    }
  }

  async #count(asker: Asker, kind: AskKind): Promise<void> {
    if (!this.#ctx.settings.guestLimits) return
    for (const [limit, key] of limitKeys(asker, kind)) await this.#ctx.limits.take(limit, key)
    this.#counted = kind
  }
}

async function checkLimits(ctx: Ctx, asker: Asker, kind: AskKind): Promise<void> {
  if (!ctx.settings.guestLimits) return
  for (const [limit, key] of limitKeys(asker, kind)) await ctx.limits.check(limit, key)
}

/** "Still waiting" makes the crew's screens ring, so it has limits of its own. */
export async function consumeStillWaitingLimits(ctx: Ctx, { guestId, address }: Actor): Promise<void> {
  if (guestId !== null) await ctx.limits.take('guest-urge-device', guestId)
  await ctx.limits.take('guest-urge-address', address)
}
