import { minuteMs } from '#contract/durations.ts'
import { nameKey } from '#contract/primitives.ts'
import {
  type ClosedAs,
  type NewServiceRequest,
  type ServiceRequest,
  stillWaitingPauseMs,
} from '#contract/requests/requests.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import { isUniqueViolation } from '../../storage/engine/errors.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as visits from '../../storage/guests/visits.ts'
import { type NeedKey, targetMsOfRow } from '../../storage/requests/asked-need.ts'
import * as requestEvents from '../../storage/requests/request-events.ts'
import { hasNote, isFull } from '../../storage/requests/request-notes.ts'
import * as transitions from '../../storage/requests/request-transitions.ts'
import * as requests from '../../storage/requests/requests.ts'
import type { RequestRow } from '../../storage/requests/requests.ts'
import * as tableButtons from '../../storage/requests/table-buttons.ts'
import type { TableButtonRow } from '../../storage/requests/table-buttons.ts'
import * as seatings from '../../storage/requests/table-seating.ts'
import { loadTapContext } from '../../storage/requests/tap-context.ts'
import { resolveNameKey } from '../accounts/restaurants/restaurants.ts'
import { type Actor, guestIdsOf } from '../actor.ts'
import { authorize } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { localDay } from '../dates.ts'
import { conflict, forbidden, notFound, Refusal } from '../errors.ts'
import { needKeyOf, resolveNeed } from '../guests/needs.ts'
import { followParty } from '../guests/parties.ts'
import { consumeStillWaitingLimits, TapBudget } from '../guests/rate-limits.ts'
import { toGuestRequest } from '../guests/redaction.ts'
import { readSavedVisit } from '../guests/visit-cookie.ts'
import {
  decideTap,
  findSeating,
  hasShownCode,
  keepVisit,
  refuseAt,
  resolveSeat,
  startOfVisit,
} from '../guests/visits.ts'
import { scheduleOutsideAlerts } from '../outside/schedule.ts'
import { read, type Tx, write } from '../transaction.ts'
import { closeRequest } from './close.ts'
import { initialEscalation, escalationTimes, listCallees } from './escalation/escalation.ts'
import {
  announceRequest,
  guestAttribution,
  recordEvent,
  requestGroup,
  systemAttribution,
} from './request-events.ts'

export type SendResult = {
  request: ServiceRequest
  created: boolean
  closed?: ClosedAs
  noteCut?: true
  /** The topic that the guest's page follows from now on. */
  table: { restaurantId: string; tableKey: string }
}

/**
 * A guest asks for service. No sign-in is needed: the restaurant's name is enough. The same tap sent twice counts once;
 * another tap for a service that the table already waits for is added to the open request.
 */
export async function send(
  ctx: Ctx,
  actor: Actor,
  input: NewServiceRequest,
  /** The network button that was pressed instead of a guest's screen. */
  button?: TableButtonRow,
): Promise<SendResult> {
  authorize(actor, 'requests.send')
  const restaurantNameKey = await resolveNameKey(ctx, read(ctx), input.restaurantId)
  const tap = { ...input, id: input.id ?? ctx.newId(), button, restaurantNameKey }
  const budget = new TapBudget(ctx)
  const store = () =>
    write(ctx, (tx) => storeTap(ctx, tx, actor, tap, budget), {
      group: requestGroup(restaurantNameKey, tableKeyOf(tap), tap.id),
    })
  for (let attempt = 1; ; attempt++) {
    try {
      return await store()
    } catch (error) {
      // The same tap, or another one at the table, was stored at the same moment by another node. Now it is found.
      if (!(error instanceof TapOvertaken || isUniqueViolation(error))) throw error
      if (attempt === maxAttempts) throw tableBusy(error)
    }
  }
}

const maxAttempts = 5

/** Phones and buttons send it again. Any other refusal would be the tap's last answer. */
const tableBusy = (cause: unknown): Refusal => {
  const message = 'Others at this table are asking right now. Please try again in a moment.'
  return new Refusal('unavailable', message, { cause, retryAfter: 1 })
}

class TapOvertaken extends Error {
  override readonly name = 'TapOvertaken'
}

