import type { Plan } from '#contract/billing.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type Attempt = Schema['paymentAttempt']
export type Subscription = Schema['subscription']
type Customer = Schema['paymentCustomer']
type Lease = Schema['billingLock']

/** True if this call got the lease: nobody held it, or the holder had not renewed it in time. */
export async function acquireLease(db: Db, lease: Lease, now: number): Promise<boolean> {
  return hasRow(
    db
      .insertInto('billingLock')
      .values(lease)
      .onConflict((c) =>
        c
          .column('restaurantId')
          .doUpdateSet({ holder: lease.holder, until: lease.until })
          .where('billingLock.until', '<', now),
      )
      .returning('holder'),
  )
}

/** False if the lease was lost meanwhile. */
export async function renewLease(db: Db, { restaurantId, holder, until }: Lease): Promise<boolean> {
  return hasRow(
    db
      .updateTable('billingLock')
      .set({ until })
      .where((e) => e.and({ restaurantId, holder }))
      .returning('holder'),
  )
}

export async function releaseLease(db: Db, restaurantId: string, holder: string): Promise<void> {
  await db
    .deleteFrom('billingLock')
    .where((e) => e.and({ restaurantId, holder }))
    .execute()
}

/** The restaurant's customer in the ledger that was used last. */
export async function findCustomer(db: Db, restaurantId: string): Promise<Customer | undefined> {
  return db
    .selectFrom('paymentCustomer')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .executeTakeFirst()
}

export async function findRestaurantId(
  db: Db,
  provider: string,
  customerId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('paymentCustomer')
    .select('restaurantId')
    .where((e) => e.and({ provider, customerId }))
    .executeTakeFirst()
  return row?.restaurantId
}

export async function setCustomer(db: Db, customer: Omit<Customer, 'deletedAt'>): Promise<void> {
  const { provider, customerId } = customer
  await db
    .insertInto('paymentCustomer')
    .values({ ...customer, deletedAt: null })
    .onConflict((c) => c.column('restaurantId').doUpdateSet({ provider, customerId, deletedAt: null }))
    .execute()
}

export async function markCustomerDeleted(db: Db, customerId: string, at: number): Promise<void> {
  await db
    .updateTable('paymentCustomer')
    .set({ deletedAt: at })
    .where('customerId', '=', customerId)
    .where('deletedAt', 'is', null)
    .execute()
}

export async function findOpenAttempt(
  db: Db,
  restaurantId: string,
  { plan, priceId, createdAfter }: { plan: Plan; priceId: string; createdAfter: number },
): Promise<Attempt | undefined> {
  return db
    .selectFrom('paymentAttempt')
    .selectAll()
    .where((e) => e.and({ restaurantId, state: 'open', plan, priceId }))
    .where('createdAt', '>', createdAfter)
    .orderBy('createdAt', 'desc')
    .executeTakeFirst()
}

export async function insertAttempt(db: Db, attempt: Attempt): Promise<void> {
  await db.insertInto('paymentAttempt').values(attempt).execute()
}

export async function setSetupIntent(
  db: Db,
  restaurantId: string,
  id: string,
  setupIntentId: string,
): Promise<void> {
  await db
    .updateTable('paymentAttempt')
    .set({ setupIntentId })
    .where((e) => e.and({ restaurantId, id }))
    .execute()
}

export async function findAttempt(
  db: Db,
  restaurantId: string,
  setupIntentId: string,
): Promise<Attempt | undefined> {
  return db
    .selectFrom('paymentAttempt')
    .selectAll()
    .where((e) => e.and({ restaurantId, setupIntentId }))
    .executeTakeFirst()
}

export async function supersedeAttempt(db: Db, restaurantId: string, id: string): Promise<void> {
  await db
    .updateTable('paymentAttempt')
    .set({ state: 'superseded' })
    .where((e) => e.and({ restaurantId, id, state: 'open' }))
    .execute()
}

/** One attempt led to a subscription, so a late webhook about another one must not lead to a second. */
export async function settleAttempts(db: Db, restaurantId: string, setupIntentId: string): Promise<void> {
  await db
    .updateTable('paymentAttempt')
    .set({ state: 'subscribed' })
    .where((e) => e.and({ restaurantId, setupIntentId }))
    .execute()
  await db
    .updateTable('paymentAttempt')
    .set({ state: 'superseded' })
    .where((e) => e.and({ restaurantId, state: 'open' }))
    .execute()
}

export async function find(
  db: Db,
  provider: string,
  restaurantId: string,
): Promise<Subscription | undefined> {
  return db
    .selectFrom('subscription')
    .selectAll()
    .where((e) => e.and({ restaurantId, provider }))
    .executeTakeFirst()
}

/** When the stored subscription was requested from its provider, whichever ledger that was; 0 without one. */
export async function findAsOf(db: Db, restaurantId: string): Promise<number> {
  const row = await db
    .selectFrom('subscription')
    .select('asOf')
    .where('restaurantId', '=', restaurantId)
    .executeTakeFirst()
  return row?.asOf ?? 0
}

/** Does nothing if what is stored was requested later. */
export async function save(db: Db, subscription: Subscription): Promise<void> {
  const { restaurantId: _, ...fields } = subscription
  await db
    .insertInto('subscription')
    .values(subscription)
    .onConflict((c) =>
      c.column('restaurantId').doUpdateSet(fields).where('subscription.asOf', '<', subscription.asOf),
    )
    .execute()
}

/** Subscriptions that were last refreshed before `before`, or whose period has ended since they were refreshed. */
export async function listStaleRestaurants(
  db: Db,
  provider: string,
  { before, now, ended }: { before: number; now: number; ended: readonly string[] },
): Promise<string[]> {
  const rows = await db
    .selectFrom('subscription')
    .select('restaurantId')
    .where('provider', '=', provider)
    .where('status', 'not in', [...ended])
    .where((e) =>
      e.or([
        e('asOf', '<', before),
        e.and([e('currentPeriodEnd', '<', now), e('asOf', '<', e.ref('currentPeriodEnd'))]),
      ]),
    )
    .orderBy('asOf')
    .limit(1_000)
    .execute()
  return rows.map(({ restaurantId }) => restaurantId)
}
