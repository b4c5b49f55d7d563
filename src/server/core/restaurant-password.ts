import type { RestaurantPassword } from '#contract/accounts.ts'
import * as owners from '../storage/owners.ts'
import { refuseGuessable } from './accounts.ts'
import { type Actor, grantOf, mayIn } from './actor.ts'
import { type Ctx, read, write } from './context.ts'
import { conflict, forbidden, invalid, Refusal, unauthenticated } from './errors.ts'
import { of } from './restaurants.ts'
import { revoke, tellChanged } from './sessions.ts'
import { throttled } from './throttle.ts'

const recentMs = 15 * 60_000

/**
 * Sets or changes the account's password. Every other device of the restaurant and every other browser of the
 * owner's has to sign in with the new one.
 */
export async function set(
  ctx: Ctx,
  actor: Actor,
  { password, currentPassword }: RestaurantPassword,
): Promise<void> {
  const { restaurantId } = mayIn(actor, 'POST /api/restaurant-password')
  const owner = await owners.findById(read(ctx), grantOf(actor, 'owner').subjectId)
  if (!owner) throw unauthenticated()
  await prove(ctx, actor, owner, currentPassword)
  refuseGuessable(ctx, password, [(await of(read(ctx), actor)).name, owner.email])
  const passwordHash = await ctx.passwords.hash(password)
  const ended = await write(ctx, async (db) => {
    if (!(await owners.changePassword(db, owner, passwordHash))) {
      throw conflict('The password was changed a moment ago. Please try again.')
    }
    return [
      ...(await revoke(db, 'device', restaurantId, actor)),
      ...(await revoke(db, 'owner', owner.id, actor)),
    ]
  })
  tellChanged(ctx, ended)
}

/** That this is the owner still: by the password there is, or by a sign-in of a moment ago where there is none. */
async function prove(
  ctx: Ctx,
  actor: Actor,
  { id, passwordHash }: owners.Owner,
  currentPassword: string | undefined,
): Promise<void> {
  if (passwordHash === null) {
    if (grantOf(actor, 'owner').authAt >= ctx.now() - recentMs) return
    throw forbidden('Please sign in again to do that')
  }
  if (!currentPassword) throw invalid('Please enter your current password')
  try {
    await throttled(ctx, actor, `password:${id}`, async () => {
      if (!(await ctx.passwords.verify(passwordHash, currentPassword))) throw unauthenticated()
    })
  } catch (error) {
    // Who is signed in stays so: it is only this word that is wrong.
    if (error instanceof Refusal && error.code === 'unauthenticated')
      throw invalid('Your current password is wrong')
    throw error
  }
}
