import type { OwnerNotice } from '#contract/accounts/recovery.ts'
import * as ownerNotices from '../../../storage/accounts/owner-notices.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as recovery from '../../../storage/accounts/recovery.ts'
import * as endings from '../../../storage/accounts/restaurant-endings.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import { authorizeInRestaurant, requireGrant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../errors.ts'
import { read, write } from '../../transaction.ts'

/** Call inside `write`. The notice stands on the owner's pages until they dismiss it. */
export async function notifyOwner(
  ctx: Ctx,
  db: Db,
  restaurantId: string,
  kind: ownerNotices.OwnerNotice['kind'],
  about: string | null = null,
): Promise<void> {
  await ownerNotices.insert(db, { restaurantId, id: ctx.newId(), at: ctx.now(), kind, about })
}

export async function notices(ctx: Ctx, actor: Actor): Promise<OwnerNotice[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'recovery.notices')
  const notices: OwnerNotice[] = await ownerNotices.list(read(ctx), restaurantId)
  const ending = await endings.find(read(ctx), restaurantId)
  // Its visitor has no password that they could forget.
  if (ending?.kind === 'trial')
    return [{ id: 'demo', at: ending.eraseAt, kind: 'demo', about: null }, ...notices]
  const { subjectId } = requireGrant(actor, 'owner')
  if (await lacksRecoveryCodes(ctx, subjectId))
    return [...notices, { id: 'no-recovery-codes', at: ctx.now(), kind: 'no-recovery-codes', about: null }]
  return notices
}

/** An owner without a password recovers access through their identity provider. */
async function lacksRecoveryCodes(ctx: Ctx, id: string): Promise<boolean> {
  const owner = await owners.findById(read(ctx), id)
  if (!owner || owner.restaurantId === null || owner.passwordHash === null) return false
  const codes = await recovery.listCodes(read(ctx), { restaurantId: owner.restaurantId, kind: 'owner', id })
  return codes.length === 0
}

export async function dismissNotice(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'recovery.dismissNotice')
  if (!(await write(ctx, ({ db }) => ownerNotices.remove(db, restaurantId, id)))) throw notFound('Notice')
}
