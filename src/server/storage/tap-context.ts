import type { ServiceType } from '#contract/requests.ts'
import type { Db } from './engine/types.ts'

/** What a guest's tap needs to know about the table. */
export type TapContext = {
  table: { id: string; tableNumber: string } | null
  /** When the visit of the guest's device began, if it asked here before. */
  visitStartedAt: number | null
  muted: boolean
  /** The table's open request for the same service. */
  openRequestId: string | null
  /** JSON, as in `alertSetting`. */
  alertSettings: string | null
  /** Whom the table is assigned to. During a break `coverId` covers it, or all crew if there is none. */
  crew: { id: string; onBreak: boolean; coverId: string | null }[]
}

type Tap = {
  restaurantId: string
  tableKey: string
  day: string
  guestId: string | null
  serviceType: ServiceType
  now: number
}

/** A single query, because the guest is waiting for the answer. */
export async function loadTapContext(
  db: Db,
  { restaurantId, tableKey, day, guestId, serviceType, now }: Tap,
): Promise<TapContext> {
  const rows = await db
    .selectFrom('restaurant as r')
    .leftJoin('alertSetting as s', 's.restaurantId', 'r.id')
    .leftJoin('guestVisit as v', (j) =>
      j.onRef('v.restaurantId', '=', 'r.id').on('v.guestId', '=', guestId).on('v.tableKey', '=', tableKey),
    )
    .leftJoin('floorTable as t', (j) =>
      j.onRef('t.restaurantId', '=', 'r.id').on('t.numberKey', '=', tableKey).on('t.category', '=', 'table'),
    )
    .leftJoin('serviceRequest as q', (j) =>
      j
        .onRef('q.restaurantId', '=', 'r.id')
        .on('q.tableKey', '=', tableKey)
        .on('q.serviceType', '=', serviceType)
        .on('q.closedAt', 'is', null),
    )
    .leftJoin('mutedTable as m', (j) =>
      j
        .onRef('m.restaurantId', '=', 'r.id')
        .on('m.tableKey', '=', tableKey)
        .on((e) => e.or([e('m.until', 'is', null), e('m.until', '>', now)])),
    )
    .leftJoin('tableAssignment as a', (j) =>
      j.onRef('a.restaurantId', '=', 'r.id').onRef('a.tableId', '=', 't.id').on('a.date', '=', day),
    )
    .leftJoin('crewBreak as b', (j) =>
      j.onRef('b.restaurantId', '=', 'r.id').onRef('b.crewMemberId', '=', 'a.crewMemberId'),
    )
    .select([
      's.settings',
      'v.startedAt',
      't.id',
      't.tableNumber',
      'q.id as openRequestId',
      'm.tableKey as muted',
    ])
    .select(['a.crewMemberId', 'b.crewMemberId as onBreak', 'b.coverId'])
    .where('r.id', '=', restaurantId)
    .orderBy('a.slot')
    .execute()
  const [first] = rows
  return {
    table: first?.id && first.tableNumber !== null ? { id: first.id, tableNumber: first.tableNumber } : null,
    visitStartedAt: first?.startedAt ?? null,
    muted: first ? first.muted !== null : false,
    openRequestId: first?.openRequestId ?? null,
    alertSettings: first?.settings ?? null,
    crew: rows.flatMap(({ crewMemberId: id, onBreak, coverId }) =>
      id === null ? [] : [{ id, onBreak: onBreak !== null, coverId }],
    ),
  }
}
