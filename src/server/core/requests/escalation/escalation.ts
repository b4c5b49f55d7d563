import { mergeFields } from '#contract/merging.ts'
import {
  type EscalationSettings,
  type EscalationSettingsChange,
  defaultEscalation,
  isCrewFirst,
} from '#contract/requests/escalation.ts'
import { serviceTypes, targetResponseMs } from '#contract/requests/requests.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import * as breaks from '../../../storage/crew/breaks.ts'
import { type CrewActivity, listCalling, loadCrewActivity } from '../../../storage/crew/crew-activity.ts'
import * as crewMembers from '../../../storage/crew/crew.ts'
import { isLockTimeout } from '../../../storage/engine/errors.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as floor from '../../../storage/floor/floor.ts'
import {
  calledRole,
  type NeedKey,
  parseNeed,
  serviceTypeOf,
  targetMsOfRow,
} from '../../../storage/requests/asked-need.ts'
import * as escalation from '../../../storage/requests/escalation.ts'
import * as transitions from '../../../storage/requests/request-transitions.ts'
import * as requests from '../../../storage/requests/requests.ts'
import type { RequestRow } from '../../../storage/requests/requests.ts'
import type { AssignedMember } from '../../../storage/requests/tap-context.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../errors.ts'
import { changedMeanwhile, mergeChange } from '../../merge-change.ts'
import { scheduleOutsideAlerts } from '../../outside/schedule.ts'
import { read, type Tx, write } from '../../transaction.ts'
import { announceRequest, recordEvent, systemAttribution } from '../request-events.ts'
import { chooseAmong, chooseCalled, widenAfterMs } from './calling.ts'

const batchSize = 200
const maxPassOnRounds = 5
const dueLockTimeoutMs = 500

export async function loadEscalationSettings(db: Db, restaurantId: string): Promise<EscalationSettings> {
  return parseEscalationSettings((await escalation.findSettings(db, restaurantId)) ?? null)
}

/** Settings that were saved before a service type existed take its default. */
function parseEscalationSettings(stored: string | null): EscalationSettings {
  if (stored === null) return defaultEscalation
  const saved: EscalationSettings = JSON.parse(stored)
  return {
    allAfterMs: { ...defaultEscalation.allAfterMs, ...saved.allAfterMs },
    managerAfterMs: { ...defaultEscalation.managerAfterMs, ...saved.managerAfterMs },
    acceptMs: saved.acceptMs,
  }
}

export async function settings(ctx: Ctx, actor: Actor): Promise<EscalationSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'escalation.settings')
  return loadEscalationSettings(read(ctx), restaurantId)
}

/** Applies to new requests; those that wait already keep their times. */
export async function setSettings(
  ctx: Ctx,
  actor: Actor,
  change: EscalationSettingsChange,
): Promise<EscalationSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'escalation.setSettings')
  return write(ctx, async ({ db }) => {
    if (!(await restaurants.lock(db, restaurantId))) throw notFound('Restaurant')
    const settings = mergeSettings(await loadEscalationSettings(db, restaurantId), change)
    await escalation.setSettings(db, restaurantId, JSON.stringify(settings))
    await audit.record(ctx, db, actor, restaurantId, 'ladder.setSettings', {
      settings: [
        `all crew after ${formatDelays(settings.allAfterMs)}`,
        `the manager after ${formatDelays(settings.managerAfterMs)}`,
        `an acceptance lasts ${settings.acceptMs / 1000} s`,
      ],
    })
    return settings
  })
}

function mergeSettings(
  now: EscalationSettings,
  { was, ...wanted }: EscalationSettingsChange,
): EscalationSettings {
  if (!was) return wanted
  const merged = {
    allAfterMs: mergeFields(mergeChange, now.allAfterMs, was.allAfterMs, wanted.allAfterMs),
    managerAfterMs: mergeFields(mergeChange, now.managerAfterMs, was.managerAfterMs, wanted.managerAfterMs),
    acceptMs: mergeChange(now.acceptMs, was.acceptMs, wanted.acceptMs),
  }
  // One has called the manager sooner, the other one the crew later.
  if (!isCrewFirst(merged)) throw changedMeanwhile()
  return merged
}

