import type { Db } from './engine/types.ts'
import type { RequestRow } from './requests.ts'

export async function findSettings(db: Db, restaurantId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('alertSetting')
    .select('settings')
    .where('restaurantId', '=', restaurantId)
    .executeTakeFirst()
  return row?.settings
}

export async function setSettings(db: Db, restaurantId: string, settings: string): Promise<void> {
  await db
    .insertInto('alertSetting')
    .values({ restaurantId, settings })
    .onConflict((c) => c.column('restaurantId').doUpdateSet({ settings }))
    .execute()
}

/** Requests of all restaurants for which it is time, longest due first. */
export async function listDue(db: Db, now: number, limit: number): Promise<RequestRow[]> {
  const dueBy = (column: 'nextLevelAt' | 'acceptUntil') =>
    db
      .selectFrom('serviceRequest')
      .selectAll()
      .where(column, '<=', now)
      .where('closedAt', 'is', null)
      .orderBy(column)
      .limit(limit)
      .execute()
  return [...(await dueBy('nextLevelAt')), ...(await dueBy('acceptUntil'))]
}

/** One level up. The guard makes each level happen once, however many nodes see that it is time. */
export async function raiseLevel(
  db: Db,
  { restaurantId, id, level }: RequestRow,
  nextLevelAt: number | null,
): Promise<RequestRow | undefined> {
  return db
    .updateTable('serviceRequest')
    .set({ level: level + 1, nextLevelAt })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('level', '=', level)
    .where('acceptedAt', 'is', null)
    .where('closedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Ends an acceptance that came to nothing. */
export async function expireAcceptance(
  db: Db,
  { restaurantId, id, acceptUntil }: RequestRow,
  change: { level: number; nextLevelAt: number | null },
): Promise<RequestRow | undefined> {
  return db
    .updateTable('serviceRequest')
    .set({
      acceptedAt: null,
      acceptedBy: null,
      acceptedByName: null,
      acceptUntil: null,
      pushedLevel: -1,
      ...change,
    })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('acceptUntil', '=', acceptUntil)
    .where('closedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Waiting requests that alert nobody but their own crew yet. */
export async function listOwnCrewOnly(db: Db, restaurantId: string): Promise<RequestRow[]> {
  return db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('closedAt', 'is', null)
    .where('acceptedAt', 'is', null)
    .where('level', '=', 0)
    .where('crew', '!=', '')
    .execute()
}
