import { type AlertSettings, defaultAlerts } from '#contract/alerts.ts'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'
import * as alerts from '../storage/alerts.ts'
import type { Db } from '../storage/types.ts'
import * as floor from '../storage/floor.ts'
import * as requests from '../storage/requests.ts'
import type { Look } from '../storage/seats.ts'
import * as shift from '../storage/shift.ts'
import type { RequestRow } from '../storage/requests.ts'
import type { Actor } from './actor.ts'
import { authorizeInRestaurant } from './authorize.ts'
import * as audit from './audit.ts'
import { type Announce, read, write } from './transaction.ts'
import type { Ctx } from './ports.ts'
import { bySystem, eventOf, tell } from './request-news.ts'

const atOnce = 200

export async function settingsOf(db: Db, restaurantId: string): Promise<AlertSettings> {
  return parsed((await alerts.settings(db, restaurantId)) ?? null)
}

const parsed = (stored: string | null): AlertSettings =>
  stored === null ? defaultAlerts : JSON.parse(stored)

export async function settings(ctx: Ctx, actor: Actor): Promise<AlertSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'alerts.settings')
  return settingsOf(read(ctx), restaurantId)
}

/** Counts for what is asked from now on; what waits already keeps its times. */
export async function setSettings(ctx: Ctx, actor: Actor, wanted: AlertSettings): Promise<AlertSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'alerts.setSettings')
  await write(ctx, async (db) => {
    await alerts.setSettings(db, restaurantId, JSON.stringify(wanted))
    await audit.record(ctx, db, actor, restaurantId, 'ladder.setSettings', {
      settings: [
        `all crew after ${delaysText(wanted.allAfterMs)}`,
        `the manager after ${delaysText(wanted.managerAfterMs)}`,
        `an acceptance lasts ${wanted.acceptMs / 1000} s`,
      ],
    })
  })
  return wanted
}

const delaysText = (delays: AlertSettings['allAfterMs']): string =>
  serviceTypes.map((type) => `${delays[type] / 1000} s (${type})`).join(', ')

/** Where a new request begins: with the crew of its table, or with all when nobody of them can hear it. */
export function firstStep(
  ctx: Ctx,
  restaurantId: string,
  { crew: assigned, alertSettings }: Pick<Look, 'crew' | 'alertSettings'>,
  serviceType: ServiceType,
): Pick<RequestRow, 'crew' | 'level' | 'nextLevelAt'> {
  const crew = atWork(assigned)
  const level = crew.length > 0 && !anyListens(ctx, restaurantId, crew) ? 1 : 0
  return {
    crew: crew.join(' '),
    level,
    nextLevelAt: dueAt(parsed(alertSettings), serviceType, level, ctx.now()),
  }
}

/** Who looks after a table: whom it is assigned to, or their cover during a break; nobody in particular is all. */
export async function crewNow(db: Db, restaurantId: string, tableId: string, day: string): Promise<string[]> {
  const assigned = await floor.crewOf(db, restaurantId, tableId, day)
  if (assigned.length === 0) return []
  const breaks = new Map((await shift.breaks(db, restaurantId)).map((one) => [one.crewMemberId, one.coverId]))
  return atWork(assigned.map((id) => ({ id, onBreak: breaks.has(id), coverId: breaks.get(id) ?? null })))
}

const atWork = (assigned: Look['crew']): string[] => [
  ...new Set(assigned.flatMap(({ id, onBreak, coverId }) => (onBreak ? (coverId ?? []) : id))),
]

/** When a request at this level, waiting since then, alerts more people. */
function dueAt(
  { allAfterMs, managerAfterMs }: AlertSettings,
  type: ServiceType,
  level: number,
  since: number,
): number | null {
  if (level >= 2) return null
  return since + (level === 0 ? allAfterMs[type] : managerAfterMs[type])
}

type Waiting = Pick<RequestRow, 'nextLevelAt' | 'acceptUntil'>

/** A request that waits again: who was alerted before is alerted again, and the rest of the ladder starts anew. */
function waitingAgain(settings: AlertSettings, type: ServiceType, level: number, now: number): Waiting {
  const since = level === 0 ? now : now - settings.allAfterMs[type]
  return { nextLevelAt: dueAt(settings, type, level, since), acceptUntil: null }
}

/** When a request that waits from now on alerts more people. */
export async function timesOf(
  ctx: Ctx,
  db: Db,
  { restaurantId, serviceType, level }: RequestRow,
): Promise<Waiting> {
  return waitingAgain(await settingsOf(db, restaurantId), serviceType, level, ctx.now())
}

const anyListens = (ctx: Ctx, restaurantId: string, crew: string[]): boolean => {
  const { listeners } = ctx.presence(restaurantId)
  return crew.some((id) => listeners.has(id))
}

/** Takes every step that is due, in all restaurants; each happens once, whatever restarts or however many nodes. */
export async function climb(ctx: Ctx): Promise<void> {
  const due = await alerts.due(read(ctx), ctx.now(), atOnce)
  await Promise.all(due.map((row) => write(ctx, (db, announce) => step(ctx, db, announce, row))))
}

async function step(ctx: Ctx, db: Db, announce: Announce, row: RequestRow): Promise<void> {
  const settings = await settingsOf(db, row.restaurantId)
  if (row.acceptUntil !== null) await expire(ctx, db, announce, row, settings)
  else await escalate(ctx, db, announce, row, settings)
}

async function expire(ctx: Ctx, db: Db, announce: Announce, row: RequestRow, settings: AlertSettings) {
  const level = Math.max(row.level, 1)
  const { nextLevelAt } = waitingAgain(settings, row.serviceType, level, ctx.now())
  const expired = await alerts.expire(db, row, { level, nextLevelAt })
  if (!expired) return
  await requests.append(db, eventOf(ctx, bySystem, expired, 'released'))
  tell(announce, expired)
}

async function escalate(ctx: Ctx, db: Db, announce: Announce, row: RequestRow, settings: AlertSettings) {
  const next = dueAt(settings, row.serviceType, row.level + 1, row.createdAt)
  const soonest = ctx.now() + settings.managerAfterMs[row.serviceType] - settings.allAfterMs[row.serviceType]
  const raised = await alerts.climb(db, row, next === null ? null : Math.max(next, soonest))
  if (!raised) return
  await requests.append(db, eventOf(ctx, bySystem, raised, 'escalated'))
  tell(announce, raised)
}

/** Requests whose own crew can no longer hear them alert all crew at once. */
export async function leaveNobodyUnheard(ctx: Ctx, restaurantId: string): Promise<void> {
  const unheard = (await alerts.ownCrewOnly(read(ctx), restaurantId)).filter(
    ({ crew }) => !anyListens(ctx, restaurantId, crew.split(' ')),
  )
  await Promise.all(
    unheard.map((row) =>
      write(ctx, async (db, announce) =>
        escalate(ctx, db, announce, row, await settingsOf(db, restaurantId)),
      ),
    ),
  )
}
