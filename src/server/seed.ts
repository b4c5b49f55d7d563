import type { CrewMember, CrewRole } from '#contract/crew.ts'
import type { Table } from '#contract/floor.ts'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'
import * as accounts from './core/accounts/accounts.ts'
import { type Actor, anonymousActor } from './core/actor.ts'
import type { Ctx } from './core/ports.ts'
import * as crew from './core/crew/crew.ts'
import * as crewRequests from './core/requests/crew-requests.ts'
import * as demo from './core/accounts/demo.ts'
import { Refusal } from './core/errors.ts'
import * as floor from './core/floor/floor.ts'
import * as managers from './core/accounts/managers.ts'
import * as requests from './core/requests/requests.ts'
import { localDay } from './core/dates.ts'
import * as sessions from './core/accounts/sessions.ts'
import * as subscribing from './core/billing/checkout.ts'

/** What the first start prints. */
export type SeedResult = {
  restaurantName: string
  crewKey: string
  logins: { who: string; username: string; password: string }[]
}

const restaurantName = 'The Copper Pot'
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const crewRoster: [string, CrewRole][] = [
  ['Maya Lindqvist', 'Server'],
  ['Jonas Weber', 'Server'],
  ['Priya Nair', 'Server'],
  ['Luca Romano', 'Server'],
  ['Ana Duarte', 'Host'],
  ['Tom Okafor', 'Host'],
  ['Sam Keller', 'Busser'],
  ['Ines Moreau', 'Busser'],
]

/**
 * Creates the demo restaurant with the operations that owners, guests and crew use. Its history is such that today
 * has 24 requests, 12 % more than the mean of the seven days before, answered in 2.5 minutes on average, 8 %
 * faster than then. Returns null if another node is already creating it.
 */
export async function seedDemo(ctx: Ctx): Promise<SeedResult | null> {
  const password = ctx.secrets.newToken().slice(0, 14)
  const timeZone = chooseTimeZone(ctx.now())
  const owner = await signUp(ctx, password, timeZone)
  if (!owner) return null
  const crewKey = ctx.secrets.newToken()
  await demo.claim(ctx, owner.restaurantId ?? '', crewKey)

  const tables = await floor.setUpTables(ctx, owner, {
    setupType: 'custom',
    customTables: [...Array.from({ length: 10 }, (_, index) => String(index + 1)), 'Patio 1', 'Patio 2'],
  })
  const members: CrewMember[] = []
  for (const [name, role] of crewRoster) members.push(await crew.add(ctx, owner, { name, role }))
  await assignTables(ctx, owner, tables, members, timeZone)
  const logins = await addLogins(ctx, owner, members, password)
  await writeHistory(ctx, owner, tables, members, timeZone)
  await subscribe(ctx, owner)
  return { restaurantName, crewKey, logins }
}

async function signUp(ctx: Ctx, password: string, timeZone: string): Promise<Actor | null> {
  try {
    const input = { restaurantName, email: 'demo@tableside.example', password, timeZone }
    const { cookie } = await accounts.signUp(ctx, anonymousActor(), input)
    return await sessions.identify(ctx, cookie, anonymousActor())
  } catch (error) {
    if (error instanceof Refusal && error.code === 'conflict') return null
    throw error
  }
}

/** Only where nobody is charged. */
async function subscribe(ctx: Ctx, owner: Actor): Promise<void> {
  if (!ctx.settings.billing || ctx.payments.provider !== 'sandbox') return
  const { clientSecret, priceId } = await subscribing.beginCheckout(ctx, owner, { planType: 'monthly' })
  const [setupIntentId = ''] = clientSecret.split('_secret_')
  await subscribing.confirmSandboxSetup(ctx, owner, setupIntentId, { clientSecret, testCard: 'ok' })
  await subscribing.confirm(ctx, owner, { setupIntentId, priceId })
}

/** The server's own zone, unless the day there is too young for a day's history. */
function chooseTimeZone(now: number): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (msSinceMidnight(now, own) >= 3 * hour) return own
  const utcHour = new Date(now).getUTCHours()
  // The signs of these zones are reversed: Etc/GMT-9 is nine hours ahead.
  const ahead = 20 - utcHour
  return ahead >= 0 ? `Etc/GMT-${Math.min(ahead, 14)}` : `Etc/GMT+${-ahead}`
}

function msSinceMidnight(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const [hours = 0, minutes = 0, seconds = 0] = format.format(at).split(':').map(Number)
  return hours * hour + minutes * minute + seconds * 1000
}

