import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { password, setUpApp } from '../../../../test/support/app.ts'
import {
  addCrew,
  assignmentsOf,
  assignTables,
  busyRestaurant,
  type BusyRestaurant,
} from '../../../../test/support/restaurants/busy-restaurant.ts'
import type { Db } from '../../storage/engine/types.ts'
import { removeFilledTo } from '../../storage/floor/weekly-pattern.ts'
import type { Ctx } from '../ctx.ts'
import { addDays, localDay } from '../dates.ts'
import { removeExpiredData } from '../retention/retention.ts'
import { write } from '../transaction.ts'
import { fillDueDays, weekdayOf } from './planned-days.ts'

const app = setUpApp()

const todayIn = (timeZone: string): string => localDay(app.now(), timeZone)
const today = (): string => todayIn('UTC')
/** In days from today. */
const inDays = (days: number): string => addDays(today(), days)
const everyDay = [0, 1, 2, 3, 4, 5, 6]

const save = ({ owner }: BusyRestaurant, sourceDate: string, weekdays = [weekdayOf(sourceDate)]) =>
  owner.call(api.weeklyPattern.save, { body: { sourceDate, weekdays } })
const resume = ({ owner }: BusyRestaurant, date: string) =>
  owner.call(api.weeklyPattern.resume, { body: { date } })
const clearDay = ({ owner }: BusyRestaurant, date: string) =>
  owner.call(api.weeklyPattern.clearDay, { body: { date } })
const end = ({ owner }: BusyRestaurant, weekday: number) =>
  owner.call(api.weeklyPattern.end, { body: { weekday } })
const originOf = async ({ owner }: BusyRestaurant, date: string) =>
  (await owner.ok(api.weeklyPattern.state, { query: { date } })).day
const host = ({ owner, ids }: BusyRestaurant, date: string, ...names: string[]) =>
  owner.ok(api.floor.assignHostStand, { body: { date, crewIds: names.map((name) => ids[name] ?? '') } })

/** Sessions do not last that long. */
async function passDays({ owner, name: username }: BusyRestaurant, days: number): Promise<void> {
  app.advance(days * dayMs)
  await owner.ok(api.accounts.ownerLogin, { body: { username, password } })
  await fillDueDays(app.ctx)
}

/** What is stored, without what the pattern would say. */
async function storedDays(restaurant: BusyRestaurant): Promise<string[]> {
  const rows = await app.ctx.db.reader
    .selectFrom('tableAssignment')
    .select('date')
    .distinct()
    .where('restaurantId', '=', await app.idOf(restaurant))
    .orderBy('date')
    .execute()
  return rows.map(({ date }) => date)
}

/** A server on which `before` happens ahead of each transaction, and that tells what it inserts into. */
function locking(before: () => Promise<void>, inserts: (table: string) => void = () => {}): Ctx {
  const watched = (db: Db): Db =>
    new Proxy(db, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...input: unknown[]): unknown => {
          if (key === 'insertInto') inserts(String(input[0]))
          return Reflect.apply(value, target, input)
        }
      },
    })
  const held: Ctx['db']['transact'] = async (task, options) => {
    await before()
    return app.ctx.db.transact((db) => task(watched(db)), options)
  }
  return { ...app.ctx, db: { ...app.ctx.db, transact: held } }
}

/** A restaurant where Maya works table 1 and Tom table 2 on every weekday of tomorrow's. */
async function patternedRestaurant(): Promise<BusyRestaurant> {
  const restaurant = await busyRestaurant(app)
  await assignTables(restaurant, inDays(1), { 1: 'Maya Chen', 2: 'Tom Novak' })
  expect((await save(restaurant, inDays(1))).status).toBe(204)
  return restaurant
}
const usual = { 1: 'Maya Chen', 2: 'Tom Novak' }