type Tap = NewServiceRequest & { id: string; button: TableButtonRow | undefined; restaurantNameKey: string }

/** The key of the table whose requests and visits a tap may change. */
const tableKeyOf = ({ restaurantNameKey, tableNumber }: Tap): string =>
  JSON.stringify([restaurantNameKey, nameKey(tableNumber)])

async function storeTap(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  tap: Tap,
  budget: TapBudget,
  /** The visit that the tap belongs to, at a table that its party has left, and since when it is here. */
  visit?: { tableKey: string; startedAt: number; since: number },
): Promise<SendResult> {
  const now = ctx.now()
  const context = await loadTapContext(tx.db, {
    id: tap.id,
    restaurantNameKey: tap.restaurantNameKey,
    tableKey: nameKey(tap.tableNumber),
    serviceType: needKeyOf(tap),
    guestId: actor.guestId,
    now,
  })
  if (!context) throw notFound('Restaurant')
  const { restaurant } = context
  const asked = resolveNeed(restaurant, tap)
  if (!asked) return storeTap(ctx, tx, actor, { ...tap, need: undefined }, budget, visit)
  if (context.storedRequestId !== null) {
    const row = await requireHolder(tx.db, restaurant.id, context.storedRequestId, tap.id)
    return toResult(row, false, await wasNoteCut(tx.db, actor, row, tap, asked))
  }
  const table = { restaurantId: restaurant.id, tableKey: nameKey(tap.tableNumber) }
  const savedVisit = readSavedVisit(ctx, actor, table)
  const startedAt = visit?.startedAt ?? context.visitStartedAt ?? savedVisit?.startedAt
  if (!visit && startedAt !== undefined && startedAt < (context.partyMovedAt ?? 0)) {
    const moved = await followParty(tx.db, { ...table, startedAt })
    if (moved) {
      const { tableNumber, since } = moved
      const { tableKey } = table
      return storeTap(ctx, tx, actor, { ...tap, tableNumber }, budget, { tableKey, startedAt, since })
    }
  }
  const { seat, verified } = await resolveSeat(ctx, tx.db, actor, restaurant, tap, {
    table: context.table,
    hasVisited: startedAt !== undefined,
    savedVisit,
  })
  const seating = await findSeating(tx.db, restaurant, table, now)
  const start = startedAt ?? startOfVisit(now, { seating, partyMovedAt: context.partyMovedAt })
  const { openRequestId, muted } = context
  const decision = decideTap({
    now,
    restaurant,
    visit: { startedAt, since: visit?.since ?? startedAt },
    seating,
    muted,
    verified,
    need: asked.serviceType,
    openRequestId,
  })
  const asker = { ...table, actor, verified }
  if (decision === 'new') await budget.consumeNew(asker)
  const limit = decision === 'new' ? null : await budget.tryConsumeRepeat(asker)
  const unchanged =
    limit === null || openRequestId === null
      ? null
      : await requireCurrent(tx.db, restaurant.id, openRequestId)
  if (limit !== null && unchanged !== null && mayAddTo(unchanged, asked)) throw limit
  // The first write, after the refusals: one that comes later would undo the taps that share the transaction.
  if (tap.button && !(await tableButtons.markPressed(tx.db, tap.button, now))) throw buttonRevoked()
  if (seating !== null && !(await seatings.lockSeated(tx.db, table, now))) refuseAt('table_closed')
  // Never refused: the table waits for it already.
  if (unchanged !== null) return toResult(unchanged, false, isNoteCut(unchanged, tap, asked))
  const day = localDay(now, restaurant.timeZone)
  const crew = context.crew.filter((member) => member.day === day)
  const callees = asked.need === null ? nobody : await listCallees(tx.db, restaurant.id, asked)
  const [row] = await Promise.all([
    requests.tryInsertOrMerge(tx.db, restaurant.id, {
      id: tap.id,
      openRequestId,
      ...seat,
      ...asked,
      createdAt: now,
      localDay: day,
      ...initialEscalation(
        ctx,
        restaurant.id,
        { ...context, crew, activity: context.activityOn(day), tableId: seat.tableId, callees },
        asked,
      ),
      ...expectedColumns(ctx, restaurant.id, asked.serviceType, context.openCount),
      verified: verified ? 1 : 0,
      byButton: tap.button ? 1 : 0,
    }),
    actor.guestId !== null &&
      (visit !== undefined || context.visitStartedAt === null) &&
      visits.begin(tx.db, {
        restaurantId: restaurant.id,
        tableKey: visit?.tableKey ?? table.tableKey,
        guestId: actor.guestId,
        startedAt: start,
      }),
  ])
  if (!row) throw new TapOvertaken()
  keepVisit(ctx, actor, table, {
    isNew: startedAt === undefined,
    startedAt: visit?.since ?? start,
    shownCode: verified ? restaurant.codeGeneration : null,
  })
  const created = row.id === tap.id
  recordEvent(ctx, tx, guestAttribution(actor.guestId), row, created ? 'created' : 'asked', tap.id)
  announceRequest(tx.announce, row, created ? 'new-request' : 'request-updated')
  return toResult(row, created, isNoteCut(row, tap, asked))
}

