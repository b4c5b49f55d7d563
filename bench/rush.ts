/**
 * A Friday rush on a clock of its own: 40 tables, 10 crew, one hour, the real operations and ladder, and each
 * screen's own rule of when it sounds. How often it sounds for each of them, with every request calling everybody
 * and with tables assigned. `node bench/rush.ts` after a build.
 */
import { defaultAlerts } from '#contract/alerts.ts'
import type { CrewMember } from '#contract/crew.ts'
import type { ServerMessage } from '#contract/live.ts'
import { serviceTypes } from '#contract/requests.ts'
import { requestsCalling, nextAlert, initialAlertState } from '../src/client/features/crew/requests/alerts.ts'
import {
  requestsReducer,
  initialRequestsState,
} from '../src/client/features/crew/requests/requests-reducer.ts'
import { createLogger } from '../src/server/adapters/pino-logger.ts'
import { type App, startApp } from '../src/server/app.ts'
import { readConfig } from '../src/server/config.ts'
import { type Actor, anonymousActor, type Grant, type GrantKind } from '../src/server/core/actor.ts'
import * as accounts from '../src/server/core/accounts/accounts.ts'
import * as crew from '../src/server/core/crew/crew.ts'
import * as crewRequests from '../src/server/core/requests/crew-requests.ts'
import * as floor from '../src/server/core/floor/floor.ts'
import { escalateDueRequests } from '../src/server/core/requests/escalation.ts'
import * as requests from '../src/server/core/requests/requests.ts'
import { emptySqliteDatabase } from '../test/support/database.ts'
import { median, percentile, formatSpread, markdownTable } from './statistics.ts'

const tables = 40
const servers = 7
const otherRoles = ['Host', 'Busser', 'Busser'] as const
const minutes = 60
/** How often each table needs something, in seconds. */
const secondsBetweenNeeds = 900
const seeds = [1, 2, 3]

/** All in seconds: until somebody who hears it says "On my way", at the table, at other work. */
const reactionSeconds = [4, 12] as const
const serviceSeconds = [40, 100] as const
const otherWorkSeconds = [20, 60] as const
/** How likely somebody who is free turns to other work, each second. */
const distractionChance = 0.015

/** The same evening each time (mulberry32). */
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

type Evening = { perPerson: number[]; toAccept: number[]; asked: number; toAll: number; toManager: number }

/** The evening's clock, in milliseconds. Noon, so that no day ends meanwhile. */
let clock = Date.UTC(2026, 10, 20, 12)

async function simulateEvening(seed: number, routed: boolean): Promise<Evening> {
  const folder = await emptySqliteDatabase()
  const config = { ...readConfig({}), port: 0, databaseUrl: folder.url, guestLimits: false }
  const app = await startApp(config, { now: () => clock, log: createLogger() })
  try {
    return await run(app, seededRandom(seed), routed)
  } finally {
    await app.close()
    await folder.drop()
  }
}

async function openHouse({ ctx }: App, routed: boolean) {
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
  const all = await floor.setUpTables(ctx, owner, { setupType: 'count', tableCount: tables })
  const roles = [...Array.from({ length: servers }, () => 'Server' as const), ...otherRoles]
  const members: CrewMember[] = []
  for (const [index, role] of roles.entries()) {
    members.push(await crew.add(ctx, owner, { name: `Member ${index + 1}`, role }))
  }
  if (routed) {
    const date = new Date(clock).toISOString().slice(0, 10)
    const assignments = all.map(({ id }, index) => ({
      tableId: id,
      crewMemberId: members[Math.floor((index * servers) / tables)]?.id ?? null,
    }))
    await floor.assign(ctx, owner, { date, assignments })
  }
  // Everybody carries a screen that listens.
  const presence = {
    listening: true,
    screens: members.length,
    listeners: new Set(members.map(({ id }) => id)),
  }
  Object.assign(ctx, { presence: () => presence })
  const people = members.map((member) => ({
    actor: { ...actor('device'), crewMember: member },
    alerts: initialAlertState,
    sounds: 0,
    doing: { what: 'nothing' } as Activity,
  }))
  return { people, restaurantName: reply.restaurantName }
}

