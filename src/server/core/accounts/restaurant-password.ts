import type { RestaurantPassword } from '#contract/accounts.ts'
import * as deviceCodes from '../../storage/device-codes.ts'
import * as owners from '../../storage/owners.ts'
import { refuseGuessablePassword } from './accounts.ts'
import { type Actor, requireGrant } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import type { Ctx, QueueKey } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { rememberAccount } from './device-cookies.ts'
import { verifyPassword } from './identity-confirmation.ts'
import { conflict, invalid, unauthenticated } from '../errors.ts'
import { restaurantOf } from './restaurants.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { requireGrantStillValid, revoke } from './sessions.ts'
import { ownerAccount, queueKeyOf } from './login-throttle.ts'

/**
 * Sets or changes the account's password. Every other device of the restaurant and every other browser of the
 * owner's has to sign in with the new one. Answers the proof that this browser knows the new one.
 */
export async function set(
  ctx: Ctx,
  actor: Actor,
  { password, currentPassword }: RestaurantPassword,
): Promise<string> {
  const { restaurantId } = authorizeInRestaurant(actor, 'accounts.setPassword')
  const owner = await owners.findById(read(ctx), requireGrant(actor, 'owner').subjectId)
  if (!owner) throw unauthenticated()
  await requireCurrentPassword(ctx, actor, owner, currentPassword)
  const { name, staffPasswordHash } = await restaurantOf(read(ctx), actor)
  refuseGuessablePassword(ctx, password, [name, owner.email])
  const turn = queueKeyOf(actor)
  await refuseStaffPassword(ctx, staffPasswordHash, password, turn)
  const passwordHash = await ctx.passwords.hash(password, turn)
  await write(ctx, async (db) => {
    await requireGrantStillValid(ctx, db, actor, 'accounts.setPassword')
    if (!(await owners.changePassword(db, owner, passwordHash))) {
      throw conflict('The password was changed a moment ago. Please try again.')
    }
    await audit.record(ctx, db, actor, restaurantId, 'owner.setPassword')
    await deviceCodes.revoke(db, restaurantId)
    await revoke(ctx, db, actor, { kind: 'device', subjectId: restaurantId, keepOwn: true })
    await revoke(ctx, db, actor, { kind: 'owner', subjectId: owner.id, keepOwn: true })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: 'restaurant', owner: owner.id })
  return rememberAccount(ctx, actor, ownerAccount({ ...owner, passwordHash }))
}

export async function refuseStaffPassword(
  ctx: Ctx,
  staffPasswordHash: string | null,
  password: string,
  turn: QueueKey,
): Promise<void> {
  if (staffPasswordHash !== null && (await ctx.passwords.verify(staffPasswordHash, password, turn)))
    throw invalid('Please choose one that is not the staff password')
}

/** That this is the owner still: by the password there is. Where there is none, a sign-in of a moment ago is enough. */
async function requireCurrentPassword(
  ctx: Ctx,
  actor: Actor,
  owner: owners.Owner,
  currentPassword: string | undefined,
): Promise<void> {
  if (owner.passwordHash === null) return
  if (!currentPassword) throw invalid('Please enter your current password')
  await verifyPassword(
    ctx,
    actor,
    ownerAccount(owner),
    currentPassword,
    invalid('Your current password is wrong'),
  )
}
