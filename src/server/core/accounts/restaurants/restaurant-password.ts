import type { RestaurantPassword } from '#contract/accounts/account-forms.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as recovery from '../../../storage/accounts/recovery.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, invalid } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { rememberAccount } from '../devices/device-cookies.ts'
import { requireGrantStillValid, revokeAccess } from '../sessions/sessions.ts'
import { requireOwner } from '../sign-in/identity.ts'
import { ownerAccount } from '../sign-in/login-accounts.ts'
import { confirmPassword, queueKeyOf } from '../sign-in/login-throttle.ts'
import { refuseGuessablePassword, refuseStaffPassword } from '../sign-in/password-rules.ts'
import { loadOwnedRestaurants } from './owned-restaurants.ts'

/**
 * Sets or changes the account's password. All other devices of the owner's restaurants and all other browsers of the
 * owner have to sign in again, and links that would set another password no longer work. Returns this browser's device
 * cookie for the new password.
 */
export async function setPassword(
  ctx: Ctx,
  actor: Actor,
  { password, currentPassword }: RestaurantPassword,
): Promise<string> {
  const { restaurantId } = authorizeInRestaurant(actor, 'accounts.setPassword')
  const owner = await requireOwner(read(ctx), actor)
  await requireCurrentPassword(ctx, actor, owner, currentPassword)
  const { names, staffPasswordHashes } = await loadOwnedRestaurants(read(ctx), owner.id)
  refuseGuessablePassword(ctx, password, [...names, owner.email])
  const queueKey = queueKeyOf(actor)
  await refuseStaffPassword(ctx, staffPasswordHashes, password, queueKey)
  const passwordHash = await ctx.passwords.hash(password, queueKey)
  await write(ctx, async (tx) => {
    await requireGrantStillValid(ctx, tx.db, actor, 'accounts.setPassword')
    if (!(await owners.changePassword(tx.db, owner, passwordHash))) {
      throw conflict('The password was changed a moment ago. Please try again.')
    }
    await recovery.removeResets(tx.db, owner.restaurantId ?? restaurantId)
    await audit.record(ctx, tx.db, actor, restaurantId, 'owner.setPassword')
    await revokeAccess(ctx, tx, actor, { restaurantId, kind: 'owner', id: owner.id, keepOwn: true })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: 'restaurant', owner: owner.id })
  return rememberAccount(ctx, actor, ownerAccount({ ...owner, passwordHash }))
}

/** An owner without a password needs no more than the recent sign-in. */
async function requireCurrentPassword(
  ctx: Ctx,
  actor: Actor,
  owner: owners.Owner,
  currentPassword: string | undefined,
): Promise<void> {
  if (owner.passwordHash === null) return
  if (!currentPassword) throw invalid('Please enter your current password')
  const wrong = invalid('Your current password is wrong')
  await confirmPassword(ctx, actor, ownerAccount(owner), currentPassword, wrong)
}
