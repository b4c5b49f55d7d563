import fc from 'fast-check'
import { Client, DatabaseError } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { type ServiceRequest, serviceTypes } from '#contract/requests/requests.ts'
import { requestsCalling } from '../../src/client/features/crew/alerts/alerts.ts'
import { type Actor, anonymousActor } from '../../src/server/core/actor.ts'
import * as shift from '../../src/server/core/crew/shift.ts'
import { localDay } from '../../src/server/core/dates.ts'
import { Refusal } from '../../src/server/core/errors.ts'
import * as crewRequests from '../../src/server/core/requests/crew-requests.ts'
import {
  escalateDueRequests,
  escalateUnattended,
} from '../../src/server/core/requests/escalation/escalation.ts'
import * as reopenedRequests from '../../src/server/core/requests/moves/reopened-requests.ts'
import * as breaks from '../../src/server/storage/crew/breaks.ts'
import { listOpen, toRequest } from '../../src/server/storage/requests/requests.ts'
import { setUpApp } from '../support/app.ts'
import { deviceActor } from '../support/restaurants/device-actor.ts'

type Op =
  | { op: 'ask'; table: number; service: number }
  | { op: 'accept' | 'release' | 'complete' | 'reopen'; member: number; which: number }
  | { op: 'start-break'; member: number; cover: number | null }
  | { op: 'end-break' | 'listen' | 'stop-listening'; member: number }
  | { op: 'wait'; seconds: number }

const operations = {
  accept: crewRequests.accept,
  release: crewRequests.release,
  complete: crewRequests.complete,
  reopen: reopenedRequests.reopen,
}
const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined
const app = setUpApp({ guestLimits: false, scheduler: 'manual', clock: 'noon' })
const names = ['Ana', 'Ben', 'Cleo', 'Dan', 'Eva']
const tables = ['1', '2', '3', '4', '5', '6']

/** Ana and Ben have two tables each, and nobody the last two. Everybody listens at first. */
async function openRestaurant({ divided = false } = {}) {
  const restaurant = await app.restaurant({ tables })
  const { owner, name } = restaurant
  const restaurantId = await app.idOf(restaurant)
  const actors: Actor[] = []
  for (const member of names) {
    const crewMember = await owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
    actors.push({ ...anonymousActor(), restaurantId, grants: deviceGrant(restaurantId), crewMember })
  }
  const ids = actors.map(({ crewMember }) => crewMember?.id ?? '')
  const assignments = (await owner.ok(api.floor.tables, {})).map(({ id, tableNumber }) => ({
    tableId: id,
    crewMemberId: ids[Math.floor((Number(tableNumber) - 1) / 2)] ?? null,
  }))
  await owner.ok(api.floor.assign, {
    body: { date: localDay(app.now(), 'UTC'), assignments: assignments.slice(0, 4) },
  })
  if (divided) {
    const { id: sectionId } = await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
    const terrace = assignments.slice(2, 5).map(({ tableId }) => ({ tableId, sectionId }))
    await owner.ok(api.sections.arrange, { body: { tables: terrace } })
    await owner.ok(api.crew.change, { params: { id: ids[4] ?? '' }, body: { sectionId } })
  }
  const listeners = new Set(ids)
  presences.set(restaurantId, listeners)
  return { name, restaurantId, actors, ids, listeners, closed: [] as string[] }
}
type Restaurant = Awaited<ReturnType<typeof openRestaurant>>

const deviceGrant = (restaurantId: string): Actor['grants'] =>
  new Map([
    [
      'device' as const,
      {
        subjectId: restaurantId,
        restaurantId,
        authAt: app.now(),
        idleUntil: Infinity,
        recent: true,
        via: 'password' as const,
      },
    ],
  ])

const presences = new Map<string, Set<string>>()

/** Instead of sockets that close, so that nothing waits for a screen that may only be reloading. */
const presenceOf = (restaurantId: string) => {
  const listeners = presences.get(restaurantId) ?? new Set()
  return { listening: listeners.size > 0, screens: listeners.size, listeners }
}

const openRequests = async ({ restaurantId }: Restaurant): Promise<ServiceRequest[]> =>
  (await listOpen(app.ctx.db.reader, restaurantId)).map(toRequest)

async function perform(restaurant: Restaurant, op: Op): Promise<void> {
  const { name, restaurantId, ids, actors, listeners, closed } = restaurant
  if (op.op === 'ask') {
    const serviceType = serviceTypes[op.service % serviceTypes.length] ?? 'general'
    const body = { restaurantId: name, tableNumber: tables[op.table % tables.length] ?? '1', serviceType }
    await app.browser().ok(api.requests.send, { body })
    return
  }
  if (op.op === 'wait') {
    app.advance(op.seconds * 1000)
    return escalateDueRequests(app.ctx)
  }
  const member = ids[op.member % ids.length] ?? ''
  const actor = actors[op.member % ids.length] ?? anonymousActor()
  switch (op.op) {
    case 'listen':
    case 'stop-listening':
      if (op.op === 'listen') listeners.add(member)
      else listeners.delete(member)
      return escalateUnattended(app.ctx, restaurantId)
    case 'start-break':
      return shift.startBreak(app.ctx, actor, {
        coverId: op.cover === null ? null : (ids[op.cover % ids.length] ?? null),
      })
    case 'end-break':
      return shift.endBreak(app.ctx, actor)
    default: {
      const candidates = op.op === 'reopen' ? closed : (await openRequests(restaurant)).map(({ id }) => id)
      const id = candidates[op.which % candidates.length]
      if (id === undefined) return
      await operations[op.op](app.ctx, actor, { id })
      if (op.op === 'complete') closed.push(id)
    }
  }
}

