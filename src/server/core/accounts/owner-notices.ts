import type { OwnerNotice } from '#contract/recovery.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as ownerNotices from '../../storage/owner-notices.ts'
import * as owners from '../../storage/owners.ts'
import * as recovery from '../../storage/recovery.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant, requireGrant } from '../authorize.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { notFound } from '../errors.ts'

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

export async function list(ctx: Ctx, actor: Actor): Promise<OwnerNotice[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'recovery.notices')
  const notices: OwnerNotice[] = await ownerNotices.list(read(ctx), restaurantId)
  const { subjectId } = requireGrant(actor, 'owner')
  if (await lacksRecoveryCodes(ctx, restaurantId, subjectId))
    return [...notices, { id: 'no-recovery-codes', at: ctx.now(), kind: 'no-recovery-codes', about: null }]
  return notices
}

/** An owner without a password recovers access through their identity provider. */
async function lacksRecoveryCodes(ctx: Ctx, restaurantId: string, id: string): Promise<boolean> {
  const codes = await recovery.listCodes(read(ctx), { restaurantId, kind: 'owner', id })
  if (codes.length > 0) return false
  const owner = await owners.findById(read(ctx), id)
  return owner !== undefined && owner.passwordHash !== null
}

export async function dismiss(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'recovery.dismissNotice')
  if (!(await write(ctx, (db) => ownerNotices.remove(db, restaurantId, id)))) throw notFound('Notice')
}
