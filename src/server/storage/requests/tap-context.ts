import { sql } from 'kysely'
import { dayMs, hourMs } from '#contract/durations.ts'
import type { Restaurant } from '../accounts/restaurants.ts'
import {
  type CrewActivity,
  type CrewActivityColumns,
  selectCrewActivity,
  toCrewActivity,
} from '../crew/crew-activity.ts'
import { defineStatement, isOnly, onceKnown } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { selectVisitColumns, type VisitColumns } from '../guests/visit-context.ts'
import type { Schema } from '../schema.ts'
import type { NeedKey } from './asked-need.ts'

/** What a guest's tap needs to know about the restaurant and the table. */
export type TapContext = {
  restaurant: TapRestaurant
  table: { id: string; tableNumber: string } | null
  /** When the visit of the guest's device began, if it asked here before. */
  visitStartedAt: number | null
  /** When a party last moved away from the table. */
  partyMovedAt: number | null
  muted: boolean
  /** The table's open request for the same need. */
  openRequestId: string | null
  /** How many requests are open, counted no further than it matters; null unless guests are told how long they take. */
  openCount: number | null
  /** The request that this very tap was added to, if it was stored before. */
  storedRequestId: string | null
  /** JSON, as in `alertSetting`. */
  escalationSettings: string | null
  /**
   * Whom the table is assigned to, on days around now. During a break `coverId` covers it, or all crew if there is none.
   */
  crew: (AssignedMember & { day: string })[]
  activityOn: (day: string) => CrewActivity
}

/** Without the columns that a tap does not need, such as the guest card. */
type TapRestaurant = Pick<
  Restaurant,
  'id' | 'timeZone' | 'codeGeneration' | 'codeKey' | 'verifiedOnly' | 'seating' | 'needs' | 'opening'
>

export type AssignedMember = { id: string; onBreak: boolean; coverId: string | null }

type Tap = {
  id: string
  /** A current or former name of the restaurant. */
  restaurantNameKey: string
  tableKey: string
  guestId: string | null
  serviceType: NeedKey
  now: number
}

/** A single query, because the guest is waiting for the answer. Undefined when no restaurant has the name. */
export async function loadTapContext(db: Db, tap: Tap): Promise<TapContext | undefined> {
  const rows = await db.run(selectTapContext, { ...tap, ...daysAround(tap.now) })
  const [first] = rows
  if (!first) return undefined
  return {
    restaurant: {
      id: first.restaurantId,
      timeZone: first.timeZone,
      codeGeneration: first.codeGeneration,
      codeKey: first.codeKey,
      verifiedOnly: first.verifiedOnly,
      seating: first.seating,
      needs: first.needs,
      opening: first.opening,
    },
    table:
      first.tableId !== null && first.tableNumber !== null
        ? { id: first.tableId, tableNumber: first.tableNumber }
        : null,
    visitStartedAt: first.visitStartedAt,
    partyMovedAt: first.partyMovedAt,
    muted: first.muted !== null,
    openRequestId: first.openRequestId,
    openCount: first.openCount,
    storedRequestId: first.storedRequestId,
    escalationSettings: first.settings,
    crew: rows.flatMap(({ crewMemberId: id, onBreak, coverId, day }) =>
      id === null || day === null ? [] : [{ id, onBreak: onBreak !== null, coverId, day }],
    ),
    activityOn: (day) =>
      toCrewActivity(rows.find((row) => row.day === day) ?? { ...first, workedTables: null }, day),
  }
}

/** Every day that it can be somewhere on Earth: the restaurant's time zone comes only with the answer. */
const daysAround = (now: number): Pick<TapInput, 'firstDay' | 'lastDay'> => ({
  firstDay: toDay(now - dayMs / 2),
  lastDay: toDay(now + 14 * hourMs),
})

const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

type TapInput = Tap & { firstDay: string; lastDay: string }

type TapRow = CrewActivityColumns &
  VisitColumns &
  Omit<TapRestaurant, 'id'> & {
    n: number
    restaurantId: string
    tableId: string | null
    tableNumber: string | null
    openRequestId: string | null
    openCount: number | null
    storedRequestId: string | null
    settings: string | null
    crewMemberId: string | null
    day: string | null
    onBreak: string | null
    coverId: Schema['crewBreak']['coverId']
  }

/** With as many, or more, a restaurant is as busy as it gets. */
export const mostCountedOpen = 10