describe('a weekly pattern', () => {
  it('fills the days to come, and is shown on those that it has not filled yet', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner, ids } = restaurant
    await assignTables(restaurant, inDays(1), usual)
    await host(restaurant, inDays(1), 'Ana Ruiz')
    expect(await owner.ok(api.weeklyPattern.state, { query: { date: inDays(1) } })).toEqual({
      weekdays: [],
      day: null,
    })
    const weekday = weekdayOf(inDays(1))
    expect((await save(restaurant, inDays(1))).status).toBe(204)
    for (const days of [1, 8, 15, 365 - (365 % 7) + 1]) {
      expect(await assignmentsOf(restaurant, inDays(days))).toEqual({ ...usual, 'Host Stand': 'Ana Ruiz' })
      expect(await owner.ok(api.weeklyPattern.state, { query: { date: inDays(days) } })).toEqual({
        weekdays: [weekday],
        day: 'pattern',
      })
      const own = await owner.ok(api.floor.crewAssignments, {
        query: {
          restaurantId: restaurant.name,
          crewMemberId: ids['Maya Chen'] ?? '',
          date: inDays(days),
        },
      })
      expect(own).toMatchObject([{ crewMemberId: ids['Maya Chen'], date: inDays(days) }])
    }
    expect(await assignmentsOf(restaurant, inDays(2))).toEqual({})
    expect(await originOf(restaurant, inDays(2))).toBeNull()
    expect(await assignmentsOf(restaurant, inDays(-6))).toEqual({})
    expect(await originOf(restaurant, inDays(-6))).toBeNull()
    expect(await storedDays(restaurant)).toEqual([inDays(1), inDays(8)])
  })

  it('fills each day long before it begins, once, on whichever node', async () => {
    const restaurant = await patternedRestaurant()
    await Promise.all([fillDueDays(app.ctx), fillDueDays(app.ctx)])
    expect(await storedDays(restaurant)).toEqual([inDays(1), inDays(8)])
    app.advance(3 * dayMs)
    await Promise.all([fillDueDays(app.ctx), fillDueDays(app.ctx), fillDueDays(app.ctx)])
    expect(await storedDays(restaurant)).toEqual([-2, 5, 12].map(inDays))
    // The server was off for a month: what was over before is not made up.
    app.advance(30 * dayMs)
    await fillDueDays(app.ctx)
    expect(await storedDays(restaurant)).toEqual([-32, -25, -18, 3, 10].map(inDays))
  })

  it('is not worked out again by a process that waited while another filled its days', async () => {
    const restaurant = await patternedRestaurant()
    app.advance(3 * dayMs)
    const inserted: string[] = []
    await fillDueDays(
      locking(
        () => fillDueDays(app.ctx),
        (table) => inserted.push(table),
      ),
    )
    expect(inserted).toEqual([])
    expect(await storedDays(restaurant)).toEqual([-2, 5, 12].map(inDays))
  })

  it('does not begin again when its owner ends it while its days are due', async () => {
    const restaurant = await patternedRestaurant()
    const restaurantId = await app.idOf(restaurant)
    app.advance(3 * dayMs)
    const ended = () =>
      write(app.ctx, async ({ db }) => {
        await db.deleteFrom('patternAssignment').where('restaurantId', '=', restaurantId).execute()
        await removeFilledTo(db, restaurantId)
      })
    await fillDueDays(locking(ended))
    const { reader } = app.ctx.db
    const patterns = reader.selectFrom('weeklyPattern').select('restaurantId')
    expect(await patterns.where('restaurantId', '=', restaurantId).execute()).toEqual([])
  })

  it('leaves the days that are over as they were', async () => {
    const restaurant = await patternedRestaurant()
    await passDays(restaurant, 2)
    await assignTables(restaurant, inDays(6), { 1: 'Tamara Bell' })
    expect((await save(restaurant, inDays(6))).status).toBe(204)
    expect(await assignmentsOf(restaurant, inDays(-1))).toEqual(usual)
    expect(await originOf(restaurant, inDays(-1))).toBe('pattern')
    expect(await assignmentsOf(restaurant, inDays(13))).toEqual({ ...usual, 1: 'Tamara Bell' })
    for (const change of [resume, clearDay])
      expect(await change(restaurant, inDays(-1))).toMatchObject({
        status: 400,
        body: { message: 'Days that are over stay as they were' },
      })
    expect(await assignmentsOf(restaurant, inDays(-1))).toEqual(usual)
  })

  it('is recorded', async () => {
    const restaurant = await patternedRestaurant()
    await clearDay(restaurant, inDays(8))
    await resume(restaurant, inDays(8))
    await save(restaurant, inDays(1), [6, 0])
    await end(restaurant, 6)
    const { entries } = await restaurant.owner.ok(api.audit.list, {})
    expect(entries.slice(0, 4).map(({ action, detail }) => [action, detail])).toEqual([
      ['weeklyPattern.end', { weekdays: ['Sunday'] }],
      ['weeklyPattern.save', { date: inDays(1), weekdays: ['Monday', 'Sunday'] }],
      ['weeklyPattern.resume', { date: inDays(8) }],
      ['weeklyPattern.clearDay', { date: inDays(8) }],
    ])
  })

  it('is refused without weekdays, from an empty day, and from one that somebody else changed', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner } = restaurant
    await assignTables(restaurant, inDays(1), usual)
    const shown = await owner.ok(api.floor.assignmentsByDate, { query: { date: inDays(1) } })
    const refused: [object, number, string][] = [
      [{ sourceDate: inDays(1), weekdays: [] }, 400, 'Please choose a weekday'],
      [{ sourceDate: inDays(1), weekdays: [7] }, 400, 'Please choose a weekday'],
      [{ sourceDate: inDays(1), weekdays: ['Monday'] }, 400, 'Please choose a weekday'],
      [{ sourceDate: inDays(2), weekdays: [0] }, 400, 'No assignments found for this day'],
      [
        { sourceDate: inDays(1), weekdays: [0], was: shown.slice(1) },
        409,
        'Somebody else changed these tables meanwhile',
      ],
    ]
    for (const [body, status, message] of refused)
      expect(await owner.send('POST', '/api/weekly-pattern', body)).toMatchObject({
        status,
        body: { message },
      })
    expect(await end(restaurant, 0)).toMatchObject({ status: 404 })
    expect(await resume(restaurant, inDays(1))).toMatchObject({ status: 404 })
    expect((await owner.ok(api.weeklyPattern.state, { query: { date: inDays(1) } })).weekdays).toEqual([])
    const body = { sourceDate: inDays(1), weekdays: [0, 0], was: shown.toReversed() }
    expect((await owner.call(api.weeklyPattern.save, { body })).status).toBe(204)
  })
})

