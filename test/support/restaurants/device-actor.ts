import { reidentify } from '../../../src/server/core/accounts/sessions/sessions.ts'
import { type Actor, anonymousActor } from '../../../src/server/core/actor.ts'
import type { Ctx } from '../../../src/server/core/ctx.ts'

/** A device that is signed in to a restaurant. */
export const deviceActor = (restaurantId: string, sessionId: string | null = null): Actor => ({
  ...anonymousActor(),
  sessionId,
  restaurantId,
  grants: new Map([
    [
      'device',
      {
        subjectId: restaurantId,
        restaurantId,
        authAt: 0,
        idleUntil: Infinity,
        recent: true,
        via: 'password',
      },
    ],
  ]),
})

/** The device that is stored as signed in to a restaurant; its owner's browser may be another one. */
export async function storedDeviceActor(ctx: Ctx, restaurantId: string): Promise<Actor> {
  const { sessionId } = await ctx.db.reader
    .selectFrom('sessionGrant')
    .select('sessionId')
    .where('kind', '=', 'device')
    .where('restaurantId', '=', restaurantId)
    .where('sessionId', 'not in', (e) =>
      e.selectFrom('sessionGrant').select('sessionId').where('kind', '=', 'owner'),
    )
    .executeTakeFirstOrThrow()
  return reidentify(ctx, { ...anonymousActor(), sessionId })
}