/** What is refused, such as a break that a colleague on a break should cover, changes nothing. */
async function attempt(restaurant: Restaurant, op: Op): Promise<void> {
  await perform(restaurant, op).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
  })
}

const heardBy = (request: ServiceRequest, ids: readonly string[]): string[] =>
  ids.filter((id) => requestsCalling([request], id).length > 0)

/** While things happen at the same moment, somebody who has just gone on a break may be called, and still hears it. */
async function expectHeard(restaurant: Restaurant, atOnce: boolean): Promise<void> {
  const open = await openRequests(restaurant)
  const onBreak = (await breaks.list(app.ctx.db.reader, restaurant.restaurantId)).map(
    ({ crewMemberId }) => crewMemberId,
  )
  const reachable = [...restaurant.listeners].filter((id) => atOnce || !onBreak.includes(id))
  const onTheWay = new Set(open.map(({ acceptedBy }) => acceptedBy?.id))
  const free = reachable.filter((id) => !onTheWay.has(id))
  const waiting = open.filter(({ state }) => state === 'waiting')
  expect(
    reachable.length === 0 ? [] : waiting.filter((request) => heardBy(request, reachable).length === 0),
  ).toEqual([])
  const callsTheBusy = ({ called = [] }: ServiceRequest) => called.some((id) => onTheWay.has(id))
  expect(atOnce || free.length === 0 ? [] : waiting.filter(callsTheBusy)).toEqual([])
}

const index = fc.nat(9)
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('ask' as const), table: index, service: index }) },
  {
    weight: 7,
    arbitrary: fc.record({
      op: fc.constantFrom('accept', 'accept', 'accept', 'release', 'complete', 'reopen'),
      member: index,
      which: index,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('start-break' as const),
      member: index,
      cover: fc.option(index),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constantFrom('end-break', 'listen', 'listen', 'stop-listening'),
      member: index,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('wait' as const), seconds: fc.constantFrom(3, 13, 41) }),
  },
)

it.each([
  ['one after another', 1, false],
  ['at the same moment', 4, false],
  ['at the same moment, on a divided floor', 4, true],
])(
  'every request is heard by somebody while anybody listens, whatever happens %s',
  async (_name, atOnce, divided) => {
    Object.assign(app.ctx, { presence: presenceOf })
    const scenario = fc.array(fc.array(op, { minLength: 1, maxLength: atOnce }), {
      minLength: 10,
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(scenario, async (steps) => {
        const restaurant = await openRestaurant({ divided })
        for (const ops of steps) {
          await Promise.all(ops.map((each) => attempt(restaurant, each)))
          // As two seconds after a change of presence, for requests that were stored at the same moment.
          if (atOnce > 1) await escalateUnattended(app.ctx, restaurant.restaurantId)
          await expectHeard(restaurant, atOnce > 1)
        }
      }),
      { numRuns: 12, endOnFailure: true },
    )
  },
  120_000,
)

describe.each(onPostgres ? ['PostgreSQL'] : [])('on %s', () => {
  it('crew members who accept at the same moment do not deadlock', async () => {
    Object.assign(app.ctx, { presence: presenceOf })
    const queries = vi.spyOn(Client.prototype, 'query')
    const restaurant = await openRestaurant()
    const { restaurantId, actors } = restaurant
    for (let round = 0; round < 5; round++) {
      for (const [table] of tables.entries())
        for (const service of [0, 1]) await perform(restaurant, { op: 'ask', table, service })
      const waiting = await openRequests(restaurant)
      // Each accepts a request that calls them, while others call them too.
      const acceptances = actors.flatMap((actor) => {
        const own = waiting.find(({ called = [] }) => called.includes(actor.crewMember?.id ?? ''))
        return own ? [crewRequests.accept(app.ctx, actor, { id: own.id })] : []
      })
      await Promise.all(acceptances)
      await expectHeard(restaurant, false)
      const open = await openRequests(restaurant)
      expect(open.filter(({ state }) => state === 'accepted').length).toBeGreaterThan(1)
      for (const { id } of open) await crewRequests.complete(app.ctx, deviceActor(restaurantId), { id })
    }
    const failures = queries.mock.settledResults.flatMap(({ type, value }) =>
      type === 'rejected' && value instanceof DatabaseError ? [value.message] : [],
    )
    expect(queries).toHaveBeenCalled()
    expect(failures).toEqual([])
  })
})