/** Assigns eight tables on every day of the history and the week ahead. */
async function assignTables(
  ctx: Ctx,
  owner: Actor,
  tables: Table[],
  members: CrewMember[],
  timeZone: string,
): Promise<void> {
  const servers = members.filter(({ role }) => role === 'Server')
  const hosts = members.filter(({ role }) => role === 'Host').map(({ id }) => id)
  for (let offset = -requestsPerPastDay.length; offset <= 7; offset++) {
    const date = localDay(ctx.now() + offset * day, timeZone)
    const assignments = tables
      .slice(0, 8)
      .map((table, index) => ({ tableId: table.id, crewMemberId: itemAt(servers, Math.floor(index / 2)).id }))
    await floor.assign(ctx, owner, { date, assignments })
    await floor.assignHostStand(ctx, owner, { date, crewIds: hosts })
  }
}

async function addLogins(
  ctx: Ctx,
  owner: Actor,
  members: CrewMember[],
  password: string,
): Promise<SeedResult['logins']> {
  const manager = { username: 'manager', password: ctx.secrets.newToken().slice(0, 14) }
  await managers.setCredentials(ctx, owner, manager)
  const maya = { username: 'maya', password: ctx.secrets.newToken().slice(0, 14) }
  await crew.change(ctx, owner, itemAt(members, 0).id, maya)
  return [
    { who: 'Restaurant and Admin Login', username: restaurantName, password },
    { who: 'Management Login', ...manager },
    { who: 'Crew Login', ...maya },
  ]
}

type PastRequest = {
  tableNumber: string
  serviceType: ServiceType
  createdAt: number
  responseMs: number
  by: CrewMember
}

async function writeHistory(
  ctx: Ctx,
  owner: Actor,
  tables: Table[],
  members: CrewMember[],
  timeZone: string,
): Promise<void> {
  const servers = members.filter(({ role }) => role === 'Server')
  const past = pastRequests(ctx.now(), timeZone).map(({ createdAt, responseMs }, index): PastRequest => {
    const table = rotatedIndex(index, tables.length)
    return {
      createdAt,
      responseMs,
      tableNumber: itemAt(tables, table).tableNumber,
      serviceType: itemAt(serviceTypes, rotatedIndex(index, serviceTypes.length)),
      by: itemAt(servers, Math.floor((table % 8) / 2)),
    }
  })
  // Requests of one table in sequence, different tables in parallel.
  await Promise.all(
    tables.map(async ({ tableNumber }) => {
      for (const request of past)
        if (request.tableNumber === tableNumber) await replayRequest(ctx, owner, request)
    }),
  )
}

/** Round-robin, with each round starting one later, so that nobody always gets every second request. */
const rotatedIndex = (index: number, of: number): number => (index + Math.floor(index / of)) % of

/** Requests per day: the week before last, to compare this week with, then the week that today is compared with. */
const requestsPerPastDay = [19, 21, 20, 22, 18, 23, 20, 21, 22, 21, 22, 21, 22, 21]

function pastRequests(now: number, timeZone: string): { createdAt: number; responseMs: number }[] {
  const midnight = now - msSinceMidnight(now, timeZone)
  const before = requestsPerPastDay.flatMap((count, index) => {
    const noon = midnight - (requestsPerPastDay.length - index) * day + 12 * hour
    return spreadRequests(count, noon, noon + 10 * hour, 163)
  })
  const newest = now - 15 * minute
  return [...before, ...spreadRequests(24, Math.max(midnight + minute, newest - 10 * hour), newest, 150)]
}

/**
 * Spreads requests evenly between two instants. Half of them are answered quickly and half slowly, with exactly this
 * mean in seconds.
 */
function spreadRequests(count: number, from: number, to: number, meanSeconds: number) {
  return Array.from({ length: count }, (_, index) => {
    const paired = index < count - (count % 2)
    const offset = paired ? (index % 2 === 0 ? 1 : -1) * (60 + 9 * (Math.floor(index / 2) % 8)) : 0
    return {
      createdAt: Math.floor(from + ((to - from) * index) / count),
      responseMs: (meanSeconds + offset) * 1000,
    }
  })
}

/** Replays a past request through the operations, with the clock set to that time. */
async function replayRequest(
  ctx: Ctx,
  owner: Actor,
  { createdAt, responseMs, by, ...need }: PastRequest,
): Promise<void> {
  const ctxAt = (after: number): Ctx => ({
    ...ctx,
    now: () => createdAt + after,
    settings: { ...ctx.settings, guestLimits: false },
  })
  const server: Actor = { ...owner, crewMember: by }
  const { request } = await requests.send(ctxAt(0), anonymousActor(), {
    restaurantId: restaurantName,
    ...need,
  })
  await crewRequests.markSeen(ctxAt(4_000), server, { ids: [request.id] })
  await crewRequests.accept(ctxAt(responseMs), server, request)
  await crewRequests.complete(ctxAt(responseMs + 90_000), server, request)
}

function itemAt<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}
