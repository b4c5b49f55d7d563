import { type DeletedItem, deletionGraceMs, type RestoredManager } from '#contract/deleted-items.ts'
import * as authenticators from '../../storage/accounts/authenticators.ts'
import * as managers from '../../storage/accounts/managers.ts'
import * as passkeys from '../../storage/accounts/passkeys.ts'
import * as recovery from '../../storage/accounts/recovery.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as deletedItems from '../../storage/deleted-items.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { alreadyRestored, notFound, Refusal } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { endBrowsersOf, requireGrantStillValid, revokeAccess } from './sessions/sessions.ts'
import { removeSecondFactors } from './sign-in/second-factor.ts'

const kind = 'manager' as const
type Content = {
  manager: managers.Manager
  recoveryCodes: Awaited<ReturnType<typeof recovery.listCodes>>
  authenticator: authenticators.Authenticator | null
  passkeys: passkeys.Passkey[]
}

export async function deleted(ctx: Ctx, actor: Actor): Promise<DeletedItem[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.deleted')
  return deletedItems.list(read(ctx), { restaurantId, kind, after: ctx.now() - deletionGraceMs })
}

/**
 * Removing the last manager does not let anybody set up a first one again. Browsers in which the manager signed in are
 * no devices of the restaurant any more, whoever signed them in to it.
 */
export async function remove(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.remove')
  await write(ctx, async (tx) => {
    await restaurants.lock(tx.db, restaurantId)
    const manager = await managers.remove(tx.db, restaurantId, id)
    if (!manager) throw notFound('Manager')
    const { username: name } = manager
    const subject = { restaurantId, kind, id } as const
    const content: Content = {
      manager,
      recoveryCodes: await recovery.listCodes(tx.db, subject),
      authenticator: (await authenticators.find(tx.db, subject)) ?? null,
      passkeys: await passkeys.list(tx.db, subject),
    }
    await deletedItems.insert(tx.db, { ...subject, name, content, deletedAt: ctx.now() })
    await recovery.removeCodes(tx.db, subject)
    await removeSecondFactors(tx.db, subject)
    await audit.record(ctx, tx.db, actor, restaurantId, 'managers.remove', { username: name })
    await endBrowsersOf(ctx, tx, actor, id)
    await revokeAccess(ctx, tx, actor, { ...subject, keepOwn: false })
  })
}

/** With the password and all that protects the login. Whoever was signed in as this manager stays signed out. */
export async function restore(
  ctx: Ctx,
  actor: Actor,
  id: string,
  { username }: RestoredManager,
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.restore')
  const restored = await write(ctx, async ({ db }) => {
    await requireGrantStillValid(ctx, db, actor, 'managers.restore')
    await restaurants.lock(db, restaurantId)
    const item = await deletedItems.take(db, { restaurantId, kind, id }, ctx.now() - deletionGraceMs)
    if (!item) throw (await managers.find(db, restaurantId, id)) ? alreadyRestored() : notFound('Manager')
    const content: Content = JSON.parse(item.content)
    const { usernameKey: _, ...manager } = { ...content.manager, ...(username && { username }) }
    if (!(await managers.add(db, manager))) throw new Refusal('username_taken', 'This manager already exists')
    const codes = content.recoveryCodes
    const [code] = codes
    if (code)
      await recovery.insertCodes(
        db,
        { restaurantId, kind, id },
        codes.map(({ codeHash }) => codeHash),
        code.createdAt,
      )
    if (content.authenticator) await authenticators.restore(db, content.authenticator)
    for (const passkey of content.passkeys) await passkeys.insert(db, passkey)
    await audit.record(ctx, db, actor, restaurantId, 'managers.restore', { username: manager.username })
    return manager.username
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: 'manager', username: restored })
}
