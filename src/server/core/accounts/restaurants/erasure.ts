import * as billing from '../../../storage/billing/billing.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as memberships from '../../../storage/accounts/memberships.ts'
import * as tables from '../../../storage/export/restaurant-tables.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import { allowedActions } from '../../billing/subscription-status.ts'
import { announceAvailability } from '../../guests/opening.ts'
import type { Ctx } from '../../ctx.ts'
import { publishDevicesChanged } from '../../push/subscriptions.ts'
import { cancelAllOpen } from '../../requests/close.ts'
import { systemAttribution } from '../../requests/request-events.ts'
import { afterCommit, read, write } from '../../transaction.ts'
import { eraseRows } from './erase-rows.ts'
import type { OperatorCtx } from '../recovery/reset-link.ts'
import { publishSessionsChanged } from '../sessions/sessions.ts'

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
  if (await isCharged(read(ctx), restaurantId)) return { kind: 'charged' }
  // In a write of its own: what it stores of the requests goes with them.
  await write(ctx, async (db, announce) => {
    await cancelAllOpen(ctx, db, announce, { restaurantId, by: systemAttribution })
    announceAvailability(announce, restaurantId)
  })
  return write(ctx, async (db) => {
    const { erasure, sessionIds } = await erase(ctx, db, restaurantId)
    if (erasure.kind === 'erased')
      afterCommit(() => {
        publishSessionsChanged(ctx, sessionIds)
        publishDevicesChanged(ctx, [restaurantId])
      })
    return erasure
  })
}

/** While no server runs, or beside those that share PostgreSQL, which have to be told of the sessions. */
export async function eraseAlone(
  ctx: OperatorCtx,
  restaurantId: string,
): Promise<{ erasure: Erasure; sessionIds: string[] }> {
  return ctx.db.transact((db) => erase(ctx, db, restaurantId))
}

async function erase(
  ctx: OperatorCtx,
  db: Db,
  restaurantId: string,
): Promise<{ erasure: Erasure; sessionIds: string[] }> {
  const restaurant = await restaurants.lock(db, restaurantId)
  if (!restaurant) return { erasure: { kind: 'unknown' }, sessionIds: [] }
  if (await isCharged(db, restaurantId)) return { erasure: { kind: 'charged' }, sessionIds: [] }
  await memberships.moveOwnersFrom(db, restaurantId)
  const rows = await tables.countRows(db, ctx.db.engine, restaurantId)
  const receivers = await tables.listReceivers(db, restaurantId)
  const customer = await billing.findCustomer(db, restaurantId)
  const sessionIds = await eraseRows(ctx, db, restaurantId)
  const { name: restaurantName, createdAt } = restaurant
  const customerId = customer && !isSandbox(customer.provider) ? customer.customerId : null
  return {
    erasure: { kind: 'erased', restaurantName, createdAt, rows, receivers, customerId },
    sessionIds,
  }
}

const isSandbox = (provider: string): boolean => provider.startsWith('sandbox')

async function isCharged(db: Db, restaurantId: string): Promise<boolean> {
  const subscriptions = await tables.findSubscriptions(db, restaurantId)
  return subscriptions.some(
    ({ provider, status, cancelAtPeriodEnd }) =>
      !isSandbox(provider) && allowedActions(status, cancelAtPeriodEnd === 1).includes('cancel'),
  )
}
