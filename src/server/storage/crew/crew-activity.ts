import { sql } from 'kysely'
import { secondMs } from '#contract/durations.ts'
import { defineStatement, isOnly, onceKnown } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import type { RequestRow } from '../requests/requests.ts'

/** Whoever completed a request this recently has the screen in hand. */
const inHandMs = 20 * secondMs

/** What the crew is doing right now. */
export type CrewActivity = {
  onTheWay: ReadonlySet<string>
  /** By how many waiting requests each is called. */
  calls: ReadonlyMap<string, number>
  screenInHand: ReadonlySet<string>
  onBreak: ReadonlySet<string>
  /** Who works which table on the day, in the order of the tables. */
  worked: readonly { crewMemberId: string; tableId: string }[]
  /** Who works in the section of the table on the day, or has it as their own. */
  sameSection: ReadonlySet<string>
}

/** Ids separated by spaces. In `calls`, those after a star are on the way. */
export type CrewActivityColumns = {
  calls: string | null
  completers: string | null
  membersOnBreak: string | null
  /** Pairs of a member and a table. */
  workedTables: string | null
  /** Pairs of a day and a member. */
  sectionWorkers: string | null
  sectionMembers: string | null
}

/**
 * Columns of a query in which `t` is the table and `i.now` the time. The day is one from the first to the last.
 */
export const selectCrewActivity = (
  restaurantId: 'r.id' | 'i.restaurantId',
  day: 'a.date' | 'i.day',
  { first, last }: Record<'first' | 'last', `i.${string}`>,
) => [
  sql<string | null>`(
    select string_agg(case when q.accepted_at is null then q.called else '*' || q.called end, ' ')
    from service_request q
    where q.restaurant_id = ${sql.ref(restaurantId)} and q.closed_at is null and q.called <> '')`.as('calls'),
  // If a crew completes more than that, enough are found.
  sql<string | null>`(
    select string_agg(c.closed_by, ' ')
    from (
      select q.closed_by from service_request q
      where q.restaurant_id = ${sql.ref(restaurantId)} and q.closed_at > i.now - ${sql.lit(inHandMs)}
      order by q.closed_at desc limit 8) c)`.as('completers'),
  sql<string | null>`(
    select string_agg(k.crew_member_id, ' ') from crew_break k
    where k.restaurant_id = ${sql.ref(restaurantId)})`.as('membersOnBreak'),
  // By length first, so that "10" comes after "9".
  sql<string | null>`(
    select string_agg(p.crew_member_id || ' ' || f.id, ' ' order by length(f.number_key), f.number_key)
    from table_assignment p
    join floor_table f on ${isOnly('f.restaurantId', 'p.restaurantId')} and f.id = p.table_id
    where p.restaurant_id = ${sql.ref(restaurantId)} and p.date = ${sql.ref(day)} and f.category = 'table')`.as(
    'workedTables',
  ),
  sql<string | null>`(
    select string_agg(p.date || ' ' || p.crew_member_id, ' ')
    from floor_table f
    join table_assignment p on ${isOnly('p.restaurantId', 'f.restaurantId')} and p.table_id = f.id
    where f.restaurant_id = ${sql.ref(restaurantId)} and f.section_id = t.section_id
      and p.date between ${onceKnown('f.id', first)} and ${onceKnown('f.id', last)})`.as('sectionWorkers'),
  sql<string | null>`(
    select string_agg(m.id, ' ') from crew_member m
    where m.restaurant_id = ${sql.ref(restaurantId)} and m.section_id = t.section_id and m.deleted_at is null)`.as(
    'sectionMembers',
  ),
]

export function toCrewActivity(columns: CrewActivityColumns, day: string): CrewActivity {
  const called = split(columns.calls)
  const calls = new Map<string, number>()
  for (const id of called) calls.set(id, (calls.get(id) ?? 0) + 1)
  return {
    onTheWay: new Set(called.filter((id) => id.startsWith('*')).map((id) => id.slice(1))),
    calls,
    screenInHand: new Set(split(columns.completers)),
    onBreak: new Set(split(columns.membersOnBreak)),
    worked: splitPairs(columns.workedTables).map(([crewMemberId, tableId]) => ({ crewMemberId, tableId })),
    sameSection: new Set([
      ...splitPairs(columns.sectionWorkers).flatMap(([on, id]) => (on === day ? [id] : [])),
      ...split(columns.sectionMembers),
    ]),
  }
}

const split = (ids: string | null): string[] => (ids === null || ids === '' ? [] : ids.split(' '))

function splitPairs(words: string | null): [string, string][] {
  const all = split(words)
  return all.flatMap((first, index): [string, string][] => {
    const second = all[index + 1]
    return index % 2 === 0 && second !== undefined ? [[first, second]] : []
  })
}

export async function loadCrewActivity(
  db: Db,
  restaurantId: string,
  day: string,
  now: number,
  tableId: string | null = null,
): Promise<CrewActivity> {
  const [row] = await db.run(selectActivity, { restaurantId, day, now, tableId })
  return toCrewActivity(row ?? noActivity, day)
}

const noActivity: CrewActivityColumns = {
  calls: null,
  completers: null,
  membersOnBreak: null,
  workedTables: null,
  sectionWorkers: null,
  sectionMembers: null,
}

const selectActivity = defineStatement<
  { restaurantId: string; day: string; now: number; tableId: string | null },
  CrewActivityColumns & { n: number }
>({
  name: 'crew-activity',
  input: { restaurantId: 'text', day: 'text', now: 'bigint', tableId: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input as i')
      .leftJoin('floorTable as t', (j) =>
        j.on(isOnly('t.restaurantId', 'i.restaurantId')).onRef('t.id', '=', 'i.tableId'),
      )
      .select('i.n')
      .select(selectCrewActivity('i.restaurantId', 'i.day', { first: 'i.day', last: 'i.day' })),
})

/** Waiting requests that call only some of the crew, oldest first. */
export async function listCalling(db: Db, restaurantId: string): Promise<RequestRow[]> {
  return db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('closedAt', 'is', null)
    .where(sql<boolean>`called <> ''`)
    .where('level', '=', 0)
    .where('acceptedAt', 'is', null)
    .orderBy('createdAt')
    .execute()
}
