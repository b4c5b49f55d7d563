import * as memberships from '../../../storage/accounts/memberships.ts'
import * as endings from '../../../storage/accounts/restaurant-endings.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import * as billing from '../../../storage/billing/billing.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as tables from '../../../storage/export/restaurant-tables.ts'
import { endEverything, type ErasedCtx } from '../../billing/end-subscriptions.ts'
import { allowedActions } from '../../billing/subscription-status.ts'
import type { Ctx } from '../../ctx.ts'
import { announceAvailability } from '../../guests/opening.ts'
import { cancelAllOpen } from '../../requests/close.ts'
import { systemAttribution } from '../../requests/request-events.ts'
import { read, write } from '../../transaction.ts'
import type { OperatorCtx } from '../recovery/reset-link.ts'
import { eraseHistory, eraseRest } from './erase-rows.ts'
import { eraseBegun } from './restaurant-endings.ts'

export type Erasure =
  | {
      kind: 'erased'
      restaurantName: string
      createdAt: number
      /** By table. */
      rows: Record<string, number>
      /** Whoever outside was sent something, and keeps what was in it. */
      receivers: { kind: string; address: string; lastAt: number | null }[]
      /** Stays with the payment provider. */
      customerId: string | null
    }
  | { kind: 'unknown' }
  | { kind: 'charged' }

/** For the operator: at once, whatever the owner has decided. Screens and devices of the restaurant are signed out. */
export async function eraseNamed(ctx: Ctx, name: string): Promise<Erasure> {
  const restaurantId = await restaurants.findIdByName(read(ctx), name)
  if (restaurantId === undefined) return { kind: 'unknown' }
  const erasure = await write(ctx, async (tx) => {
    const begun = await begin(ctx, tx.db, restaurantId)
    if (begun.kind !== 'erased') return begun
    await cancelAllOpen(ctx, tx, { restaurantId, by: systemAttribution })
    announceAvailability(tx.announce, restaurantId)
    return begun
  })
  if (erasure.kind === 'erased') await eraseBegun(ctx, restaurantId)
  return erasure
}

/** While no server runs, or beside those that share PostgreSQL, which have to be told of the sessions. */
export async function eraseAlone(
  ctx: OperatorCtx & ErasedCtx,
  restaurantId: string,
): Promise<{ erasure: Erasure; sessionIds: string[] }> {
  const erasure = await ctx.db.transact((db) => begin(ctx, db, restaurantId))
  if (erasure.kind !== 'erased') return { erasure, sessionIds: [] }
  await endEverything(ctx, restaurantId)
  await eraseHistory(ctx, restaurantId)
  return { erasure, sessionIds: await ctx.db.transact((db) => eraseRest(ctx, db, restaurantId)) }
}

/** From now on nobody finds it by its name, and what is interrupted here is ended by the servers. */
async function begin(ctx: OperatorCtx, db: Db, restaurantId: string): Promise<Erasure> {
  const restaurant = await restaurants.lock(db, restaurantId)
  if (!restaurant) return { kind: 'unknown' }
  if (await isCharged(db, restaurantId)) return { kind: 'charged' }
  await memberships.moveOwnersFrom(db, restaurantId)
  const rows = await tables.countRows(db, ctx.db.engine, restaurantId)
  const receivers = await tables.listReceivers(db, restaurantId)
  const customer = await billing.findCustomer(db, restaurantId)
  await endings.beginErasingNow(db, restaurantId)
  const { name: restaurantName, createdAt } = restaurant
  const customerId = customer && !isSandbox(customer.provider) ? customer.customerId : null
  return { kind: 'erased', restaurantName, createdAt, rows, receivers, customerId }
}

const isSandbox = (provider: string): boolean => provider.startsWith('sandbox')

async function isCharged(db: Db, restaurantId: string): Promise<boolean> {
  const subscriptions = await tables.findSubscriptions(db, restaurantId)
  return subscriptions.some(
    ({ provider, status, cancelAtPeriodEnd }) =>
      !isSandbox(provider) && allowedActions(status, cancelAtPeriodEnd === 1).includes('cancel'),
  )
}
