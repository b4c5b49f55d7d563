import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type PaymentEvent = Schema['paymentEvent']

/** False if the event was already stored: providers may deliver it more than once. */
export async function insert(
  db: Db,
  event: Omit<PaymentEvent, 'processedAt' | 'attempts' | 'error'>,
): Promise<boolean> {
  return hasRow(
    db
      .insertInto('paymentEvent')
      .values({ ...event, processedAt: null, attempts: 0, error: null })
      .onConflict((c) => c.columns(['provider', 'eventId']).doNothing())
      .returning('eventId'),
  )
}

export async function find(db: Db, provider: string, eventId: string): Promise<PaymentEvent | undefined> {
  return db
    .selectFrom('paymentEvent')
    .selectAll()
    .where((e) => e.and({ provider, eventId }))
    .executeTakeFirst()
}

/** Claims the due events, so that no other node processes them at the same time. */
export async function claimDue(
  db: Db,
  provider: string,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<string[]> {
  const due = await db
    .selectFrom('paymentEvent')
    .select(['eventId', 'nextAt'])
    .where('provider', '=', provider)
    .where('nextAt', '<=', now)
    .orderBy('nextAt')
    .limit(limit)
    .execute()
  const claimed: string[] = []
  for (const { eventId, nextAt } of due) {
    const row = await db
      .updateTable('paymentEvent')
      .set({ nextAt: until })
      .where((e) => e.and({ provider, eventId, nextAt }))
      .returning('eventId')
      .executeTakeFirst()
    if (row) claimed.push(row.eventId)
  }
  return claimed
}

export async function markProcessed(db: Db, provider: string, eventId: string, at: number): Promise<void> {
  await db
    .updateTable('paymentEvent')
    .set({ processedAt: at, nextAt: null, error: null })
    .where((e) => e.and({ provider, eventId }))
    .execute()
}

export async function markFailed(
  db: Db,
  provider: string,
  eventId: string,
  failure: { error: string; attempts: number; nextAt: number | null },
): Promise<void> {
  await db
    .updateTable('paymentEvent')
    .set(failure)
    .where((e) => e.and({ provider, eventId }))
    .where('processedAt', 'is', null)
    .execute()
}

export async function removeProcessedBefore(db: Db, at: number): Promise<void> {
  await db.deleteFrom('paymentEvent').where('processedAt', '<', at).execute()
}
