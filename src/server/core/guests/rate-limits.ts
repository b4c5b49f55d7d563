import type { LimitKey } from '../../ports/limits.ts'
import type { Actor } from '../actor.ts'
import type { Ctx } from '../ctx.ts'
import { Refusal } from '../errors.ts'

/** Who asks for service, and where. */
export type Asker = { actor: Actor; restaurantId: string; tableKey: string; verified: boolean }

/**
 * Four separate budgets with the same limits: requests without a valid code never use up those of guests with one, and
 * repeats of what the table already waits for count on their own.
 */
type AskKind = 'new' | 'repeat'

function limitKeys({ actor, restaurantId, tableKey, verified }: Asker, kind: AskKind): LimitKey[] {
  const budget = `${verified ? 'verified' : 'unverified'} ${kind}`
  const ofDevice: LimitKey[] =
    actor.guestId === null ? [] : [['guest-device', `${budget} ${restaurantId} ${actor.guestId}`]]
  return [
    ...ofDevice,
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
    await this.#count('new', limitKeys(asker, 'new'))
  }

  /**
   * Counts one more tap for an open request, or returns why not: when the budget for new requests is used up, it is not
   * counted either.
   */
  async tryConsumeRepeat(asker: Asker): Promise<Refusal | null> {
    if (this.#counted !== null) return null
    try {
      await this.#count('repeat', limitKeys(asker, 'repeat'), limitKeys(asker, 'new'))
      return null
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limited') return error
      throw error
    }
  }

  async #count(kind: AskKind, taken: LimitKey[], alsoChecked?: LimitKey[]): Promise<void> {
    if (!this.#ctx.settings.guestLimits) return
    await this.#ctx.limits.takeAll(taken, alsoChecked)
    this.#counted = kind
  }
}

/** "Still waiting" makes the crew's screens ring, so it has limits of its own. */
export async function consumeStillWaitingLimits(ctx: Ctx, { guestId, address }: Actor): Promise<void> {
  if (guestId !== null) await ctx.limits.take('guest-still-waiting-device', guestId)
  await ctx.limits.take('guest-still-waiting-address', address)
}

/** Notes to the manager are rarer than taps, so they have smaller budgets of their own. */
export async function consumeNoteLimits(
  ctx: Ctx,
  { actor, restaurantId, tableKey, verified }: Asker,
): Promise<void> {
  if (!ctx.settings.guestLimits) return
  const budget = verified ? 'verified' : 'unverified'
  const { guestId, address } = actor
  await ctx.limits.takeAll([
    ...(guestId === null ? [] : [['guest-note-device', `${budget} ${restaurantId} ${guestId}`] as const]),
    ['guest-note-table', `${budget} ${restaurantId} ${tableKey}`],
    ['guest-note-address', `${budget} ${address}`],
    ['guest-note-restaurant', `${budget} ${restaurantId}`],
  ])
}