describe('a day set by hand', () => {
  it('keeps what the pattern had there, and stays untouched until it goes back', async () => {
    const restaurant = await patternedRestaurant()
    const { owner } = restaurant
    for (const days of [8, 29]) {
      await assignTables(restaurant, inDays(days), { 1: 'Tamara Bell' })
      expect(await originOf(restaurant, inDays(days))).toBe('hand')
    }
    await assignTables(restaurant, inDays(1), { 1: '', 2: 'Tamara Bell' })
    expect(await originOf(restaurant, inDays(1))).toBe('hand')
    expect((await save(restaurant, inDays(1))).status).toBe(204)
    expect(await originOf(restaurant, inDays(1))).toBe('pattern')
    const byHand = { 1: 'Tamara Bell', 2: 'Tom Novak' }
    for (const days of [8, 29]) expect(await assignmentsOf(restaurant, inDays(days))).toEqual(byHand)
    for (const days of [15, 36])
      expect(await assignmentsOf(restaurant, inDays(days))).toEqual({ 2: 'Tamara Bell' })
    for (const days of [8, 29]) {
      const before = await owner.ok(api.floor.assignmentsByDate, { query: { date: inDays(days) } })
      expect(await resume(restaurant, inDays(days))).toMatchObject({ status: 200, body: { before } })
      expect(await assignmentsOf(restaurant, inDays(days))).toEqual({ 2: 'Tamara Bell' })
      expect(await originOf(restaurant, inDays(days))).toBe('pattern')
    }
  })

  it('may have nobody', async () => {
    const restaurant = await patternedRestaurant()
    for (const days of [8, 29]) {
      const { body } = await clearDay(restaurant, inDays(days))
      expect(body).toMatchObject({ before: [{}, {}], assignments: [] })
    }
    await assignTables(restaurant, inDays(15), { 1: '', 2: '' })
    await save(restaurant, inDays(1), everyDay)
    await passDays(restaurant, 7)
    for (const days of [1, 8, 22]) {
      expect(await assignmentsOf(restaurant, inDays(days))).toEqual({})
      expect(await originOf(restaurant, inDays(days))).toBe('hand')
    }
    expect(await assignmentsOf(restaurant, inDays(2))).toEqual(usual)
  })

  it('is one that somebody had set before there was a pattern', async () => {
    const restaurant = await busyRestaurant(app)
    for (const days of [1, 8, 22]) await assignTables(restaurant, inDays(days), usual)
    await save(restaurant, inDays(1))
    await assignTables(restaurant, inDays(1), { 1: 'Tamara Bell' })
    await save(restaurant, inDays(1))
    for (const days of [8, 22]) {
      expect(await assignmentsOf(restaurant, inDays(days))).toEqual(usual)
      expect(await originOf(restaurant, inDays(days))).toBe('hand')
    }
  })

  it('is also one that was copied, or where a section or the host stand was assigned', async () => {
    const restaurant = await patternedRestaurant()
    const { owner, ids } = restaurant
    await save(restaurant, inDays(1), everyDay)
    // What is shown is copied, also from a day that is not filled yet.
    await assignTables(restaurant, inDays(41), { 3: 'Tamara Bell' })
    const copy = await owner.ok(api.floor.copyFromPrevious, { body: { date: inDays(41) } })
    expect(copy.before).toHaveLength(3)
    expect(await assignmentsOf(restaurant, inDays(41))).toEqual({ ...usual, 3: 'Tamara Bell' })
    await owner.ok(api.floor.copyToWeek, { body: { sourceDate: inDays(50) } })
    for (const days of [51, 56]) {
      expect(await assignmentsOf(restaurant, inDays(days))).toEqual(usual)
      expect(await originOf(restaurant, inDays(days))).toBe('hand')
    }
    expect(await originOf(restaurant, inDays(50))).toBe('pattern')
    await host(restaurant, inDays(3), 'Ben Host')
    expect(await assignmentsOf(restaurant, inDays(3))).toEqual({ ...usual, 'Host Stand': 'Ben Host' })
    const section = await owner.ok(api.sections.add, { body: { name: 'Bar' } })
    const [table] = await owner.ok(api.floor.tables, {})
    await owner.ok(api.sections.arrange, {
      body: { tables: [{ tableId: table?.id ?? '', sectionId: section.id }] },
    })
    await owner.ok(api.sections.assign, {
      body: {
        date: inDays(30),
        sections: [{ sectionId: section.id, crewMemberId: ids['Tamara Bell'] ?? '' }],
        was: [{ tableId: table?.id ?? '', crewMemberId: ids['Maya Chen'] ?? '' }],
      },
    })
    expect(await assignmentsOf(restaurant, inDays(30))).toEqual({ ...usual, 1: 'Tamara Bell' })
    for (const days of [3, 30]) expect(await originOf(restaurant, inDays(days))).toBe('hand')
  })

  it('is not one where an assignment was refused', async () => {
    const restaurant = await patternedRestaurant()
    const { owner, ids } = restaurant
    const [table] = await owner.ok(api.floor.tables, {})
    const assign = (crewMemberId: string, was: string) =>
      owner.call(api.floor.assign, {
        body: { date: inDays(22), assignments: [{ tableId: table?.id ?? '', crewMemberId, was }] },
      })
    const { 'Maya Chen': maya = '', 'Tom Novak': tom = '' } = ids
    expect((await assign(ids['Tamara Bell'] ?? '', tom)).status).toBe(409)
    expect(await originOf(restaurant, inDays(22))).toBe('pattern')
    expect((await assign(tom, maya)).status).toBe(200)
    expect(await originOf(restaurant, inDays(22))).toBe('hand')
  })
})

