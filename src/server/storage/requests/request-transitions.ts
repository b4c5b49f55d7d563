import { sql } from 'kysely'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { joinNotes } from './request-notes.ts'
import { isNamed, isOpen, lockRequest, requestColumns, type RequestRow, sameRestaurant } from './requests.ts'

type Person = { id: string | null; name: string | null }

type EscalationTimes = Pick<RequestRow, 'nextLevelAt' | 'acceptUntil'> & { level?: number }

/** What `pushedLevel` holds instead of a level while somebody is on the way: they are to be reminded. */
export const reminderDue = 3
/** Devices were told; those of whoever is on the way say so until it is over. */
export const acceptanceShown = 4
/** Instead of `reminderDue`: they are to be told where their party went. */
export const moveDue = 5
/** Instead of -1 when devices may show the request already. */
export const pushAgain = -2

const pushedLevel = sql.ref<number>('serviceRequest.pushedLevel')
const repeatPush = sql<number>`case when ${pushedLevel} = -1 then -1 else ${sql.lit(pushAgain)} end`
/** What devices show is withdrawn, even if they were to be notified again. */
const settlePush = sql<number>`case when ${pushedLevel} = ${sql.lit(pushAgain)} then 0 else ${pushedLevel} end`

/** For a statement that changes the requests that its inputs name. */
const changesNamed = {
  match: ['restaurantId', 'id'],
  locks: { with: lockRequest, row: { restaurantId: 'restaurantId', id: 'id' } },
} as const

/** Every transition is guarded by its own update instead of a lock: undefined when a condition no longer holds. */
export const updateOpen = (db: Db, restaurantId: string, id: string) =>
  db
    .updateTable('serviceRequest')
    .where('id', '=', id)
    .where('restaurantId', sameRestaurant, restaurantId)
    .where(isOpen)
    .returningAll()

/** Locks a request, open or closed, until the transaction ends. */
export const lock = (db: Db, restaurantId: string, id: string): Promise<RequestRow | undefined> =>
  db
    .updateTable('serviceRequest')
    .set((e) => ({ asks: e.ref('asks') }))
    .where('id', '=', id)
    .where('restaurantId', sameRestaurant, restaurantId)
    .returningAll()
    .executeTakeFirst()

/** Locks those of the requests that are open until the transaction ends. */
export async function lockOpen(db: Db, restaurantId: string, ids: string[]): Promise<RequestRow[]> {
  const rows = await db.runAll(
    lockRequest,
    ids.map((id) => ({ restaurantId, id })),
  )
  return rows.flat()
}

export async function reduceAsks(
  db: Db,
  { restaurantId, id }: RequestRow,
  asks: number,
  change: Partial<Urgency & Details> = {},
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({ asks: e('asks', '-', asks), ...change }))
    .executeTakeFirst()
}

export async function accept(
  db: Db,
  restaurantId: string,
  id: string,
  at: number,
  by: Person,
  acceptUntil: number,
): Promise<RequestRow | undefined> {
  const acceptance = { restaurantId, id, at, byId: by.id, byName: by.name, acceptUntil }
  const [row] = await db.run(acceptRequest, acceptance)
  return row
}

type Acceptance = Pick<RequestRow, 'restaurantId' | 'id'> & {
  at: number
  byId: string | null
  byName: string | null
  acceptUntil: number
}

const acceptRequest = defineStatement<Acceptance, RequestRow>({
  name: 'accept-request',
  input: {
    restaurantId: 'text',
    id: 'text',
    at: 'bigint',
    byId: 'text',
    byName: 'text',
    acceptUntil: 'bigint',
  },
  ...changesNamed,
  query: (db) =>
    db
      .updateTable('serviceRequest')
      .from('input')
      .set((e) => ({
        acceptedAt: e.ref('input.at'),
        acceptedBy: e.ref('input.byId'),
        acceptedByName: e.ref('input.byName'),
        called: e.fn.coalesce('input.byId', e.val('')),
        acceptUntil: e.ref('input.acceptUntil'),
        nextLevelAt: null,
        pushedLevel: settlePush,
        // An acceptance that expired was an answer too, so the first one is kept.
        answeredAt: e.fn.coalesce('serviceRequest.answeredAt', 'input.at'),
        answeredBy: e
          .case()
          .when('serviceRequest.answeredAt', 'is', null)
          .then(e.ref('input.byId'))
          .else(e.ref('serviceRequest.answeredBy'))
          .end(),
      }))
      .where(isNamed)
      .where(isOpen)
      .where('serviceRequest.acceptedAt', 'is', null)
      // Whoever was removed while their tap was on its way does not come.
      .where((e) =>
        e.or([
          e('input.byId', 'is', null),
          e.exists(
            e
              .selectFrom('crewMember')
              .select('crewMember.id')
              .where(isOnly('crewMember.restaurantId', 'input.restaurantId'))
              .whereRef('crewMember.id', '=', 'input.byId')
              .where('crewMember.deletedAt', 'is', null),
          ),
        ]),
      )
      .returning(requestColumns),
})