const nobody: ReadonlySet<string> = new Set()

function expectedColumns(
  ctx: Ctx,
  restaurantId: string,
  serviceType: NeedKey,
  openCount: number | null,
): Pick<RequestRow, 'expectedFromMs' | 'expectedUntilMs'> {
  const expected = openCount === null ? null : ctx.expectedTime(restaurantId, serviceType, openCount)
  return { expectedFromMs: expected?.fromMs ?? null, expectedUntilMs: expected?.untilMs ?? null }
}

export const buttonRevoked = () =>
  new Refusal('not_found', 'This button was revoked. Please make a new one in the Admin Portal.')

/**
 * Whether a tap says something that the crew may not learn if it is not stored. Of a note that is not told: whoever sent
 * one guess after another would find out what others have written, and nobody would notice.
 */
const mayAddTo = (row: RequestRow, { choice, note }: Pick<RequestRow, 'choice' | 'note'>): boolean =>
  (choice !== null && choice !== row.choice) || note !== null

async function requireCurrent(db: Db, restaurantId: string, id: string): Promise<RequestRow> {
  const row = await requests.findCurrent(db, restaurantId, id)
  if (!row) throw notFound('Request')
  return row
}

/** The request that holds this ask by now: the undo of a move may have taken it out of the one that it was made for. */
async function requireHolder(
  db: Db,
  restaurantId: string,
  requestId: string,
  askId: string,
): Promise<RequestRow> {
  const row = await requireCurrent(db, restaurantId, requestId)
  const given = await requestEvents.listGivenAway(db, restaurantId, row.id)
  const theirs = given.find(({ id }) => id.endsWith(`:${askId}`))
  return theirs ? requireHolder(db, restaurantId, theirs.requestId, theirs.id) : row
}

type Noted = Pick<RequestRow, 'note'>

/** Whether the crew sees less than the note that came with the tap. `asked`: what its need takes of it. */
const isNoteCut = (row: Noted, tap: Tap, asked: Noted): boolean =>
  Boolean(tap.note) && (asked.note === null || !hasNote(row.note, asked.note))

/**
 * Whether it probably was, for a tap that its device sends again. The text itself is not compared: sent with one guess
 * after another, the same tap would find out what others have written, and nobody would notice.
 */
async function wasNoteCut(
  db: Db,
  actor: Actor,
  { restaurantId, id, note }: RequestRow,
  tap: Tap,
  asked: Noted,
): Promise<boolean> {
  if (!tap.note) return false
  if (asked.note !== null && note !== null && !isFull(note)) return false
  const asks = await requestEvents.listAsksBy(db, restaurantId, guestIdsOf(actor), [id])
  return asks.get(id)?.includes(tap.id) ?? false
}

const toResult = (row: RequestRow, created: boolean, noteCut: boolean): SendResult => ({
  request: toGuestRequest(row),
  created,
  ...(row.closedAs !== null && row.closedAs !== 'merged' && { closed: row.closedAs }),
  ...(noteCut && { noteCut }),
  table: { restaurantId: row.restaurantId, tableKey: row.tableKey },
})

