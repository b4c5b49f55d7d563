import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { type ServiceType, serviceTypes } from '#contract/requests/requests.ts'
import type { Actor } from '../src/server/core/actor.ts'
import * as analytics from '../src/server/core/analytics/analytics.ts'
import { write } from '../src/server/core/transaction.ts'
import * as restaurants from '../src/server/storage/accounts/restaurants.ts'
import { figuresFromCsv, parseCsv } from './support/reading/figures-from-csv.ts'
import {
  instantOf,
  hour,
  type PastRestaurant,
  type RequestCourse,
  seconds,
  setUpPastApp,
  startPastRestaurant,
} from './support/restaurants/past-restaurant.ts'

const app = setUpPastApp()
const zones = ['Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Kiritimati']

/** Pseudo-random numbers from 0 to 1, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

const days = ['2027-03-26', '2027-03-27', '2027-03-28', '2027-03-29', '2027-03-30']
const [range, before] = [
  { from: '2027-03-28', to: '2027-03-30' },
  { from: '2027-03-25', to: '2027-03-27' },
]
const now = instantOf('2027-04-02T12:00:00Z')

/** Five days across a daylight saving change, in which everything happens that can happen to a request. */
async function fullDays() {
  const tables = ['1', '2', '10', 'Bar "left"', "'Patio, 3", '=Window', 'Garden']
  const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-03-24T09:30:00Z', tables)
  // What was before the first request is compared with nothing.
  await past.ask('2027-03-24T10:00:00Z', '1', 'other', { completed: { after: 60 } })
  const random = numbers(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const crew = [await past.join('Maya, "M."'), await past.join('Tom'), await past.join('@Ana')]
  for (const day of days) {
    const assigned = tables.slice(0, 5).map((table): [string, (typeof crew)[number]] => [table, pick(crew)])
    await past.assign(day, assigned)
  }
  await past.listens('2027-03-26T10:00:00Z', true)
  for (let index = 0; index < 40; index++) {
    const when = instantOf('2027-03-26T11:00:00Z') + index * 2.5 * 3600 * seconds
    await past.listens(new Date(when).toISOString(), index % 3 === 1)
  }
  const starts = Array.from({ length: 220 }, () => Math.floor(random() * 4.4 * 86_400)).toSorted(
    (x, y) => x - y,
  )
  const lastAt = new Map<string, number>()
  for (const start of starts) {
    const [table, type] = [pick(tables), pick<ServiceType>(serviceTypes)]
    // Each course is played to its end at once, so courses that could merge must not overlap.
    if (start - (lastAt.get(`${table} ${type}`) ?? -Infinity) < 1000) continue
    lastAt.set(`${table} ${type}`, start)
    const by = pick(crew)
    const [accepted, done] = [5 + random() * 120, 130 + random() * 300]
    const course: RequestCourse = {
      seen: 1 + random() * 20,
      ...(random() < 0.2 && { asked: [3, 3.5] }),
      ...(random() < 0.15 && { climbs: [21, 46] }),
      ...(random() < 0.1 && { stillWaiting: 95 }),
      ...(random() < 0.7 && { accepted: { after: accepted, by } }),
      ...(random() < 0.1 && { released: accepted + 2 }),
      ...(random() < 0.05 && { acceptedAgain: { after: accepted + 3, by: pick(crew) } }),
      ...(random() < 0.1 && { climbs: [accepted + 181] }),
      ...(random() < 0.8 ? { completed: { after: done, by } } : random() < 0.6 ? { cancelled: done } : {}),
    }
    if (course.completed && random() < 0.1)
      Object.assign(course, { reopened: done + 5, completedAgain: { after: done + 30, by } })
    await past.ask(instantOf('2027-03-26T10:00:00Z') + start * seconds, table, type, course)
  }
  return { past, crew, file: fileOf(past, now) }
}

const fileOf = (past: PastRestaurant, at: number) => async (of: typeof range, actor: Actor) => {
  const { chunks } = await analytics.events(past.clock(at), actor, of)
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new TextDecoder().decode(Buffer.concat(parts))
}

const fourWeeks = { from: '2027-03-01', to: '2027-03-28' }
const dayAfter = (day: string, days: number): string =>
  new Date(instantOf(`${day}T00:00:00Z`) + days * 24 * hour).toISOString().slice(0, 10)
const daysOf = ({ from, to }: typeof range): string[] => {
  const count = (instantOf(to) - instantOf(from)) / (24 * hour) + 1
  return Array.from({ length: count }, (_, index) => dayAfter(from, index))
}

/** Four weeks with a lunch on every day, and Friday evenings on which guests wait long. */
async function fridayRushes() {
  const tables = ['1', '2', '3', '4']
  const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-02-01T09:00:00Z', tables)
  const maya = await past.join('Maya')
  const random = numbers(11)
  for (const day of daysOf({ from: '2027-02-26', to: '2027-03-30' })) {
    const lunch = instantOf(`${day}T12:00:00Z`)
    for (const [index, table] of tables.entries())
      await past.ask(lunch + index * 10 * 60 * seconds, table, 'drinks', {
        accepted: { after: 20 + random() * 30, by: maya },
        completed: { after: 90, by: maya },
      })
    if (new Date(lunch).getUTCDay() !== 5) continue
    const evening = instantOf(`${day}T17:00:00Z`)
    for (let index = 0; index < 12; index++)
      await past.ask(evening + index * 10 * 60 * seconds, tables[index % 4] ?? '', 'check', {
        completed: { after: 150 + random() * 200, by: maya },
      })
  }
  return past
}

describe('every figure', () => {
  let made: Awaited<ReturnType<typeof fullDays>>
  beforeAll(async () => {
    made = await fullDays()
  })

  it.each(zones)('shown to a manager can be computed from the downloaded events alone (%s)', async (zone) => {
    const { past, file } = made
    await write(app.ctx, ({ db }) => restaurants.setTimeZone(db, past.id, zone))
    const shown = await analytics.figures(past.clock(now), past.owner, range)
    const { range: _, before: __, keptFrom, firstDay: ___, timeZone, asOf, scope, ...figures } = shown
    const computed = figuresFromCsv(await file(range, past.owner), await file(before, past.owner), {
      days: days.slice(2),
      now,
    })
    expect(computed).toEqual(figures)
    expect({ keptFrom, timeZone, asOf, scope }).toEqual({
      keptFrom: null,
      timeZone: zone,
      asOf: now,
      scope: 'restaurant',
    })
    await write(app.ctx, ({ db }) => restaurants.setTimeZone(db, past.id, 'Europe/Berlin'))
    // Otherwise the comparison would prove little.
    const { totals, previous, byLoad, unheard, sections } = shown
    for (const some of [totals.escalated, totals.stillWaiting, totals.cancelled, totals.askedAgain])
      expect(some).toBeGreaterThan(0)
    expect(previous?.requests).toBeGreaterThan(50)
    expect(byLoad.filter(({ requests }) => requests > 0).length).toBeGreaterThan(1)
    expect(unheard?.whileWaitingMs).toBeGreaterThan(0)
    expect(sections).toHaveLength(3)
  })

  it('shown to a crew member can be computed from their own events alone', async () => {
    const { past, crew, file } = made
    for (const member of crew) {
      const self = past.as(member)
      const shown = await analytics.figures(past.clock(now), self, range)
      const {
        range: _,
        before: __,
        keptFrom: ___,
        firstDay: ____,
        timeZone: _____,
        asOf: ______,
        scope,
        ...figures
      } = shown
      const [csv, csvBefore] = [await file(range, self), await file(before, self)]
      expect(figuresFromCsv(csv, csvBefore, { days: days.slice(2), now })).toEqual(figures)
      expect(scope).toBe('own')
      const names = new Set(parseCsv(csv).map((row) => row['actor_name'] ?? ''))
      expect([...names].filter((name) => name !== '')).toEqual([member.name])
    }
  })
})

describe('when guests wait longest', () => {
  let past: PastRestaurant
  beforeAll(async () => {
    past = await fridayRushes()
  })

  it.each(zones)('and any weeks compared can be computed from the events alone (%s)', async (zone) => {
    const file = fileOf(past, now)
    await write(app.ctx, ({ db }) => restaurants.setTimeZone(db, past.id, zone))
    const recount = async (of: typeof range) =>
      figuresFromCsv(await file(of, past.owner), '', { days: daysOf(of), now })
    const shown = await analytics.figures(past.clock(now), past.owner, fourWeeks)
    const counted = await recount(fourWeeks)
    expect(counted.pace).toEqual(shown.pace)
    expect(counted.byWeekHour).toEqual(shown.byWeekHour)
    // Otherwise the comparison would prove little.
    expect(shown.pace?.slowest?.medianMs).toBeGreaterThan(150 * seconds)
    expect(shown.byWeekHour.length).toBeGreaterThan(7)

    for (const week of [
      { from: '2027-03-22', to: '2027-03-28' },
      { from: '2027-03-01', to: '2027-03-07' },
    ]) {
      const { totals } = await analytics.figures(past.clock(now), past.owner, week)
      expect((await recount(week)).totals).toEqual(totals)
      expect(totals.requests).toBeGreaterThan(30)
    }
  })
})

describe('over HTTP', () => {
  it('sends the events as a file named after the restaurant and the days', async () => {
    const { owner, name } = await app.restaurant({ name: 'Café: "Zoë"', tables: ['1'] })
    const today = new Date(app.now()).toISOString().slice(0, 10)
    const ask = { restaurantId: name, tableNumber: '1', serviceType: 'check' } as const
    await app.browser().ok(api.requests.send, { body: ask })
    const answer = await owner.fetch(`/api/analytics/events.csv?from=${today}&to=${today}`)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Caf-- -Zo-- events ${today} to ${today}.csv"; ` +
        `filename*=UTF-8''Caf%C3%A9-%20-Zo%C3%AB-%20events%20${today}%20to%20${today}.csv`,
    )
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
    expect(parseCsv(bytes.toString().slice(1)).map(({ record, kind }) => `${record} ${kind}`)).toEqual([
      'range from',
      'range until',
      'listening not_listening',
      'event created',
    ])
    expect(await owner.ok(api.analytics.figures, { query: { from: today, to: today } })).toMatchObject({
      totals: { requests: 1 },
    })
    expect(await owner.ok(api.analytics.overview, {})).toMatchObject({ requestsToday: 1, activeTables: 0 })
  })

  it('refuses days that are not a range with a message', async () => {
    const { owner } = await app.restaurant()
    const refused = async (from: string, to: string) =>
      (await owner.call(api.analytics.figures, { query: { from, to } })).body
    expect(await refused('2027-03-02', '2027-03-01')).toEqual({
      code: 'invalid',
      message: 'Please choose a first day that is not after the last',
    })
    expect(await refused('2027-02-30', '2027-03-01')).toMatchObject({ message: 'Please choose a date' })
    expect(await refused('2001-01-01', '2027-03-01')).toMatchObject({
      message: 'Please choose at most 3660 days',
    })
  })

  it('lets the owner set the time zone', async () => {
    const { owner, name } = await app.restaurant()
    expect(await owner.ok(api.restaurant.settings, {})).toMatchObject({
      restaurantName: name,
      timeZone: 'UTC',
    })
    const change = (timeZone: string) => owner.call(api.restaurant.change, { body: { timeZone } })
    expect((await change('Europe/Berlin')).body).toMatchObject({
      restaurantName: name,
      timeZone: 'Europe/Berlin',
    })
    expect((await change('Mars/Olympus')).body).toEqual({ code: 'invalid', message: 'Unknown time zone' })
    expect(await owner.ok(api.restaurant.settings, {})).toMatchObject({ timeZone: 'Europe/Berlin' })
  })
})