const formatDelays = (delays: EscalationSettings['allAfterMs']): string =>
  serviceTypes.map((type) => `${delays[type] / 1000} s (${type})`).join(', ')

type NewRequestContext = {
  crew: AssignedMember[]
  escalationSettings: string | null
  activity: CrewActivity
  tableId: string | null
  /** Whom the need calls first, whatever the table. */
  callees: ReadonlySet<string>
}

/** The crew of the role that a need calls first; empty if it calls none. */
export async function listCallees(
  db: Db,
  restaurantId: string,
  asked: Pick<Asked, 'need'>,
): Promise<ReadonlySet<string>> {
  const role = calledRole(asked)
  const members = role === null ? [] : await crewMembers.list(db, restaurantId)
  return new Set(members.flatMap((member) => (member.role === role ? member.id : [])))
}

/** A new request calls who is free and near first, or all crew at once when none of its table's crew can hear it. */
export function initialEscalation(
  ctx: Ctx,
  restaurantId: string,
  { crew: assigned, escalationSettings, activity, tableId, callees }: NewRequestContext,
  need: Asked,
): Pick<RequestRow, 'crew' | 'called' | 'level' | 'nextLevelAt'> {
  const now = ctx.now()
  const { listeners } = ctx.presence(restaurantId)
  const crew = resolveCovers(assigned)
  const ladder = ladderOf(parseEscalationSettings(escalationSettings), need)
  const ofRole = chooseAmong(callees, { ...activity, listeners })
  if (ofRole.length > 0)
    return {
      crew: crew.join(' '),
      called: ofRole.join(' '),
      level: 0,
      nextLevelAt: nextEscalationAt(ladder, 0, now),
    }
  const isForAll =
    parseNeed(need)?.calls === 'all' || (crew.length > 0 && !isAnyoneListening(ctx, restaurantId, crew))
  const level = isForAll ? 1 : 0
  const called =
    level === 0
      ? chooseCalled({ tableId, crew, called: [], createdAt: now }, { ...activity, listeners }, now)
      : []
  const levelAt = nextEscalationAt(ladder, level, now)
  return {
    crew: crew.join(' '),
    called: called.join(' '),
    level,
    nextLevelAt: called.length > 0 && levelAt !== null ? Math.min(levelAt, now + widenAfterMs) : levelAt,
  }
}

/** Who looks after a table: whom it is assigned to, or their cover during a break. Empty means all crew. */
export async function listCrewOnDuty(
  db: Db,
  restaurantId: string,
  tableId: string,
  day: string,
): Promise<string[]> {
  const assigned = await floor.listCrewOf(db, restaurantId, tableId, day)
  if (assigned.length === 0) return []
  const covers = new Map(
    (await breaks.list(db, restaurantId)).map(({ crewMemberId, coverId }) => [crewMemberId, coverId]),
  )
  return resolveCovers(
    assigned.map((id) => ({ id, onBreak: covers.has(id), coverId: covers.get(id) ?? null })),
  )
}

const resolveCovers = (assigned: AssignedMember[]): string[] => [
  ...new Set(assigned.flatMap(({ id, onBreak, coverId }) => (onBreak ? (coverId ?? []) : id))),
]

type Asked = { serviceType: NeedKey; need: string | null }
type Ladder = { allAfterMs: number; managerAfterMs: number }

/** A need of the restaurant's own has the times of Other, in proportion to its target. */
function ladderOf({ allAfterMs, managerAfterMs }: EscalationSettings, asked: Asked): Ladder {
  const type = serviceTypeOf(asked.serviceType)
  const scale = targetMsOfRow(asked) / targetResponseMs[type]
  return {
    allAfterMs: Math.round(allAfterMs[type] * scale),
    managerAfterMs: Math.round(managerAfterMs[type] * scale),
  }
}

