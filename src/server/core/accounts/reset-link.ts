import * as owners from '../../storage/owners.ts'
import * as recovery from '../../storage/recovery.ts'
import { anonymousActor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import type { Ctx } from '../ports.ts'
import { logSecurityEvent } from '../audit/security-log.ts'

/** How long it may be used, in milliseconds. */
const linkLifetimeMs = 30 * 60_000

export type ResetLink =
  | { kind: 'made'; restaurantName: string; link: string }
  | { kind: 'unknown' }
  /** One e-mail address owns all of these. */
  | { kind: 'several'; restaurantNames: string[] }

/** What is there of `Ctx` also while no server runs. */
export type OperatorCtx = Pick<Ctx, 'db' | 'now' | 'newId' | 'secrets' | 'log'>

/**
 * A one-time link with which an owner sets a new password, for whoever has the run of the server's machine. An
 * earlier one is void. `named` is the restaurant or the owner's e-mail address.
 */
export async function create(
  ctx: OperatorCtx,
  origin: string,
  restaurantOrEmail: string,
): Promise<ResetLink> {
  const token = ctx.secrets.newToken()
  // Nothing is announced by it, so it needs no more than the database.
  const outcome = await ctx.db.transact(async (db): Promise<ResetLink & { restaurantId?: string }> => {
    const matches = await owners.findByRestaurantOrEmail(db, restaurantOrEmail)
    const [owner, another] = matches
    if (!owner) return { kind: 'unknown' }
    if (another)
      return { kind: 'several', restaurantNames: matches.map(({ restaurantName }) => restaurantName) }
    const { id: ownerId, restaurantId, restaurantName } = owner
    const tokenHash = ctx.secrets.digest(token)
    await recovery.saveReset(db, { restaurantId, ownerId, tokenHash, expiresAt: ctx.now() + linkLifetimeMs })
    await audit.record(ctx, db, anonymousActor(), restaurantId, 'recovery.createLink')
    return { kind: 'made', restaurantName, link: `${origin}/reset-password#${token}`, restaurantId }
  })
  const { restaurantId, ...made } = outcome
  if (restaurantId)
    logSecurityEvent(ctx, anonymousActor(), 'recovery-link-created', { restaurant: restaurantId })
  return made
}