describe('today', () => {
  it('stays as it is when its pattern changes or ends, because people are working by it', async () => {
    const restaurant = await busyRestaurant(app)
    await assignTables(restaurant, today(), usual)
    await save(restaurant, today())
    expect(await originOf(restaurant, today())).toBe('pattern')
    await assignTables(restaurant, inDays(7), { 1: 'Tamara Bell' })
    await save(restaurant, inDays(7))
    expect(await assignmentsOf(restaurant, today())).toEqual(usual)
    expect(await originOf(restaurant, today())).toBe('hand')
    await resume(restaurant, today())
    expect(await assignmentsOf(restaurant, today())).toEqual({ ...usual, 1: 'Tamara Bell' })
    await end(restaurant, weekdayOf(today()))
    expect(await assignmentsOf(restaurant, today())).toEqual({ ...usual, 1: 'Tamara Bell' })
    expect(await assignmentsOf(restaurant, inDays(7))).toEqual({})
  })

  it('is filled if nobody was assigned, and begins where the restaurant is', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner } = restaurant
    await owner.ok(api.restaurant.change, { body: { timeZone: 'Pacific/Kiritimati' } })
    const there = todayIn('Pacific/Kiritimati')
    await assignTables(restaurant, addDays(there, -3), usual)
    await save(restaurant, addDays(there, -3), everyDay)
    expect(await assignmentsOf(restaurant, there)).toEqual(usual)
    expect(await storedDays(restaurant)).toEqual([
      addDays(there, -3),
      ...Array.from({ length: 14 }, (_, days) => addDays(there, days)),
    ])
    await owner.ok(api.restaurant.change, { body: { timeZone: 'Pacific/Pago_Pago' } })
    await passDays(restaurant, 1)
    const days = await storedDays(restaurant)
    expect(days).toContain(inDays(11))
    expect(new Set(days).size).toBe(days.length)
  })
})