const selectTapContext = defineStatement<TapInput, TapRow>({
  name: 'tap-context',
  input: {
    id: 'text',
    restaurantNameKey: 'text',
    tableKey: 'text',
    guestId: 'text',
    serviceType: 'text',
    now: 'bigint',
    firstDay: 'text',
    lastDay: 'text',
  },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input as i')
      .innerJoin('restaurantName as w', (j) => j.on(isOnly('w.nameKey', 'i.restaurantNameKey')))
      .innerJoin('restaurant as r', (j) => j.on(isOnly('r.id', 'w.restaurantId')))
      // One that its owner has deleted is found by nobody.
      .leftJoin('restaurantEnding as x', (j) =>
        j.on(isOnly('x.restaurantId', 'r.id')).on('x.kind', '=', 'deleted'),
      )
      .where('x.restaurantId', 'is', null)
      .leftJoin('alertSetting as s', (j) => j.on(isOnly('s.restaurantId', 'r.id')))
      .leftJoin('floorTable as t', (j) =>
        j
          .on(isOnly('t.restaurantId', onceKnown('i.n', 'r.id')))
          .on('t.numberKey', '=', onceKnown('r.id', 'i.tableKey'))
          .on('t.category', '=', 'table'),
      )
      .leftJoin('tableAssignment as a', (j) =>
        j
          .on(isOnly('a.restaurantId', 't.restaurantId'))
          .onRef('a.tableId', '=', 't.id')
          .on('a.date', '>=', onceKnown('t.id', 'i.firstDay'))
          .on('a.date', '<=', onceKnown('t.id', 'i.lastDay')),
      )
      .leftJoin('crewBreak as b', (j) =>
        j.on(isOnly('b.restaurantId', 'a.restaurantId')).onRef('b.crewMemberId', '=', 'a.crewMemberId'),
      )
      .select([
        'i.n',
        'r.id as restaurantId',
        'r.timeZone',
        'r.codeGeneration',
        'r.codeKey',
        'r.verifiedOnly',
        'r.seating',
        't.id as tableId',
        't.tableNumber',
        's.settings',
        'a.crewMemberId',
        'a.date as day',
        'b.crewMemberId as onBreak',
        'b.coverId',
      ])
      .select(selectCrewActivity('r.id', 'a.date', { first: 'i.firstDay', last: 'i.lastDay' }))
      .select((e) => {
        const isFirstRow = e.not(
          e.exists(
            e
              .selectFrom('tableAssignment as d')
              .select('d.date')
              .whereRef('d.restaurantId', '=', 'r.id')
              .whereRef('d.tableId', '=', 't.id')
              .whereRef('d.date', '>=', 'i.firstDay')
              .whereRef('d.date', '<', 'a.date'),
          ),
        )
        // These columns may be long, so only the first row has them.
        return [
          e
            .case()
            .when('r.needs', 'is not', null)
            .then(e.case().when(isFirstRow).then(e.ref('r.needs')).end())
            .end()
            .as('needs'),
          e
            .case()
            .when('r.opening', 'is not', null)
            .then(e.case().when(isFirstRow).then(e.ref('r.opening')).end())
            .end()
            .as('opening'),
        ]
      })
      .select(selectVisitColumns('r.id'))
      // No joins, for the same reason as these.
      .select((e) => [
        e
          .selectFrom('serviceRequest as q')
          .select('q.id')
          .whereRef('q.restaurantId', '=', 'r.id')
          .whereRef('q.tableKey', '=', 'i.tableKey')
          .whereRef('q.serviceType', '=', 'i.serviceType')
          .where('q.closedAt', 'is', null)
          .as('openRequestId'),
        e
          .case()
          .when('r.expectedTimes', '=', e.lit(1))
          .then(
            e
              .selectFrom(
                e
                  .selectFrom('serviceRequest as o')
                  .select('o.id')
                  .whereRef('o.restaurantId', '=', 'r.id')
                  .where('o.closedAt', 'is', null)
                  .limit(sql.lit(mostCountedOpen))
                  .as('open'),
              )
              .select((e) => e.cast<number>(e.fn.countAll(), 'integer').as('count')),
          )
          .end()
          .as('openCount'),
        e
          .selectFrom('requestEvent as v')
          .select('v.requestId')
          .whereRef('v.restaurantId', '=', 'r.id')
          .whereRef('v.id', '=', 'i.id')
          .as('storedRequestId'),
      ])
      .orderBy('i.n')
      .orderBy('a.date')
      .orderBy('a.slot'),
})
