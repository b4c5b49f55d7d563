import { dayMs, hourMs } from '#contract/durations.ts'
import type { ServiceType } from '#contract/requests.ts'
import { defineStatement } from './engine/statement.ts'
import type { Db } from './engine/types.ts'
import type { Restaurant } from './restaurants.ts'
import type { Schema } from './schema.ts'

/** What a guest's tap needs to know about the restaurant and the table. */
export type TapContext = {
  restaurant: Restaurant
  table: { id: string; tableNumber: string } | null
  /** When the visit of the guest's device began, if it asked here before. */
  visitStartedAt: number | null
  muted: boolean
  /** The table's open request for the same service. */
  openRequestId: string | null
  /** The request that this very tap was added to, if it was stored before. */
  storedRequestId: string | null
  /** JSON, as in `alertSetting`. */
  alertSettings: string | null
  /**
   * Whom the table is assigned to, on days around now. During a break `coverId` covers it, or all crew if there is none.
   */
  crew: (AssignedMember & { day: string })[]
}

export type AssignedMember = { id: string; onBreak: boolean; coverId: string | null }

type Tap = {
  id: string
  /** A current or former name of the restaurant. */
  restaurantNameKey: string
  tableKey: string
  guestId: string | null
  serviceType: ServiceType
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
      name: first.name,
      timeZone: first.timeZone,
      codeGeneration: first.codeGeneration,
      codeKey: first.codeKey,
      managedSince: first.managedSince,
      staffPasswordHash: first.staffPasswordHash,
      staffPasswordSetAt: first.staffPasswordSetAt,
      verifiedOnly: first.verifiedOnly,
      pinRequired: first.pinRequired,
      createdAt: first.createdAt,
    },
    table:
      first.tableId !== null && first.tableNumber !== null
        ? { id: first.tableId, tableNumber: first.tableNumber }
        : null,
    visitStartedAt: first.visitStartedAt,
    muted: first.muted !== null,
    openRequestId: first.openRequestId,
    storedRequestId: first.storedRequestId,
    alertSettings: first.settings,
    crew: rows.flatMap(({ crewMemberId: id, onBreak, coverId, day }) =>
      id === null || day === null ? [] : [{ id, onBreak: onBreak !== null, coverId, day }],
    ),
  }
}

/** Every day that it can be somewhere on Earth: the restaurant's time zone comes only with the answer. */
const daysAround = (now: number): Pick<TapInput, 'firstDay' | 'middleDay' | 'lastDay'> => ({
  firstDay: toDay(now - dayMs / 2),
  middleDay: toDay(now),
  lastDay: toDay(now + 14 * hourMs),
})

const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

type TapInput = Tap & { firstDay: string; middleDay: string; lastDay: string }

type TapRow = Omit<Restaurant, 'id'> & {
  n: number
  restaurantId: string
  tableId: string | null
  tableNumber: string | null
  visitStartedAt: number | null
  muted: string | null
  openRequestId: string | null
  storedRequestId: string | null
  settings: string | null
  crewMemberId: string | null
  day: string | null
  onBreak: string | null
  coverId: Schema['crewBreak']['coverId']
}

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
    middleDay: 'text',
    lastDay: 'text',
  },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input as i')
      .innerJoin('restaurantName as w', 'w.nameKey', 'i.restaurantNameKey')
      .innerJoin('restaurant as r', 'r.id', 'w.restaurantId')
      .leftJoin('alertSetting as s', 's.restaurantId', 'r.id')
      .leftJoin('guestVisit as v', (j) =>
        j
          .onRef('v.restaurantId', '=', 'r.id')
          .onRef('v.guestId', '=', 'i.guestId')
          .onRef('v.tableKey', '=', 'i.tableKey'),
      )
      .leftJoin('floorTable as t', (j) =>
        j
          .onRef('t.restaurantId', '=', 'r.id')
          .onRef('t.numberKey', '=', 'i.tableKey')
          .on('t.category', '=', 'table'),
      )
      .leftJoin('serviceRequest as q', (j) =>
        j
          .onRef('q.restaurantId', '=', 'r.id')
          .onRef('q.tableKey', '=', 'i.tableKey')
          .onRef('q.serviceType', '=', 'i.serviceType')
          .on('q.closedAt', 'is', null),
      )
      .leftJoin('requestEvent as e', (j) => j.onRef('e.restaurantId', '=', 'r.id').onRef('e.id', '=', 'i.id'))
      .leftJoin('mutedTable as m', (j) =>
        j
          .onRef('m.restaurantId', '=', 'r.id')
          .onRef('m.tableKey', '=', 'i.tableKey')
          .on((e) => e.or([e('m.until', 'is', null), e('m.until', '>', e.ref('i.now'))])),
      )
      .leftJoin('tableAssignment as a', (j) =>
        j
          .onRef('a.restaurantId', '=', 'r.id')
          .onRef('a.tableId', '=', 't.id')
          .on((e) => e('a.date', 'in', [e.ref('i.firstDay'), e.ref('i.middleDay'), e.ref('i.lastDay')])),
      )
      .leftJoin('crewBreak as b', (j) =>
        j.onRef('b.restaurantId', '=', 'r.id').onRef('b.crewMemberId', '=', 'a.crewMemberId'),
      )
      .select([
        'i.n',
        'r.id as restaurantId',
        'r.name',
        'r.timeZone',
        'r.codeGeneration',
        'r.codeKey',
        'r.managedSince',
        'r.staffPasswordHash',
        'r.staffPasswordSetAt',
        'r.verifiedOnly',
        'r.pinRequired',
        'r.createdAt',
        't.id as tableId',
        't.tableNumber',
        'v.startedAt as visitStartedAt',
        'm.tableKey as muted',
        'q.id as openRequestId',
        'e.requestId as storedRequestId',
        's.settings',
        'a.crewMemberId',
        'a.date as day',
        'b.crewMemberId as onBreak',
        'b.coverId',
      ])
      .orderBy('i.n')
      .orderBy('a.slot'),
})