/**
 * Takes back what this device asked for. The request is cancelled unless others at the table asked for it too; then it
 * stays open for them and is returned.
 */
export async function cancel(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<{ id: string; request?: ServiceRequest }> {
  authorize(actor, 'requests.cancel')
  return write(ctx, async (tx) => {
    const own = await lockOwnRequest(tx.db, actor, id)
    if (!own) return { id }
    const { row, asks } = own
    if (asks.length >= row.asks) {
      const { restaurantId } = row
      await closeRequest({ ctx, tx, actor: asGuest(actor), restaurantId, id: row.id }, 'cancelled')
      return { id }
    }
    const remaining = asks.length === 0 ? row : await takeBackAsks(ctx, tx, actor, row, asks)
    return { id, request: toGuestRequest(remaining) }
  })
}

/** Undefined when it is closed. With the lock, an ask from the same table at the same moment comes either before or after. */
async function lockOwnRequest(db: Db, actor: Actor, id: string): Promise<OwnRequest | undefined> {
  const named = (await requireOwnRequest(db, actor, id)).row
  const [row] = await transitions.lockOpen(db, named.restaurantId, [named.id])
  const own = await requireOwnRequest(db, actor, id)
  // Merged, or separated again, before it was locked.
  if (own.row.id !== named.id) return lockOwnRequest(db, actor, id)
  return row && { row, asks: own.asks }
}

async function takeBackAsks(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  row: RequestRow,
  asks: string[],
): Promise<RequestRow> {
  const all = await requestEvents.listAsks(tx.db, row.restaurantId, row.id)
  const latest = all.at(-1)
  // The others may have chosen something else before: the crew asks them. Nobody takes back somebody else's allergy.
  const isTheirs = latest && asks.includes(latest.id) && (await mayChoose(ctx, tx.db, actor, row))
  const change = isTheirs ? { choice: null } : {}
  const remaining = await transitions.reduceAsks(tx.db, row, asks.length, change)
  if (!remaining) throw notFound('Request')
  for (const { id, actorId } of all.filter((ask) => asks.includes(ask.id)))
    recordEvent(ctx, tx, guestAttribution(actorId), remaining, 'taken_back', requestEvents.takenBackId(id))
  announceRequest(tx.announce, remaining)
  return remaining
}

/** A request for which the code was scanned keeps its choice, whatever a guest without the code says. */
async function mayChoose(ctx: Ctx, db: Db, actor: Actor, row: RequestRow): Promise<boolean> {
  if (row.verified === 0) return true
  const restaurant = await restaurants.findById(db, row.restaurantId)
  return restaurant !== undefined && hasShownCode(ctx, actor, restaurant, row.tableKey)
}

/**
 * A guest who has waited longer than the target raises the request's level and alerts its crew again. `told` is false
 * when the crew was alerted so recently that this changes nothing.
 */
export async function stillWaiting(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<{ request: ServiceRequest; told: boolean }> {
  authorize(actor, 'requests.stillWaiting')
  // Before it is counted, so that calls for others' requests use up nothing that the guests of an address share.
  await requireWaiting(read(ctx), actor, id)
  await consumeStillWaitingLimits(ctx, actor)
  return write(ctx, async (tx) => {
    const ownRow = await requireWaiting(tx.db, actor, id)
    for (
      let row: RequestRow | undefined = ownRow;
      row;
      row = await requests.findCurrent(tx.db, ownRow.restaurantId, id)
    ) {
      if (row.closedAt !== null) throw conflict('This request is already done')
      refuseBeforeTarget(ctx, row)
      if (wasRecentlyNotified(row, ctx.now())) return { request: toGuestRequest(row), told: false }
      const raised = await applyStillWaiting(ctx, tx, actor, row)
      if (raised) return { request: toGuestRequest(raised), told: true }
      // The request was raised, accepted or closed at the same moment: try again on top of that.
    }
    throw notFound('Request')
  })
}

/** A request that this device waits for. */
async function requireWaiting(db: Db, actor: Actor, id: string): Promise<RequestRow> {
  const { row, asks } = await requireOwnRequest(db, actor, id)
  if (asks.length === 0) throw notRequester()
  return row
}

function refuseBeforeTarget(ctx: Ctx, row: RequestRow): void {
  const targetMs = targetMsOfRow(row)
  const waitMs = row.createdAt + targetMs - ctx.now()
  // Later than now only because the server's clock was set back: nobody knows how long they have waited.
  if (waitMs <= 0 || waitMs > targetMs + minuteMs) return
  const seconds = Math.ceil(waitMs / 1000)
  const message = `The crew has just been told. If nobody comes, tell them again in ${seconds} s.`
  throw new Refusal('conflict', message, { params: { seconds } })
}

/** Not by what lies further ahead, because the server's clock was set back since. */
const wasRecentlyNotified = ({ stillWaitingAt }: RequestRow, now: number): boolean =>
  stillWaitingAt !== null && Math.abs(now - stillWaitingAt) < stillWaitingPauseMs

/** Undefined when the request has changed since `row` was read. */
async function applyStillWaiting(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  row: RequestRow,
): Promise<RequestRow | undefined> {
  if (isAccepterUnreachable(ctx, row)) {
    const released = await transitions.withdrawAcceptance(tx.db, row, await escalationTimes(ctx, tx.db, row))
    if (!released) return undefined
    await scheduleOutsideAlerts(ctx, tx.db, released)
    recordEvent(ctx, tx, systemAttribution, released, 'released')
    return applyStillWaiting(ctx, tx, actor, released)
  }
  const at = ctx.now()
  const { nextLevelAt } =
    row.acceptedAt === null
      ? await escalationTimes(ctx, tx.db, { ...row, level: Math.min(row.level + 1, 2) })
      : { nextLevelAt: null }
  const raised = await transitions.recordStillWaiting(tx.db, row, { at, nextLevelAt })
  if (!raised) return undefined
  if (row.level < 2) await scheduleOutsideAlerts(ctx, tx.db, raised)
  recordEvent(ctx, tx, guestAttribution(actor.guestId), raised, 'still_waiting')
  announceRequest(tx.announce, raised)
  return raised
}

/** Whoever is on the way cannot be told that the guest is still waiting, so others must be. */
const isAccepterUnreachable = (ctx: Ctx, { restaurantId, acceptedBy }: RequestRow): boolean =>
  acceptedBy !== null && !ctx.presence(restaurantId).listeners.has(acceptedBy)

/** At a table everybody acts as a guest, whatever else their browser is signed in to. */
const asGuest = (actor: Actor): Actor => ({ ...actor, grants: new Map(), crewMember: null })

type OwnRequest = { row: RequestRow; asks: string[] }

/** The request, or the one that it goes on in, and this device's asks of it that it has not taken back. */
async function requireOwnRequest(db: Db, actor: Actor, id: string): Promise<OwnRequest> {
  const guestIds = guestIdsOf(actor)
  const own = guestIds.length === 0 ? undefined : await findOwnRequest(db, guestIds, id)
  if (own) return own
  if (await requests.existsInAnyRestaurant(db, id)) throw notRequester()
  throw notFound('Request')
}

async function findOwnRequest(db: Db, guestIds: string[], id: string): Promise<OwnRequest | undefined> {
  const restaurantId = await requests.findRestaurantAsked(db, guestIds, id)
  if (restaurantId === undefined) return undefined
  const row = await requests.findCurrent(db, restaurantId, id)
  const asks = row && (await requestEvents.listAsksBy(db, restaurantId, guestIds, [row.id])).get(row.id)
  if (!asks || asks.length > 0) return asks && { row, asks }
  const given = await requestEvents.listGivenAway(db, restaurantId, row.id)
  const theirs = given.find(({ actorId }) => actorId !== null && guestIds.includes(actorId))
  if (!theirs) return { row, asks }
  const holder = await requireHolder(db, restaurantId, theirs.requestId, theirs.id)
  const left = (await requestEvents.listAsksBy(db, restaurantId, guestIds, [holder.id])).get(holder.id)
  return { row: holder, asks: left ?? [] }
}

const notRequester = () => forbidden('Only the device that asked can do that')