it('fills every day when the clocks change', async () => {
  const restaurant = await busyRestaurant(app)
  await restaurant.owner.ok(api.restaurant.change, { body: { timeZone: 'Europe/Berlin' } })
  for (const change of ['2027-03-28', '2027-10-31']) {
    app.advance(Date.parse(`${addDays(change, -7)}T22:30:00Z`) - app.now())
    await restaurant.owner.ok(api.accounts.ownerLogin, { body: { username: restaurant.name, password } })
    const there = todayIn('Europe/Berlin')
    await assignTables(restaurant, there, usual)
    expect((await save(restaurant, there, everyDay)).status).toBe(204)
    const days = await storedDays(restaurant)
    expect(days.slice(-14)).toEqual(Array.from({ length: 14 }, (_, index) => addDays(there, index)))
  }
})

describe('an ended pattern', () => {
  it('leaves the days to come empty, except those set by hand, and other weekdays', async () => {
    const restaurant = await patternedRestaurant()
    await save(restaurant, inDays(1), everyDay)
    await assignTables(restaurant, inDays(8), { 3: 'Tamara Bell' })
    expect((await end(restaurant, weekdayOf(inDays(1)))).status).toBe(204)
    expect(await assignmentsOf(restaurant, inDays(1))).toEqual({})
    expect(await assignmentsOf(restaurant, inDays(8))).toEqual({ ...usual, 3: 'Tamara Bell' })
    expect(await assignmentsOf(restaurant, inDays(29))).toEqual({})
    expect(await assignmentsOf(restaurant, inDays(30))).toEqual(usual)
    for (const weekday of everyDay) await end(restaurant, weekday)
    expect(await storedDays(restaurant)).toEqual([today(), inDays(8)])
    await fillDueDays(app.ctx)
    // A new one begins with the days on which nobody is assigned.
    await save(restaurant, inDays(8))
    expect(await assignmentsOf(restaurant, inDays(1))).toEqual({ ...usual, 3: 'Tamara Bell' })
  })
})

