import type { Plan } from '#contract/billing.ts'
import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

export type Attempt = Schema['paymentAttempt']
export type Subscription = Schema['subscription']
type Customer = Schema['paymentCustomer']

/** True when this call got the lock: nobody holds it, or whoever did has not renewed it in time. */
export async function acquireLease(db: Db, taken: Schema['billingLock'], now: number): Promise<boolean> {
  const row = await db
    .insertInto('billingLock')
    .values(taken)
    .onConflict((c) =>
      c
        .column('restaurantId')
        .doUpdateSet({ holder: taken.holder, until: taken.until })
        .where('billingLock.until', '<', now),
    )
    .returning('holder')
    .executeTakeFirst()
  return row !== undefined
}

/** False when it was lost meanwhile. */
export async function renewLease(db: Db, kept: Schema['billingLock']): Promise<boolean> {
  const row = await db
    .updateTable('billingLock')
    .set({ until: kept.until })
    .where('restaurantId', '=', kept.restaurantId)
    .where('holder', '=', kept.holder)
    .returning('holder')
    .executeTakeFirst()
  return row !== undefined
}

export async function releaseLease(db: Db, restaurantId: string, holder: string): Promise<void> {
  await db
    .deleteFrom('billingLock')
    .where('restaurantId', '=', restaurantId)
    .where('holder', '=', holder)
    .execute()
}

/** The restaurant's customer of whichever ledger was used last. */
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
    .where('provider', '=', provider)
    .where('customerId', '=', customerId)
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
  wanted: { plan: Plan; priceId: string; createdAfter: number },
): Promise<Attempt | undefined> {
  return db
    .selectFrom('paymentAttempt')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('state', '=', 'open')
    .where('plan', '=', wanted.plan)
    .where('priceId', '=', wanted.priceId)
    .where('createdAt', '>', wanted.createdAfter)
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
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
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
    .where('restaurantId', '=', restaurantId)
    .where('setupIntentId', '=', setupIntentId)
    .executeTakeFirst()
}

export async function supersedeAttempt(db: Db, restaurantId: string, id: string): Promise<void> {
  await db
    .updateTable('paymentAttempt')
    .set({ state: 'superseded' })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('state', '=', 'open')
    .execute()
}

/** One attempt led to a subscription: a late word about another one must not lead to a second. */
export async function settleAttempts(db: Db, restaurantId: string, setupIntentId: string): Promise<void> {
  await db
    .updateTable('paymentAttempt')
    .set({ state: 'subscribed' })
    .where('restaurantId', '=', restaurantId)
    .where('setupIntentId', '=', setupIntentId)
    .execute()
  await db
    .updateTable('paymentAttempt')
    .set({ state: 'superseded' })
    .where('restaurantId', '=', restaurantId)
    .where('state', '=', 'open')
    .execute()
}

/** The subscription as the present ledger knows it. */
export async function find(
  db: Db,
  provider: string,
  restaurantId: string,
): Promise<Subscription | undefined> {
  return db
    .selectFrom('subscription')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('provider', '=', provider)
    .executeTakeFirst()
}

/** Whatever ledger it is of: the row's order in time. */
export async function findAsOf(db: Db, restaurantId: string): Promise<number> {
  const row = await db
    .selectFrom('subscription')
    .select('asOf')
    .where('restaurantId', '=', restaurantId)
    .executeTakeFirst()
  return row?.asOf ?? 0
}

/** What was asked for earlier than what is stored changes nothing. */
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

/** Those not asked about since `before`, and those whose period has ended since. */
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
