import type { CrewMember } from '#contract/crew/crew.ts'
import { minuteMs } from '#contract/durations.ts'
import type { ServerMessage } from '#contract/live.ts'
/**
 * Simulates a Friday rush of one hour with 40 tables and a crew of 10, on the real operations, the real escalation and
 * each screen's own rule for when it sounds. Compares how often screens sound when no table is assigned and when all
 * are. `node bench/rush.ts` after a build.
 */
import { defaultEscalation } from '#contract/requests/escalation.ts'
import { serviceTypes } from '#contract/requests/requests.ts'
import { shareRaised, Sounds } from '../simulation/evening/rush.ts'
import { requestsCalling } from '../src/client/features/crew/alerts/alerts.ts'
import {
  requestsReducer,
  initialRequestsState,
} from '../src/client/features/crew/requests/requests-reducer.ts'
import { createLogger } from '../src/server/adapters/pino-logger.ts'
import { type App, startApp } from '../src/server/app.ts'
import { readConfig } from '../src/server/config.ts'
import * as accounts from '../src/server/core/accounts/accounts.ts'
import { type Actor, anonymousActor, type Grant, type GrantKind } from '../src/server/core/actor.ts'
import * as crew from '../src/server/core/crew/crew.ts'
import * as floor from '../src/server/core/floor/floor.ts'
import * as crewRequests from '../src/server/core/requests/crew-requests.ts'
import { escalateDueRequests } from '../src/server/core/requests/escalation/escalation.ts'
import * as requests from '../src/server/core/requests/requests.ts'
import { emptySqliteDatabase } from '../test/support/database.ts'
import { median, percentile, formatSpread, markdownTable } from './load/statistics.ts'

const tables = 40
const servers = 7
const otherRoles = ['Host', 'Busser', 'Busser'] as const
const durationMinutes = 60
/** How often each table needs something, in seconds. */
const secondsBetweenNeeds = 900
const seeds = [1, 2, 3]

/** From hearing a request to "On my way". */
const reactionSeconds = [4, 12] as const
const serviceSeconds = [40, 100] as const
const otherWorkSeconds = [20, 60] as const
/** The probability per second that a free crew member starts other work. */
const distractionChance = 0.015

/** mulberry32: the same seed gives the same evening. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

type Activity =
  | { what: 'nothing' }
  | { what: 'other work'; until: number }
  | { what: 'going'; until: number; id: string }
  | { what: 'serving'; until: number; id: string }

type Evening = { perPerson: number[]; toAccept: number[]; requests: number; toAll: number; toManager: number }

/** The evening's clock, in milliseconds. It starts at noon, so that no day ends during the hour. */
let clock = Date.UTC(2026, 10, 20, 12)

/** Without assigned tables, or `routed` to the crew whose tables they are. */
export async function simulateEvening(seed: number, routed: boolean): Promise<Evening> {
  const database = await emptySqliteDatabase()
  const config = { ...readConfig({}), port: 0, databaseUrl: database.url, guestLimits: false }
  const app = await startApp(config, { now: () => clock, log: createLogger() })
  try {
    return await run(app, seededRandom(seed), routed)
  } finally {
    await app.close()
    await database.drop()
  }
}

async function openRestaurant({ ctx }: App, routed: boolean) {
  const password = ctx.secrets.newToken()
  const { reply } = await accounts.signUp(ctx, anonymousActor(), {
    restaurantName: 'Blue Door',
    email: 'owner@example.com',
    password,
    timeZone: 'UTC',
  })
  const { id: restaurantId } = await ctx.db.reader
    .selectFrom('restaurant')
    .select('id')
    .executeTakeFirstOrThrow()
  const grant: Grant = {
    subjectId: restaurantId,
    restaurantId,
    authAt: clock,
    idleUntil: Infinity,
    recent: true,
    via: 'password',
  }
  const actor = (kind: GrantKind): Actor => ({
    ...anonymousActor(),
    restaurantId,
    grants: new Map([[kind, grant]]),
  })
  const owner = actor('owner')
  const floorTables = await floor.setUp(ctx, owner, { setupType: 'count', tableCount: tables })
  const roles = [...Array.from({ length: servers }, () => 'Server' as const), ...otherRoles]
  const members: CrewMember[] = []
  for (const [index, role] of roles.entries()) {
    members.push(await crew.add(ctx, owner, { name: `Member ${index + 1}`, role }))
  }
  if (routed) {
    const date = new Date(clock).toISOString().slice(0, 10)
    const assignments = floorTables.map(({ id }, index) => ({
      tableId: id,
      crewMemberId: members[Math.floor((index * servers) / tables)]?.id ?? null,
    }))
    await floor.assign(ctx, owner, { date, assignments })
  }
  // Everybody carries a listening screen.
  const presence = {
    listening: true,
    screens: members.length,
    listeners: new Set(members.map(({ id }) => id)),
  }
  Object.assign(ctx, { presence: () => presence })
  const people = members.map((member) => ({
    actor: { ...actor('device'), crewMember: member },
    sounds: new Sounds(),
    activity: { what: 'nothing' } as Activity,
  }))
  return { people, restaurantName: reply.restaurantName }
}