describe('who and what is deleted', () => {
  it('drops out of the pattern, and returns with it', async () => {
    const restaurant = await patternedRestaurant()
    const { owner, ids } = restaurant
    const [table] = await owner.ok(api.floor.tables, {})
    const params = { id: table?.id ?? '' }
    await owner.ok(api.crew.remove, { params: { id: ids['Tom Novak'] ?? '' } })
    expect((await owner.call(api.floor.removeTable, { params, query: {} })).status).toBe(409)
    await owner.ok(api.floor.removeTable, { params, query: { confirm: 'true' } })
    const days = [1, 8, 22].map(inDays)
    for (const day of days) expect(await assignmentsOf(restaurant, day)).toEqual({})
    await clearDay(restaurant, inDays(8))
    await passDays(restaurant, 7)
    await owner.ok(api.floor.restoreTable, { params, body: {} })
    await owner.ok(api.crew.restore, { params: { id: ids['Tom Novak'] ?? '' }, body: {} })
    // Said by hand meanwhile: nobody.
    expect(await assignmentsOf(restaurant, inDays(1))).toEqual({})
    for (const day of [8, 15, 29].map(inDays)) expect(await assignmentsOf(restaurant, day)).toEqual(usual)
  })

  it('does not come back where the pattern says something else by now', async () => {
    const restaurant = await patternedRestaurant()
    const { owner, ids } = restaurant
    await owner.ok(api.crew.remove, { params: { id: ids['Tom Novak'] ?? '' } })
    await assignTables(restaurant, inDays(8), { 3: 'Tamara Bell' })
    await save(restaurant, inDays(8))
    await owner.ok(api.crew.restore, { params: { id: ids['Tom Novak'] ?? '' }, body: {} })
    for (const day of [1, 8, 22].map(inDays))
      expect(await assignmentsOf(restaurant, day)).toEqual({ 1: 'Maya Chen', 3: 'Tamara Bell' })
  })

  it('is forgotten after 30 days', async () => {
    const restaurant = await patternedRestaurant()
    const { owner, ids } = restaurant
    await owner.ok(api.crew.remove, { params: { id: ids['Tom Novak'] ?? '' } })
    app.advance(31 * dayMs)
    await removeExpiredData(app.ctx)
    const rows = await app.ctx.db.reader
      .selectFrom('patternAssignment')
      .select('crewMemberId')
      .where('restaurantId', '=', await app.idOf(restaurant))
      .execute()
    expect(rows).toEqual([{ crewMemberId: ids['Maya Chen'] }])
  })

  it('stands at the host stand only while a Host', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner, ids } = restaurant
    await host(restaurant, inDays(1), 'Ana Ruiz', 'Ben Host')
    await save(restaurant, inDays(1))
    const params = { id: ids['Ana Ruiz'] ?? '' }
    await owner.ok(api.crew.change, { params, body: { role: 'Server' } })
    for (const day of [1, 8, 22].map(inDays))
      expect(await assignmentsOf(restaurant, day)).toEqual({ 'Host Stand': 'Ben Host' })
    await owner.ok(api.crew.change, { params, body: { role: 'Host' } })
    for (const day of [1, 8, 22].map(inDays))
      expect(
        Object.values(await assignmentsOf(restaurant, day))
          .join()
          .split(', '),
      ).toHaveLength(2)
  })
})

describe('at the same time', () => {
  it('owners save patterns and assign by hand, and each day is wholly one or the other', async () => {
    const restaurant = await patternedRestaurant()
    await assignTables(restaurant, inDays(2), { 1: 'Tamara Bell', 2: 'Tamara Bell' })
    await Promise.all(
      Array.from({ length: 6 }, async (_, round) => {
        await Promise.all([
          save(restaurant, inDays(1 + (round % 2)), everyDay),
          fillDueDays(app.ctx),
          assignTables(restaurant, inDays(4 + round), { 1: 'Maya Chen', 3: 'Tom Novak' }),
          ...(round === 3 ? [clearDay(restaurant, inDays(11)), resume(restaurant, inDays(5))] : []),
        ])
      }),
    )
    await save(restaurant, inDays(1), everyDay)
    const pattern = await assignmentsOf(restaurant, inDays(1))
    const unlike: number[] = []
    for (let days = 3; days < 20; days++) {
      const assigned = await assignmentsOf(restaurant, inDays(days))
      const isPattern = (await originOf(restaurant, inDays(days))) === 'pattern'
      const byHand = days === 11 ? {} : { ...pattern, 1: 'Maya Chen', 3: 'Tom Novak' }
      const [here, wanted] = [Object.keys(assigned), Object.keys(isPattern ? pattern : byHand)]
      if (here.join() !== wanted.join()) unlike.push(days)
    }
    expect(unlike).toEqual([])
    expect(await originOf(restaurant, inDays(10))).toBe('pattern')
  })

  it('works for the largest restaurant', async () => {
    const restaurant = {
      ...(await app.restaurant({ tables: Array.from({ length: 500 }, (_, index) => `T${index}`) })),
      ids: {},
    }
    const { owner } = restaurant
    const { id: crewMemberId } = await addCrew(owner, 'Maya')
    const tables = await owner.ok(api.floor.tables, {})
    const assignments = tables.map(({ id: tableId }) => ({ tableId, crewMemberId }))
    await owner.ok(api.floor.assign, { body: { date: today(), assignments } })
    const body = { sourceDate: today(), weekdays: everyDay, was: assignments }
    expect((await owner.call(api.weeklyPattern.save, { body })).status).toBe(204)
    for (const days of [0, 13, 14]) {
      const rows = await owner.ok(api.floor.assignmentsByDate, { query: { date: inDays(days) } })
      expect(rows).toHaveLength(500)
    }
    expect(await storedDays(restaurant)).toHaveLength(14)
  })
})