/** When a request that has waited at this level since `since` alerts more people. */
function nextEscalationAt(
  { allAfterMs, managerAfterMs }: Ladder,
  level: number,
  since: number,
): number | null {
  if (level >= 2) return null
  return since + (level === 0 ? allAfterMs : managerAfterMs)
}

type EscalationTimes = Pick<RequestRow, 'nextLevelAt' | 'acceptUntil'>

/** For a request that waits again: those alerted before are alerted again, and the later levels start over. */
function restartEscalation(ladder: Ladder, level: number, now: number): EscalationTimes {
  const since = level === 0 ? now : now - ladder.allAfterMs
  return { nextLevelAt: nextEscalationAt(ladder, level, since), acceptUntil: null }
}

/** When a request that waits again from now on alerts more people. */
export async function escalationTimes(ctx: Ctx, db: Db, row: RequestRow): Promise<EscalationTimes> {
  const ladder = ladderOf(await loadEscalationSettings(db, row.restaurantId), row)
  return restartEscalation(ladder, row.level, ctx.now())
}

const isAnyoneListening = (ctx: Ctx, restaurantId: string, crew: string[]): boolean => {
  const { listeners } = ctx.presence(restaurantId)
  return crew.some((id) => listeners.has(id))
}

/** Takes every step that is due, in all restaurants; each happens once, across restarts and nodes. */
export async function escalateDueRequests(ctx: Ctx): Promise<void> {
  const due = await escalation.listDue(read(ctx), ctx.now(), batchSize)
  await takeDueSteps(ctx, due)
}

export const takeDueSteps = (ctx: Ctx, due: readonly RequestRow[]): Promise<void> =>
  takeSteps(ctx, due, (row) => takeDueStep(ctx, row))

/** Takes a step for each row. One that fails does not stop the others, and is reported at the end. */
async function takeSteps(
  ctx: Ctx,
  rows: readonly RequestRow[],
  take: (row: RequestRow) => Promise<void>,
): Promise<void> {
  const remaining = rows.values()
  const failures: unknown[] = []
  const takeRemaining = async () => {
    for (const row of remaining) await take(row).catch((error: unknown) => failures.push(error))
  }
  // No more of them queue than may run at once, so that calls that are passed on get their turn in between.
  const lanes = Math.min(rows.length, ctx.db.backgroundTransactions)
  await Promise.all(Array.from({ length: lanes }, takeRemaining))
  if (failures.length > 0) throw failures[0]
}

/** When many steps come at once, as after an outage, they leave connections to the guests. */
const takeStep = <T>(
  ctx: Ctx,
  step: (tx: Tx) => Promise<T>,
  options?: { lockTimeoutMs: number },
): Promise<T> => ctx.alertSteps.run('steps', () => write(ctx, step, options))

/** A request that another transaction has locked does not hold up the others: its step is due again a second later. */
async function takeDueStep(ctx: Ctx, row: RequestRow): Promise<void> {
  try {
    await takeStep(ctx, (tx) => applyDueStep(ctx, tx, row), {
      lockTimeoutMs: dueLockTimeoutMs,
    })
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    ctx.log.warn({ error, requestId: row.id }, 'a due request is held, will retry')
  }
}

async function applyDueStep(ctx: Ctx, tx: Tx, row: RequestRow): Promise<void> {
  const ladder = ladderOf(await loadEscalationSettings(tx.db, row.restaurantId), row)
  if (row.acceptUntil !== null) await expireAcceptance(ctx, tx, row, ladder)
  else if (isWidening(row, ladder, ctx.now())) await callMore(ctx, tx, row, row.createdAt + ladder.allAfterMs)
  else await escalate(ctx, tx, row, ladder, { onlyIfDueAt: row.nextLevelAt })
}