async function run(app: App, random: () => number, routed: boolean): Promise<Evening> {
  const { ctx } = app
  const { people, restaurantName } = await openRestaurant(app, routed)
  let list = requestsReducer(
    initialRequestsState,
    { type: 'pending-requests', requests: [], recent: [] },
    clock,
  )
  const received: ServerMessage[] = []
  ctx.bus.subscribe((signal) => {
    if (signal.kind === 'event' && signal.event.topic.kind === 'staff') received.push(signal.event.message)
  })
  const randomMs = ([min, max]: readonly [number, number]) => (min + random() * (max - min)) * 1000
  const levels = new Map<string, number>()
  const toAccept: number[] = []
  let created = 0

  for (let second = 0; second < durationMinutes * 60; second++) {
    clock += 1000
    for (let tableNumber = 1; tableNumber <= tables; tableNumber++) {
      if (random() >= 1 / secondsBetweenNeeds) continue
      const serviceType = serviceTypes[Math.floor(random() * serviceTypes.length)] ?? 'general'
      const input = { restaurantId: restaurantName, tableNumber: String(tableNumber), serviceType }
      if ((await requests.send(ctx, anonymousActor(), input)).created) created++
    }
    await escalateDueRequests(ctx)
    for (const message of received.splice(0)) list = requestsReducer(list, message, clock)
    for (const { id, level } of list.open) levels.set(id, level)

    for (const person of people) {
      const me = person.actor.crewMember.id
      person.sounds.hear(list.open, me, clock)
      const { activity } = person
      if (activity.what !== 'nothing') {
        if (clock < activity.until) continue
        person.activity = { what: 'nothing' }
        if (activity.what === 'serving') await crewRequests.complete(ctx, person.actor, activity)
        if (activity.what !== 'going') continue
        const request = list.open.find(({ id }) => id === activity.id)
        if (request?.state !== 'waiting') continue
        const accepted = await crewRequests.accept(ctx, person.actor, activity)
        if (accepted?.acceptedBy?.id !== me) continue
        toAccept.push(clock - request.timestamp)
        person.activity = { what: 'serving', until: clock + randomMs(serviceSeconds), id: activity.id }
        continue
      }
      const [next] = requestsCalling(list.open, me).toSorted((a, b) => a.timestamp - b.timestamp)
      if (next) person.activity = { what: 'going', until: clock + randomMs(reactionSeconds), id: next.id }
      else if (random() < distractionChance)
        person.activity = { what: 'other work', until: clock + randomMs(otherWorkSeconds) }
    }
  }
  const highest = [...levels.values()]
  return {
    perPerson: people.map(({ sounds }) => sounds.inTenMinutes(durationMinutes * minuteMs)),
    toAccept,
    requests: created,
    toAll: shareRaised(highest, 1),
    toManager: shareRaised(highest, 2),
  }
}

export const mean = (values: number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
if (import.meta.main) await printComparison()

async function printComparison(): Promise<void> {
  const results = { unassigned: [] as Evening[], assigned: [] as Evening[] }
  for (const seed of seeds) {
    results.unassigned.push(await simulateEvening(seed, false))
    results.assigned.push(await simulateEvening(seed, true))
  }

  const row = (name: string, evenings: Evening[]): string[] => [
    name,
    formatSpread(evenings.map(({ requests }) => requests)),
    formatSpread(evenings.map(({ perPerson }) => mean(perPerson))),
    formatSpread(evenings.map(({ perPerson }) => Math.max(...perPerson))),
    formatSpread(
      evenings.map(({ toAccept }) => median(toAccept) / 1000),
      ' s',
    ),
    formatSpread(
      evenings.map(({ toAccept }) => percentile(toAccept, 0.9) / 1000),
      ' s',
    ),
    formatSpread(
      evenings.map(({ toAll }) => toAll * 100),
      ' %',
    ),
    formatSpread(
      evenings.map(({ toManager }) => toManager * 100),
      ' %',
    ),
  ]
  console.log(
    `${tables} tables, ${servers + otherRoles.length} crew, ${durationMinutes} minutes, ${seeds.length} evenings: median (minimum–maximum)\n`,
  )
  console.log(
    markdownTable(
      [
        '',
        'requests',
        'sounds per person in 10 min',
        'highest of one person',
        'to "On my way"',
        'p90',
        'alerted all',
        'alerted the manager',
      ],
      [row('no table assigned', results.unassigned), row('tables assigned', results.assigned)],
    ),
  )
  console.log(
    `\nAll crew after ${defaultEscalation.allAfterMs.general / 1000} s, the manager after ${defaultEscalation.managerAfterMs.general / 1000} s; half of that for the check and for assistance.`,
  )
}