async function run(app: App, random: () => number, routed: boolean): Promise<Evening> {
  const { ctx } = app
  const { people, restaurantName } = await openHouse(app, routed)
  let list = requestsReducer(
    initialRequestsState,
    { type: 'pending-requests', requests: [], recent: [] },
    clock,
  )
  const heard: ServerMessage[] = []
  ctx.bus.subscribe((signal) => {
    if (signal.kind === 'event' && signal.event.topic.kind === 'staff') heard.push(signal.event.message)
  })
  const between = ([least, most]: readonly [number, number]) => (least + random() * (most - least)) * 1000
  const levels = new Map<string, number>()
  const toAccept: number[] = []
  let asked = 0

  for (let second = 0; second < minutes * 60; second++) {
    clock += 1000
    for (let tableNumber = 1; tableNumber <= tables; tableNumber++) {
      if (random() >= 1 / secondsBetweenNeeds) continue
      const serviceType = serviceTypes[Math.floor(random() * serviceTypes.length)] ?? 'general'
      const input = { restaurantId: restaurantName, tableNumber: String(tableNumber), serviceType }
      if ((await requests.send(ctx, anonymousActor(), input)).created) asked++
    }
    await escalateDueRequests(ctx)
    for (const message of heard.splice(0)) list = requestsReducer(list, message, clock)
    for (const { id, level } of list.open) levels.set(id, level)

    for (const person of people) {
      const me = person.actor.crewMember.id
      const { state, alert } = nextAlert(person.alerts, list.open, me, clock)
      person.alerts = state
      if (alert?.sound) person.sounds++
      const { doing } = person
      if (doing.what !== 'nothing') {
        if (clock < doing.until) continue
        person.doing = { what: 'nothing' }
        if (doing.what === 'serving') await crewRequests.complete(ctx, person.actor, doing)
        if (doing.what !== 'going') continue
        const request = list.open.find(({ id }) => id === doing.id)
        if (request?.state !== 'waiting') continue
        const accepted = await crewRequests.accept(ctx, person.actor, doing)
        if (accepted?.acceptedBy?.id !== me) continue
        toAccept.push(clock - request.timestamp)
        person.doing = { what: 'serving', until: clock + between(serviceSeconds), id: doing.id }
        continue
      }
      const [next] = requestsCalling(list.open, me).toSorted((a, b) => a.timestamp - b.timestamp)
      if (next) person.doing = { what: 'going', until: clock + between(reactionSeconds), id: next.id }
      else if (random() < distractionChance)
        person.doing = { what: 'other work', until: clock + between(otherWorkSeconds) }
    }
  }
  const reached = (level: number) => [...levels.values()].filter((one) => one >= level).length
  return {
    perPerson: people.map(({ sounds }) => (sounds * 10) / minutes),
    toAccept,
    asked,
    toAll: reached(1) / levels.size,
    toManager: reached(2) / levels.size,
  }
}

const mean = (all: number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length
const results = { before: [] as Evening[], after: [] as Evening[] }
for (const seed of seeds) {
  results.before.push(await simulateEvening(seed, false))
  results.after.push(await simulateEvening(seed, true))
}

const row = (name: string, all: Evening[]): string[] => [
  name,
  formatSpread(all.map(({ asked }) => asked)),
  formatSpread(all.map(({ perPerson }) => mean(perPerson))),
  formatSpread(all.map(({ perPerson }) => Math.max(...perPerson))),
  formatSpread(
    all.map(({ toAccept }) => median(toAccept) / 1000),
    ' s',
  ),
  formatSpread(
    all.map(({ toAccept }) => percentile(toAccept, 0.9) / 1000),
    ' s',
  ),
  formatSpread(
    all.map(({ toAll }) => toAll * 100),
    ' %',
  ),
  formatSpread(
    all.map(({ toManager }) => toManager * 100),
    ' %',
  ),
]
console.log(
  `${tables} tables, ${servers + otherRoles.length} crew, ${minutes} minutes, ${seeds.length} evenings: median (least–most)\n`,
)
console.log(
  markdownTable(
    [
      '',
      'requests',
      'sounds per person in 10 min',
      'of the one with most',
      'to "On my way"',
      'p90',
      'alerted all',
      'alerted the manager',
    ],
    [row('every request calls everybody', results.before), row('tables assigned', results.after)],
  ),
)
const factors = results.before.map(
  ({ perPerson }, index) => mean(perPerson) / mean(results.after[index]?.perPerson ?? []),
)
console.log(`\nRouting divides the sounds by ${formatSpread(factors)}.`)
console.log(
  `All crew after ${defaultAlerts.allAfterMs.general / 1000} s, the manager after ${defaultAlerts.managerAfterMs.general / 1000} s; half of it for the check and for assistance.`,
)
