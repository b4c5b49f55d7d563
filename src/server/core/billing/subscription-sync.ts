import type { SubscriptionSnapshot } from '../../ports/payments.ts'
import * as billing from '../../storage/billing/billing.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Ctx } from '../ctx.ts'
import { read, write } from '../transaction.ts'
import { withLease } from './billing-lease.ts'
import { selectCurrent } from './subscription-status.ts'

/** The restaurant's customer at the present provider. */
export async function findCustomerId(ctx: Ctx, db: Db, restaurantId: string): Promise<string | undefined> {
  if (!ctx.settings.billing) return undefined
  const customer = await billing.findCustomer(db, restaurantId)
  return customer?.provider === ctx.payments.ledger && customer.deletedAt === null
    ? customer.customerId
    : undefined
}

/** Orders the provider's answers by when they were requested: the later request wins, whichever answer comes last. */
export async function nextSnapshotTime(ctx: Ctx, restaurantId: string): Promise<number> {
  return Math.max(ctx.now(), (await billing.findAsOf(read(ctx), restaurantId)) + 1)
}

export async function saveSnapshot(
  ctx: Ctx,
  restaurantId: string,
  asOf: number,
  snapshot: SubscriptionSnapshot | undefined,
): Promise<void> {
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  const row: billing.Subscription | undefined = snapshot
    ? {
        restaurantId,
        provider: ctx.payments.ledger,
        subscriptionId: snapshot.id,
        setupIntentId: snapshot.setupIntentId,
        status: snapshot.status,
        plan: snapshot.plan,
        priceId: snapshot.priceId,
        nextPlan: snapshot.nextPlan,
        currentPeriodEnd: snapshot.currentPeriodEnd,
        cancelAtPeriodEnd: snapshot.cancelAtPeriodEnd ? 1 : 0,
        asOf,
      }
    : // The provider no longer knows the subscription, so it has ended.
      stored && { ...stored, status: 'canceled', nextPlan: null, asOf }
  if (row) await write(ctx, ({ db }) => billing.save(db, row))
}

/** Call it while holding the lease. */
export async function refresh(ctx: Ctx, restaurantId: string): Promise<void> {
  const customerId = await findCustomerId(ctx, read(ctx), restaurantId)
  if (customerId === undefined) return
  const asOf = await nextSnapshotTime(ctx, restaurantId)
  await saveSnapshot(ctx, restaurantId, asOf, selectCurrent(await ctx.payments.subscriptions(customerId)))
}

export const refreshWithLease = (ctx: Ctx, restaurantId: string): Promise<void> =>
  withLease(ctx, restaurantId, () => refresh(ctx, restaurantId))

/** If the provider has deleted the customer, its subscription has ended, and the next one gets a new customer. */
export async function syncCustomer(ctx: Ctx, restaurantId: string): Promise<void> {
  await withLease(ctx, restaurantId, async () => {
    const customerId = await findCustomerId(ctx, read(ctx), restaurantId)
    if (customerId === undefined) return
    if (await ctx.payments.hasCustomer(customerId)) return refresh(ctx, restaurantId)
    await saveSnapshot(ctx, restaurantId, await nextSnapshotTime(ctx, restaurantId), undefined)
    await write(ctx, ({ db }) => billing.markCustomerDeleted(db, customerId, ctx.now()))
  })
}