/** When a request that nobody answers is raised to this level; null if it is by now, or never. */
export async function timeOfLevel(ctx: Ctx, db: Db, row: RequestRow, level: number): Promise<number | null> {
  const { createdAt, nextLevelAt } = row
  if (level > 2 || row.level >= level || nextLevelAt === null) return null
  const ladder = ladderOf(await loadEscalationSettings(db, row.restaurantId), row)
  const nextAt = isWidening(row, ladder, ctx.now()) ? createdAt + ladder.allAfterMs : nextLevelAt
  return row.level === level - 1
    ? nextAt
    : Math.max(createdAt + ladder.managerAfterMs, nextAt + ladder.managerAfterMs - ladder.allAfterMs)
}

/** Whether the step that is due calls more of the crew, before it alerts all. */
const isWidening = (
  { level, createdAt, nextLevelAt }: RequestRow,
  { allAfterMs }: Ladder,
  now: number,
): boolean => level === 0 && nextLevelAt === createdAt + widenAfterMs && now < createdAt + allAfterMs

async function expireAcceptance(ctx: Ctx, tx: Tx, row: RequestRow, ladder: Ladder) {
  const level = Math.max(row.level, 1)
  const { nextLevelAt } = restartEscalation(ladder, level, ctx.now())
  const expired = await escalation.expireAcceptance(tx.db, row, { level, nextLevelAt })
  if (!expired) return
  recordEvent(ctx, tx, systemAttribution, expired, 'released')
  announceRequest(tx.announce, expired)
}

async function escalate(
  ctx: Ctx,
  tx: Tx,
  row: RequestRow,
  ladder: Ladder,
  options?: { onlyIfDueAt: number | null },
) {
  const next = nextEscalationAt(ladder, row.level + 1, row.createdAt)
  const earliest = ctx.now() + ladder.managerAfterMs - ladder.allAfterMs
  const raised = await escalation.raiseLevel(
    tx.db,
    row,
    next === null ? null : Math.max(next, earliest),
    options,
  )
  if (!raised) return
  await scheduleOutsideAlerts(ctx, tx.db, raised)
  recordEvent(ctx, tx, systemAttribution, raised, 'escalated')
  announceRequest(tx.announce, raised)
}

/** Only the restaurants where somebody waits are looked at one by one. */
export async function escalateAllUnattended(ctx: Ctx, restaurantIds: readonly string[]): Promise<void> {
  const waitedAt = await requests.listWithOpen(read(ctx), restaurantIds)
  await Promise.all(
    waitedAt.map((restaurantId) =>
      escalateUnattended(ctx, restaurantId).catch((error: unknown) =>
        ctx.log.error({ error, restaurantId }, 'could not escalate unattended requests'),
      ),
    ),
  )
}

/**
 * Requests whose own crew cannot hear them or is on a break alert all crew at once; calls of others who cannot come are
 * passed on.
 */
export async function escalateUnattended(ctx: Ctx, restaurantId: string): Promise<void> {
  try {
    await takeSteps(ctx, await listUnattended(ctx, restaurantId), (row) =>
      takeStep(ctx, async (tx) =>
        escalate(ctx, tx, row, ladderOf(await loadEscalationSettings(tx.db, restaurantId), row)),
      ),
    )
  } finally {
    await passOnCalls(ctx, restaurantId)
  }
}

async function listUnattended(ctx: Ctx, restaurantId: string): Promise<RequestRow[]> {
  const ownCrewOnly = await escalation.listOwnCrewOnly(read(ctx), restaurantId)
  if (ownCrewOnly.length === 0) return []
  const onBreak = new Set(
    (await breaks.list(read(ctx), restaurantId)).map(({ crewMemberId }) => crewMemberId),
  )
  return ownCrewOnly.filter((row) => {
    const alerted = calledRole(row) === null ? row.crew : `${row.crew} ${row.called}`
    const onDuty = alerted.split(' ').filter((id) => !onBreak.has(id))
    return !isAnyoneListening(ctx, restaurantId, onDuty)
  })
}

/** Calls more of the crew, before the request alerts all at `allAt`. */
async function callMore(ctx: Ctx, tx: Tx, row: RequestRow, allAt: number): Promise<void> {
  const called = row.called === '' ? '' : await chooseMore(ctx, tx.db, row)
  const updated = await transitions.callOthers(tx.db, row, { called, nextLevelAt: allAt })
  if (updated && called !== row.called) announceRequest(tx.announce, updated)
}

