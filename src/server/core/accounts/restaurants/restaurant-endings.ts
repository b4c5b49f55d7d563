import type { RestaurantDeletion, RestaurantEnding } from '#contract/accounts/restaurants.ts'
import { deletionGraceMs } from '#contract/deleted-items.ts'
import { nameKey } from '#contract/primitives.ts'
import * as apiTokens from '../../../storage/accounts/api-tokens.ts'
import * as deviceCodes from '../../../storage/accounts/device-codes.ts'
import * as endings from '../../../storage/accounts/restaurant-endings.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import * as billing from '../../../storage/billing/billing.ts'
import type { Db } from '../../../storage/engine/types.ts'
import { type Actor, eventAttribution } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import { withLease } from '../../billing/billing-lease.ts'
import { endEverything, endUnpaid } from '../../billing/end-subscriptions.ts'
import { allowedActions } from '../../billing/subscription-status.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import { announceAvailability } from '../../guests/opening.ts'
import { publishDevicesChanged } from '../../push/subscriptions.ts'
import { cancelAllOpen } from '../../requests/close.ts'
import { systemAttribution } from '../../requests/request-events.ts'
import { read, write } from '../../transaction.ts'
import { publishSessionsChanged, requireGrantStillValid } from '../sessions/sessions.ts'
import { eraseHistory, eraseRest } from './erase-rows.ts'

export async function ending(ctx: Ctx, actor: Actor): Promise<RestaurantEnding> {
  const { restaurantId } = authorizeInRestaurant(actor, 'restaurant.ending')
  const stored = await endings.find(read(ctx), restaurantId)
  // 0 once its erasure has begun.
  const eraseAt = stored ? Math.max(stored.eraseAt, ctx.now()) : null
  return { eraseAt, ...(stored?.kind === 'trial' && { isDemo: true }) }
}

/**
 * From now on its names find nothing and nobody but the owner can sign in; after 30 days everything is erased. The names
 * stay taken until then, so that it can come back as it was.
 */
export async function remove(
  ctx: Ctx,
  actor: Actor,
  { restaurantName }: RestaurantDeletion,
): Promise<RestaurantEnding> {
  const { restaurantId } = authorizeInRestaurant(actor, 'restaurant.remove')
  const eraseAt = ctx.now() + deletionGraceMs
  const store = (): Promise<void> => writeDeletion(ctx, actor, { restaurantId, restaurantName, eraseAt })
  if (!ctx.settings.billing) await store()
  else {
    requireNamed(await restaurants.findById(read(ctx), restaurantId), restaurantName)
    // Not while a payment step is running, which might charge it.
    await withLease(
      ctx,
      restaurantId,
      async (lease) => {
        await endUnpaid(ctx, restaurantId, lease)
        await store()
      },
      (db) => requireGrantStillValid(ctx, db, actor, 'restaurant.remove'),
    )
  }
  return { eraseAt }
}

function requireNamed(restaurant: restaurants.Restaurant | undefined, typed: string): void {
  if (!restaurant) throw notFound('Restaurant')
  if (nameKey(restaurant.name) !== nameKey(typed)) throw invalid('This is not the name of your restaurant')
}

async function writeDeletion(
  ctx: Ctx,
  actor: Actor,
  {
    restaurantId,
    restaurantName,
    eraseAt,
  }: { restaurantId: string; restaurantName: string; eraseAt: number },
): Promise<void> {
  await write(ctx, async (tx) => {
    await requireGrantStillValid(ctx, tx.db, actor, 'restaurant.remove')
    requireNamed(await restaurants.lock(tx.db, restaurantId), restaurantName)
    if (await isStillCharged(ctx, tx.db, restaurantId))
      throw conflict('Please cancel your subscription first, so that nothing more is charged')
    if (!(await endings.insert(tx.db, { restaurantId, kind: 'deleted', eraseAt })))
      throw conflict('This restaurant is deleted already')
    await audit.record(ctx, tx.db, actor, restaurantId, 'restaurant.remove', {})
    await cancelAllOpen(ctx, tx, { restaurantId, by: eventAttribution(actor) })
    // Guests' pages load again, and read that there is no such restaurant.
    announceAvailability(tx.announce, restaurantId)
    await deviceCodes.revoke(tx.db, restaurantId)
    const ended = [
      ...(await endings.signOutOthers(tx.db, restaurantId, actor.sessionId)),
      // They are refused while it is deleted, and valid again once it is restored.
      ...(await apiTokens.list(tx.db, restaurantId)).map(({ id }) => id),
    ]
    tx.afterCommit(() => {
      publishSessionsChanged(ctx, ended)
      publishDevicesChanged(ctx, [restaurantId])
    })
  })
}

async function isStillCharged(ctx: Ctx, db: Db, restaurantId: string): Promise<boolean> {
  if (!ctx.settings.billing) return false
  const subscription = await billing.find(db, ctx.payments.ledger, restaurantId)
  const { status, cancelAtPeriodEnd } = subscription ?? { status: null, cancelAtPeriodEnd: 0 }
  return allowedActions(status, cancelAtPeriodEnd === 1).includes('cancel')
}

export async function restore(ctx: Ctx, actor: Actor): Promise<RestaurantEnding> {
  const { restaurantId } = authorizeInRestaurant(actor, 'restaurant.restore')
  await write(ctx, async ({ db }) => {
    if (!(await endings.restore(db, restaurantId))) throw conflict('This restaurant is not deleted')
    await audit.record(ctx, db, actor, restaurantId, 'restaurant.restore', {})
  })
  return { eraseAt: null }
}

/** Cancels taps that were under way when their restaurants were deleted, unless the owner has restored them since. */
export async function cancelOrphanedRequests(ctx: Ctx): Promise<void> {
  for (const restaurantId of await endings.listWaitedAt(read(ctx)))
    await write(ctx, async (tx) => {
      if ((await endings.lock(tx.db, restaurantId))?.kind !== 'deleted') return
      await cancelAllOpen(ctx, tx, { restaurantId, by: systemAttribution })
    })
}

/**
 * One after the other, so that nobody else waits long for a write. The owner may still restore one meanwhile. One that
 * cannot be erased stops no other, and is told at the end.
 */
export async function eraseDueRestaurants(ctx: Ctx): Promise<void> {
  const failures: unknown[] = []
  for (const restaurantId of await endings.listDue(read(ctx), ctx.now())) {
    if (ctx.stopping.aborted) break
    await eraseIfDue(ctx, restaurantId).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

async function eraseIfDue(ctx: Ctx, restaurantId: string): Promise<void> {
  if (await write(ctx, ({ db }) => endings.beginErasing(db, restaurantId, ctx.now())))
    await eraseBegun(ctx, restaurantId)
}

/** Its erasure has begun. Signs its screens and devices out. */
export async function eraseBegun(ctx: Ctx, restaurantId: string): Promise<void> {
  await endEverything(ctx, restaurantId)
  await eraseHistory(ctx, restaurantId)
  await write(ctx, async ({ db, afterCommit }) => {
    const sessionIds = await eraseRest(ctx, db, restaurantId)
    afterCommit(() => {
      publishSessionsChanged(ctx, sessionIds)
      publishDevicesChanged(ctx, [restaurantId])
    })
  })
}
