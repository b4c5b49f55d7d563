import { minuteMs } from '#contract/durations.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as recovery from '../../../storage/accounts/recovery.ts'
import { anonymousActor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import type { Ctx } from '../../ctx.ts'

const linkLifetimeMs = 30 * minuteMs

export type ResetLink =
  | { kind: 'made'; restaurantName: string; link: string }
  | { kind: 'unknown' }
  /** The e-mail address owns all of these. */
  | { kind: 'several'; restaurantNames: string[] }

/** The part of `Ctx` that exists even if no server is running. */
export type OperatorCtx = Pick<Ctx, 'db' | 'now' | 'newId' | 'secrets' | 'log'>

/** Creates a one-time link for an owner to set a new password. For operators with access to the server's machine. */
export async function create(
  ctx: OperatorCtx,
  origin: string,
  restaurantOrEmail: string,
): Promise<ResetLink> {
  const token = ctx.secrets.newToken()
  // Not `write`, which needs more than the database: there is nothing to announce.
  const outcome = await ctx.db.transact(async (db): Promise<ResetLink & { restaurantId?: string }> => {
    const matches = await owners.findByRestaurantOrEmail(db, restaurantOrEmail)
    const [owner, another] = matches
    if (!owner) return { kind: 'unknown' }
    if (another)
      return { kind: 'several', restaurantNames: matches.map(({ restaurantName }) => restaurantName) }
    const { id: ownerId, home: restaurantId, restaurantName } = owner
    const tokenHash = ctx.secrets.digest(token)
    const expiresAt = ctx.now() + linkLifetimeMs
    await recovery.saveReset(db, { restaurantId, ownerId, tokenHash, expiresAt, via: 'operator' })
    await audit.record(ctx, db, anonymousActor(), restaurantId, 'recovery.createLink')
    return { kind: 'made', restaurantName, link: `${origin}/reset-password#${token}`, restaurantId }
  })
  const { restaurantId, ...result } = outcome
  if (restaurantId)
    logSecurityEvent(ctx, anonymousActor(), 'recovery-link-created', { restaurant: restaurantId })
  return result
}