/** A colleague is on the way instead, and their devices are reminded. The first answer stays attributed as it was. */
export async function handOver(
  db: Db,
  { restaurantId, id, acceptedBy }: RequestRow,
  to: Person,
  at: number,
  acceptUntil: number,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set({
      acceptedAt: at,
      acceptedBy: to.id,
      acceptedByName: to.name,
      called: to.id ?? '',
      acceptUntil,
      pushedLevel: reminderDue,
    })
    .where('acceptedBy', '=', acceptedBy)
    .executeTakeFirst()
}

/** Releases the acceptance that was read, which then counts as if the guest had received no answer. */
export async function release(
  db: Db,
  { restaurantId, id, acceptedAt, acceptedBy }: RequestRow,
  times: EscalationTimes,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set({ ...clearedAcceptance, answeredAt: null, answeredBy: null, ...times })
    .where('acceptedAt', '=', acceptedAt)
    .where('acceptedBy', acceptedBy === null ? 'is' : '=', acceptedBy)
    .executeTakeFirst()
}

/** For an acceptance by somebody who cannot be reached. Their answer still counts. */
export async function withdrawAcceptance(
  db: Db,
  { restaurantId, id, acceptedAt }: RequestRow,
  times: EscalationTimes,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set({ ...clearedAcceptance, ...times })
    .where('acceptedAt', '=', acceptedAt)
    .executeTakeFirst()
}

export const clearedAcceptance = {
  acceptedAt: null,
  acceptedBy: null,
  acceptedByName: null,
  called: '',
  pushedLevel: repeatPush,
}

export async function close(
  db: Db,
  restaurantId: string,
  id: string,
  at: number,
  as: 'completed' | 'cancelled',
  by: Person,
): Promise<RequestRow | undefined> {
  const closing = { restaurantId, id, at, as, byId: by.id, byName: by.name }
  const [row] = await db.run(closeRequest, closing)
  return row
}

type Closing = {
  restaurantId: string
  id: string
  at: number
  as: 'completed' | 'cancelled'
  byId: string | null
  byName: string | null
}

const closeRequest = defineStatement<Closing, RequestRow>({
  name: 'close-request',
  input: { restaurantId: 'text', id: 'text', at: 'bigint', as: 'text', byId: 'text', byName: 'text' },
  ...changesNamed,
  query: (db) =>
    db
      .updateTable('serviceRequest')
      .from('input')
      .set((e) => ({
        closedAt: e.ref('input.at'),
        closedAs: e.ref('input.as'),
        closedBy: e.ref('input.byId'),
        closedByName: e.ref('input.byName'),
        nextLevelAt: null,
        acceptUntil: null,
        pushedLevel: settlePush,
      }))
      .where(isNamed)
      .where(isOpen)
      .returning(requestColumns),
})

/** Where a request is wanted, and what depends on that. */
export type RequestPlace = Pick<RequestRow, 'tableId' | 'tableKey' | 'movedTo' | 'verified' | 'crew'>

/**
 * For a request that this transaction has locked. Devices that show it are told the new table, silently where whoever is
 * on the way has moved it. A reminder that is due names it in any case.
 */
export async function changePlace(
  db: Db,
  { restaurantId, id, acceptedAt }: RequestRow,
  { tableId, tableKey, movedTo, verified, crew }: RequestPlace,
  { byAccepter }: { byAccepter: boolean },
): Promise<RequestRow> {
  const told = byAccepter
    ? sql<number>`case when ${pushedLevel} in (-1, ${sql.lit(reminderDue)}) then ${pushedLevel} else 0 end`
    : sql<number>`case when ${pushedLevel} = ${sql.lit(reminderDue)} then ${pushedLevel} else ${sql.lit(moveDue)} end`
  return updateOpen(db, restaurantId, id)
    .set({ tableId, tableKey, movedTo, verified, crew })
    .set(acceptedAt === null ? { called: '', pushedLevel: repeatPush } : { pushedLevel: told })
    .executeTakeFirstOrThrow()
}

