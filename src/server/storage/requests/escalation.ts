import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { clearedAcceptance, updateOpen } from './request-transitions.ts'
import type { RequestRow } from './requests.ts'

export async function findSettings(db: Db, restaurantId: string): Promise<string | undefined> {
  const [row] = await db.run(selectSettings, { restaurantId })
  return row?.settings
}

const selectSettings = defineStatement<{ restaurantId: string }, { n: number; settings: string }>({
  name: 'escalation-settings',
  input: { restaurantId: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('alertSetting', (j) => j.on(isOnly('alertSetting.restaurantId', 'input.restaurantId')))
      .select(['input.n', 'alertSetting.settings']),
})

export async function setSettings(db: Db, restaurantId: string, settings: string): Promise<void> {
  await db
    .insertInto('alertSetting')
    .values({ restaurantId, settings })
    .onConflict((c) => c.column('restaurantId').doUpdateSet({ settings }))
    .execute()
}

/** Requests of all restaurants whose next step is due, longest due first. */
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

/**
 * Those that would be due if the clock had not been set back, to `now`: as they began later than that, they have the times
 * of the clock as it was, of which those between `after` and `until` are due.
 */
export async function listDueByFormerClock(
  db: Db,
  { after, until, now }: { after: number; until: number; now: number },
  limit: number,
): Promise<RequestRow[]> {
  const dueBy = (column: 'nextLevelAt' | 'acceptUntil', since: 'createdAt' | 'acceptedAt') =>
    db
      .selectFrom('serviceRequest')
      .selectAll()
      .where(column, '>', after)
      .where(column, '<=', until)
      .where(since, '>', now)
      .where('closedAt', 'is', null)
      .orderBy(column)
      .limit(limit)
      .execute()
  return [...(await dueBy('nextLevelAt', 'createdAt')), ...(await dueBy('acceptUntil', 'acceptedAt'))]
}

/** When the youngest of the requests was made that are to alert more people later than `now`. */
export async function findLatestWaiting(db: Db, now: number): Promise<number | null> {
  const waiting = await db
    .selectFrom('serviceRequest')
    .select((e) => e.fn.max('createdAt').as('createdAt'))
    .where('nextLevelAt', '>', now)
    .executeTakeFirst()
  return waiting?.createdAt ?? null
}

/**
 * The level guards the update: each level is reached once, however many nodes find it due. A request that was accepted
 * and released meanwhile has the same level again, but is due later.
 */
export async function raiseLevel(
  db: Db,
  { restaurantId, id, level }: RequestRow,
  nextLevelAt: number | null,
  { onlyIfDueAt }: { onlyIfDueAt?: number | null } = {},
): Promise<RequestRow | undefined> {
  const raised = updateOpen(db, restaurantId, id)
    .set({ level: level + 1, called: '', nextLevelAt })
    .where('level', '=', level)
    .where('acceptedAt', 'is', null)
  return (
    onlyIfDueAt === undefined ? raised : raised.where('nextLevelAt', '=', onlyIfDueAt)
  ).executeTakeFirst()
}

/** Ends an acceptance after which nobody completed the request. */
export async function expireAcceptance(
  db: Db,
  { restaurantId, id, acceptUntil }: RequestRow,
  change: { level: number; nextLevelAt: number | null },
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set({ ...clearedAcceptance, acceptUntil: null, ...change })
    .where('acceptUntil', '=', acceptUntil)
    .executeTakeFirst()
}

/** Waiting requests that alert only their own crew so far. */
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
