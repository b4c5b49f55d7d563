import type { RestaurantArchive } from '../../ports/exports.ts'
import { requireGrantStillValid } from '../accounts/sessions/sessions.ts'
import type { Actor } from '../actor.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { write } from '../transaction.ts'

/** Everything about the restaurant, in one file. `gone` is aborted when nobody waits for it any more. */
export async function download(
  ctx: Ctx,
  actor: Actor,
  { gone }: { gone: AbortSignal },
): Promise<RestaurantArchive> {
  const { restaurantId } = authorizeInRestaurant(actor, 'restaurant.download')
  const archive = await ctx.exports.write(
    { restaurantId, now: ctx.now() },
    { signal: gone, begun: () => ctx.limits.take('restaurant-export', restaurantId) },
  )
  try {
    await write(ctx, ({ db }) => requireGrantStillValid(ctx, db, actor, 'restaurant.download'))
  } catch (error) {
    archive.chunks.destroy()
    throw error
  }
  logSecurityEvent(ctx, actor, 'data-exported', { what: 'restaurant', bytes: archive.bytes })
  return archive
}