/**
 * Closes a request that this transaction has locked, because the same need goes on in `into`: an open one, or one whose
 * completion is undone.
 */
export async function merge(
  db: Db,
  { restaurantId, id, asks }: RequestRow,
  { into, at, movedTo }: { into: string; at: number; movedTo: string | null },
): Promise<RequestRow> {
  return db
    .updateTable('serviceRequest')
    .where('id', '=', id)
    .where('restaurantId', sameRestaurant, restaurantId)
    .returningAll()
    .set({
      asks,
      closedAt: at,
      closedAs: 'merged',
      closedBy: null,
      closedByName: null,
      mergedInto: into,
      movedTo,
      nextLevelAt: null,
      acceptUntil: null,
      pushedLevel: settlePush,
    })
    .executeTakeFirstOrThrow()
}

/** Opens a request again that was merged. */
export async function separate(
  db: Db,
  { restaurantId, id }: RequestRow,
  change: RequestPlace & EscalationTimes & Pick<RequestRow, 'asks'>,
): Promise<RequestRow> {
  return db
    .updateTable('serviceRequest')
    .set((e) => ({
      closedAt: null,
      closedAs: null,
      mergedInto: null,
      called: e.fn.coalesce('acceptedBy', e.val('')),
      pushedLevel: e.case().when('acceptedAt', 'is', null).then(e.lit(-1)).else(e.ref('pushedLevel')).end(),
      ...change,
    }))
    .where((e) => e.and({ restaurantId, id, closedAs: 'merged' }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** What guests said with the need. */
export type Details = Pick<RequestRow, 'choice' | 'note' | 'noteAt'>

export async function setDetails(
  db: Db,
  { restaurantId, id }: RequestRow,
  { choice, note, noteAt }: Details,
): Promise<RequestRow> {
  return updateOpen(db, restaurantId, id).set({ choice, note, noteAt }).executeTakeFirstOrThrow()
}

/** How pressing a request is. */
export type Urgency = Pick<RequestRow, 'level' | 'nextLevelAt' | 'stillWaiting' | 'stillWaitingAt'>

/** Adds the asks and the note of another request, which may be more urgent; whoever is on the way is then reminded. */
export async function addAsks(
  db: Db,
  { restaurantId, id, level, acceptedAt }: RequestRow,
  {
    asks,
    remind,
    note,
    isNoteFirst,
    ...change
  }: Pick<RequestRow, 'asks' | 'lastAskedAt'> & Urgency & Details & { remind: boolean; isNoteFirst: boolean },
): Promise<RequestRow> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({ asks: e('asks', '+', asks), ...change }))
    .$if(note !== null, (q) => {
      const notes = [
        sql.ref<string | null>('serviceRequest.note'),
        sql<string>`cast(${note} as text)`,
      ] as const
      return q.set({ note: isNoteFirst ? joinNotes(notes[1], notes[0]) : joinNotes(...notes) })
    })
    .$if(acceptedAt === null && change.level > level, (q) => q.set({ called: '' }))
    .$if(acceptedAt !== null && remind, (q) => q.set({ pushedLevel: reminderDue }))
    .executeTakeFirstOrThrow()
}

/** Locks the completion that was read, if it was at `since` or later: undefined when it no longer is, or was earlier. */
export async function lockCompleted(
  db: Db,
  { restaurantId, id, closedAt }: RequestRow,
  since: number,
): Promise<RequestRow | undefined> {
  return db
    .updateTable('serviceRequest')
    .set((e) => ({ asks: e.ref('asks') }))
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('closedAs', '=', 'completed')
    .where('closedAt', '=', closedAt)
    .where('closedAt', '>=', since)
    .returningAll()
    .executeTakeFirst()
}

/** Where an undo of its completion is to open the request. Undefined when it is not completed. */
export async function moveCompleted(
  db: Db,
  { restaurantId, id }: RequestRow,
  { tableId, tableKey, movedTo, verified, crew }: RequestPlace,
): Promise<RequestRow | undefined> {
  return db
    .updateTable('serviceRequest')
    .set({ tableId, tableKey, movedTo, verified, crew })
    .where((e) => e.and({ restaurantId, id, closedAs: 'completed' }))
    .returningAll()
    .executeTakeFirst()
}

/** Undoes a completion that this transaction has locked, where the request is wanted now. */
export async function reopen(
  db: Db,
  { restaurantId, id }: RequestRow,
  change: RequestPlace & EscalationTimes,
): Promise<RequestRow> {
  return db
    .updateTable('serviceRequest')
    .set((e) => ({
      closedAt: null,
      closedAs: null,
      closedBy: null,
      closedByName: null,
      called: e.fn.coalesce('acceptedBy', e.val('')),
      // Devices were notified at this level before, and whoever reopens it is looking at it.
      pushedLevel: e
        .case()
        .when('acceptedAt', 'is', null)
        .then(e.ref('level'))
        .else(e.ref('pushedLevel'))
        .end(),
      ...change,
    }))
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** How many more browsers have shown a request, and the first of them when: as many as were stored as its events. */
type Seen = { id: string; browsers: number; at: number }

export async function addSeen(db: Db, restaurantId: string, seen: Seen[]): Promise<RequestRow[]> {
  const rows = await db.runAll(
    addSeenToRequest,
    seen.map((each) => ({ restaurantId, ...each })),
  )
  return rows.flat()
}

const addSeenToRequest = defineStatement<Seen & { restaurantId: string }, RequestRow>({
  name: 'add-seen',
  input: { restaurantId: 'text', id: 'text', browsers: 'integer', at: 'bigint' },
  ...changesNamed,
  query: (db) =>
    db
      .updateTable('serviceRequest')
      .from('input')
      .set((e) => ({
        seen: e('serviceRequest.seen', '+', e.ref('input.browsers')),
        seenAt: e.fn.coalesce('serviceRequest.seenAt', 'input.at'),
      }))
      .where(isNamed)
      .returning(requestColumns),
})

/**
 * The guest still waits: raises the request one level, up to the manager, and lets devices alert once more. Only while
 * the request is as it was read, so that nobody has said so since.
 */
export async function recordStillWaiting(
  db: Db,
  { restaurantId, id, level, acceptedAt, called, stillWaitingAt }: RequestRow,
  { at, nextLevelAt }: { at: number; nextLevelAt: number | null },
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({
      level: Math.min(level + 1, 2),
      called: acceptedAt === null ? '' : called,
      nextLevelAt,
      stillWaiting: e('stillWaiting', '+', 1),
      stillWaitingAt: at,
      pushedLevel: acceptedAt === null ? repeatPush : reminderDue,
    }))
    .where('level', '=', level)
    .where('acceptedAt', acceptedAt === null ? 'is' : '=', acceptedAt)
    .where('stillWaitingAt', stillWaitingAt === null ? 'is' : '=', stillWaitingAt)
    .executeTakeFirst()
}

/**
 * Reassigns a request that nobody has accepted; its level stays. The new crew's devices are notified, unless those
 * of all crew were.
 */
export async function reassignCrew(
  db: Db,
  restaurantId: string,
  id: string,
  crew: string,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({
      crew,
      called: '',
      pushedLevel: e.case().when('level', '=', 0).then(repeatPush).else(e.ref('pushedLevel')).end(),
    }))
    .where('acceptedAt', 'is', null)
    .executeTakeFirst()
}

/** Calls others of the crew, unless the request has changed since it was read. Devices of those added are notified. */
export async function callOthers(
  db: Db,
  row: RequestRow,
  { called, nextLevelAt }: Pick<RequestRow, 'called' | 'nextLevelAt'>,
): Promise<RequestRow | undefined> {
  const before = new Set(row.called.split(' '))
  const adds = called === '' || called.split(' ').some((id) => !before.has(id))
  return updateOpen(db, row.restaurantId, row.id)
    .set((e) => ({ called, nextLevelAt, pushedLevel: adds ? repeatPush : e.ref('pushedLevel') }))
    .where('called', '=', row.called)
    .where('nextLevelAt', row.nextLevelAt === null ? 'is' : '=', row.nextLevelAt)
    .where('level', '=', 0)
    .where('acceptedAt', 'is', null)
    .executeTakeFirst()
}