async function chooseMore(ctx: Ctx, db: Db, row: RequestRow): Promise<string> {
  const activity = await loadCrewActivity(db, row.restaurantId, row.localDay, ctx.now(), row.tableId)
  return choose(ctx, row, activity, { more: true })
}

/**
 * Requests no longer call those who are on the way elsewhere, on a break or not listening, but others who are free. Each
 * changes in a transaction of its own: one for several could deadlock with others that change them in another order.
 */
export async function passOnCalls(ctx: Ctx, restaurantId: string): Promise<void> {
  // Where others do the same at the same moment, those that came second try again on top of that.
  for (let round = 0; round < maxPassOnRounds; round++) {
    let isDone = true
    // One after the other, so that they leave the other connections to the guests.
    for (const { row, called } of await choosePassedOn(ctx, restaurantId))
      isDone = (await passOn(ctx, row, called)) && isDone
    if (isDone) return
  }
}

/** Whether the request was still as it was read. */
const passOn = (ctx: Ctx, row: RequestRow, called: string): Promise<boolean> =>
  takeStep(ctx, async ({ db, announce }) => {
    const updated = await transitions.callOthers(db, row, { called, nextLevelAt: row.nextLevelAt })
    if (updated) announceRequest(announce, updated)
    return updated !== undefined
  })

type PassedOn = { row: RequestRow; called: string }

/** The waiting requests that should call others, with whom. */
async function choosePassedOn(ctx: Ctx, restaurantId: string): Promise<PassedOn[]> {
  const waiting = await listCalling(read(ctx), restaurantId)
  const [first] = waiting
  if (!first) return []
  const { listeners } = ctx.presence(restaurantId)
  const activity = await loadCrewActivity(read(ctx), restaurantId, first.localDay, ctx.now())
  const calls = new Map(activity.calls)
  const count = (ids: string, by: number) => {
    for (const id of ids.split(' ')) calls.set(id, (calls.get(id) ?? 0) + by)
  }
  const isFree = (id: string) => listeners.has(id) && !activity.onTheWay.has(id) && !activity.onBreak.has(id)
  const outdated = waiting.filter(({ called }) => !called.split(' ').every(isFree))
  const sections = await loadSectionCrews(ctx, outdated)
  const callees = await Promise.all(outdated.map((row) => listCallees(read(ctx), restaurantId, row)))
  return outdated.flatMap((row, index) => {
    const sameSection = sections.get(row.tableId) ?? activity.sameSection
    const ofRole = chooseAmong(callees[index] ?? new Set(), { ...activity, listeners })
    const called =
      ofRole.length > 0 ? ofRole.join(' ') : choose(ctx, row, { ...activity, calls, sameSection })
    if (called === row.called) return []
    // The next ones go to whoever has fewer calls by then.
    count(row.called, -1)
    count(called, 1)
    return [{ row, called }]
  })
}

/** By table. */
async function loadSectionCrews(
  ctx: Ctx,
  rows: readonly RequestRow[],
): Promise<Map<string | null, CrewActivity['sameSection']>> {
  const byTable = new Map(rows.map((row) => [row.tableId, row]))
  const entries = [...byTable].map(async ([tableId, { restaurantId, localDay }]) => {
    const { sameSection } = await loadCrewActivity(read(ctx), restaurantId, localDay, ctx.now(), tableId)
    return [tableId, sameSection] as const
  })
  return new Map(await Promise.all(entries))
}

function choose(ctx: Ctx, row: RequestRow, activity: CrewActivity, options?: { more: boolean }): string {
  const crew = { ...activity, ...ctx.presence(row.restaurantId) }
  const call = {
    tableId: row.tableId,
    crew: row.crew === '' ? [] : row.crew.split(' '),
    called: row.called.split(' '),
    createdAt: row.createdAt,
  }
  return chooseCalled(call, crew, ctx.now(), options).join(' ')
}
