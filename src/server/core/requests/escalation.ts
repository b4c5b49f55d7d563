import { type AlertSettings, defaultAlerts } from '#contract/alerts.ts'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'
import * as breaks from '../../storage/breaks.ts'
import * as escalation from '../../storage/escalation.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor.ts'
import type { AssignedMember } from '../../storage/tap-context.ts'
import type { RequestRow } from '../../storage/requests.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import { read, write } from '../transaction.ts'
import type { Announce, Ctx } from '../ports.ts'
import { announceRequest, recordEvent, systemAttribution } from './request-events.ts'

const batchSize = 200

export async function loadAlertSettings(db: Db, restaurantId: string): Promise<AlertSettings> {
  return parseAlertSettings((await escalation.findSettings(db, restaurantId)) ?? null)
}

/** Settings that were saved before a service type existed take its default. */
function parseAlertSettings(stored: string | null): AlertSettings {
  if (stored === null) return defaultAlerts
  const saved: AlertSettings = JSON.parse(stored)
  return {
    allAfterMs: { ...defaultAlerts.allAfterMs, ...saved.allAfterMs },
    managerAfterMs: { ...defaultAlerts.managerAfterMs, ...saved.managerAfterMs },
    acceptMs: saved.acceptMs,
  }
}

export async function getSettings(ctx: Ctx, actor: Actor): Promise<AlertSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'alerts.settings')
  return loadAlertSettings(read(ctx), restaurantId)
}

/** Applies to new requests; those that wait already keep their times. */
export async function setSettings(ctx: Ctx, actor: Actor, settings: AlertSettings): Promise<AlertSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'alerts.setSettings')
  await write(ctx, async (db) => {
    await escalation.setSettings(db, restaurantId, JSON.stringify(settings))
    await audit.record(ctx, db, actor, restaurantId, 'ladder.setSettings', {
      settings: [
        `all crew after ${formatDelays(settings.allAfterMs)}`,
        `the manager after ${formatDelays(settings.managerAfterMs)}`,
        `an acceptance lasts ${settings.acceptMs / 1000} s`,
      ],
    })
  })
  return settings
}

const formatDelays = (delays: AlertSettings['allAfterMs']): string =>
  serviceTypes.map((type) => `${delays[type] / 1000} s (${type})`).join(', ')

/** A new request alerts the crew of its table, or all crew at once when none of these can hear it. */
export function initialEscalation(
  ctx: Ctx,
  restaurantId: string,
  { crew: assigned, alertSettings }: { crew: AssignedMember[]; alertSettings: string | null },
  serviceType: ServiceType,
): Pick<RequestRow, 'crew' | 'level' | 'nextLevelAt'> {
  const crew = resolveCovers(assigned)
  const level = crew.length > 0 && !isAnyoneListening(ctx, restaurantId, crew) ? 1 : 0
  return {
    crew: crew.join(' '),
    level,
    nextLevelAt: nextEscalationAt(parseAlertSettings(alertSettings), serviceType, level, ctx.now()),
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

/** When a request that has waited at this level since `since` alerts more people. */
function nextEscalationAt(
  { allAfterMs, managerAfterMs }: AlertSettings,
  type: ServiceType,
  level: number,
  since: number,
): number | null {
  if (level >= 2) return null
  return since + (level === 0 ? allAfterMs[type] : managerAfterMs[type])
}

type EscalationTimes = Pick<RequestRow, 'nextLevelAt' | 'acceptUntil'>

/** For a request that waits again: those alerted before are alerted again, and the later levels start over. */
function restartEscalation(
  settings: AlertSettings,
  type: ServiceType,
  level: number,
  now: number,
): EscalationTimes {
  const since = level === 0 ? now : now - settings.allAfterMs[type]
  return { nextLevelAt: nextEscalationAt(settings, type, level, since), acceptUntil: null }
}

/** When a request that waits again from now on alerts more people. */
export async function escalationTimes(
  ctx: Ctx,
  db: Db,
  { restaurantId, serviceType, level }: RequestRow,
): Promise<EscalationTimes> {
  return restartEscalation(await loadAlertSettings(db, restaurantId), serviceType, level, ctx.now())
}

const isAnyoneListening = (ctx: Ctx, restaurantId: string, crew: string[]): boolean => {
  const { listeners } = ctx.presence(restaurantId)
  return crew.some((id) => listeners.has(id))
}

/** Takes every step that is due, in all restaurants; each happens once, across restarts and nodes. */
export async function escalateDueRequests(ctx: Ctx): Promise<void> {
  const dueRequests = await escalation.listDue(read(ctx), ctx.now(), batchSize)
  await Promise.all(
    dueRequests.map((row) => write(ctx, (db, announce) => applyDueStep(ctx, db, announce, row))),
  )
}

async function applyDueStep(ctx: Ctx, db: Db, announce: Announce, row: RequestRow): Promise<void> {
  const settings = await loadAlertSettings(db, row.restaurantId)
  if (row.acceptUntil !== null) await expireAcceptance(ctx, db, announce, row, settings)
  else await escalate(ctx, db, announce, row, settings)
}

async function expireAcceptance(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  row: RequestRow,
  settings: AlertSettings,
) {
  const level = Math.max(row.level, 1)
  const { nextLevelAt } = restartEscalation(settings, row.serviceType, level, ctx.now())
  const expired = await escalation.expireAcceptance(db, row, { level, nextLevelAt })
  if (!expired) return
  recordEvent(ctx, systemAttribution, expired, 'released')
  announceRequest(announce, expired)
}

async function escalate(ctx: Ctx, db: Db, announce: Announce, row: RequestRow, settings: AlertSettings) {
  const next = nextEscalationAt(settings, row.serviceType, row.level + 1, row.createdAt)
  const earliest = ctx.now() + settings.managerAfterMs[row.serviceType] - settings.allAfterMs[row.serviceType]
  const raised = await escalation.raiseLevel(db, row, next === null ? null : Math.max(next, earliest))
  if (!raised) return
  recordEvent(ctx, systemAttribution, raised, 'escalated')
  announceRequest(announce, raised)
}

/** Requests whose own crew can no longer hear them alert all crew at once. */
export async function escalateUnattended(ctx: Ctx, restaurantId: string): Promise<void> {
  const unattended = (await escalation.listOwnCrewOnly(read(ctx), restaurantId)).filter(
    ({ crew }) => !isAnyoneListening(ctx, restaurantId, crew.split(' ')),
  )
  await Promise.all(
    unattended.map((row) =>
      write(ctx, async (db, announce) =>
        escalate(ctx, db, announce, row, await loadAlertSettings(db, restaurantId)),
      ),
    ),
  )
}
