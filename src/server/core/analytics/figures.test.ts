import { beforeAll, describe, expect, it } from 'vitest'
import type { Figures } from '#contract/analytics.ts'
import {
  instantOf,
  eventsCsv,
  figuresOf,
  hour,
  type PastRestaurant,
  seconds,
  durationSummary,
  setUpPastApp,
  startPastRestaurant,
} from '../../../../test/support/restaurants/past-restaurant.ts'
import * as restaurantSettings from '../accounts/restaurants/restaurant-settings.ts'

const app = setUpPastApp()

const requestsByHour = ({ byHour }: Figures) =>
  Object.fromEntries(
    byHour.filter(({ requests }) => requests > 0).map(({ hour, requests }) => [hour, requests]),
  )
const requestsByDay = ({ byDay }: Figures) =>
  Object.fromEntries(byDay.map(({ day, requests }) => [day, requests]))

describe('the figures of a day', () => {
  let past: PastRestaurant
  let figures: Figures
  beforeAll(async () => {
    past = await startPastRestaurant(app, 'Europe/Berlin', '2027-03-01T00:00:00Z')
    await past.ask('2027-03-10T12:00:00Z', '1', 'drinks', {
      seen: 4,
      accepted: { after: 30 },
      completed: { after: 100 },
    })
    await past.ask('2027-03-10T12:10:00Z', '2', 'check', {
      seen: 10,
      accepted: { after: 60 },
      completed: { after: 90 },
    })
    await past.ask('2027-03-10T18:00:00Z', '1', 'drinks', {
      seen: 6,
      asked: [20, 50],
      completed: { after: 80 },
    })
    await past.ask('2027-03-10T18:05:00Z', '3', 'assistance', { cancelled: 20 })
    await past.ask('2027-03-10T18:06:00Z', '3', 'general', { climbs: [19, 20, 45], cancelled: 100 })
    figures = await figuresOf(past, '2027-03-10')
  })

  it('count a request once, however often its guest asks while it is open', () => {
    expect(figures.totals).toMatchObject({ requests: 5, repeatedAsks: 2, askedAgain: 1 })
  })

  it('summarize the times until requests were seen, accepted and completed, by nearest rank', () => {
    expect(figures.totals.times).toEqual({
      response: durationSummary(3, 60, 80, 80, 170 / 3),
      unseen: durationSummary(3, 6, 10, 10, 20 / 3),
      accepted: durationSummary(2, 30, 60, 60, 45),
      completed: durationSummary(3, 90, 100, 100, 90),
    })
  })

  it('count requests that were answered late or never as late, but not those cancelled in time', () => {
    expect(figures.totals).toMatchObject({ withinTarget: { within: 2, of: 4 }, cancelled: 2, escalated: 1 })
    expect(
      figures.byType.map(({ serviceType, requests, withinTarget }) => [serviceType, requests, withinTarget]),
    ).toEqual([
      ['general', 1, { within: 0, of: 1 }],
      ['drinks', 2, { within: 2, of: 2 }],
      ['food', 0, { within: 0, of: 0 }],
      ['check', 1, { within: 0, of: 1 }],
      ['assistance', 1, { within: 0, of: 0 }],
      ['other', 0, { within: 0, of: 0 }],
    ])
  })

  it('are grouped by local hour, and by table in natural order', () => {
    expect(requestsByHour(figures)).toEqual({ 13: 2, 19: 3 })
    expect(figures.byHour).toHaveLength(24)
    expect(
      figures.byTable.map(({ tableNumber, requests, response }) => [tableNumber, requests, response]),
    ).toEqual([
      ['1', 2, durationSummary(2, 30, 80, 80, 55)],
      ['2', 1, durationSummary(1, 60, 60, 60, 60)],
      ['3', 2, null],
    ])
  })

  it('cover only one restaurant', async () => {
    const other = await startPastRestaurant(app, 'Europe/Berlin', '2027-03-01T00:00:00Z')
    expect((await figuresOf(other, '2027-03-10')).totals.requests).toBe(0)
  })
})

describe('a local day', () => {
  async function askAt(past: PastRestaurant, instants: string[]): Promise<void> {
    for (const instant of instants) await past.ask(instant, '1', 'drinks', { completed: { after: 0 } })
  }

  it('has 23 hours when clocks go forward', async () => {
    const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-01-01T00:00:00Z')
    await askAt(past, ['2027-03-27T22:59:59.999Z', '2027-03-27T23:00:00Z', '2027-03-28T00:59:59Z'])
    await askAt(past, ['2027-03-28T01:00:00Z', '2027-03-28T21:59:59.999Z', '2027-03-28T22:00:00Z'])
    const sunday = await figuresOf(past, '2027-03-28')
    expect(requestsByHour(sunday)).toEqual({ 0: 1, 1: 1, 3: 1, 23: 1 })
    expect(sunday.unheard).toMatchObject({ measuredMs: 23 * hour, ms: 23 * hour })
    expect(requestsByDay(await figuresOf(past, '2027-03-27', '2027-03-29'))).toEqual({
      '2027-03-27': 1,
      '2027-03-28': 4,
      '2027-03-29': 1,
    })
  })

  it('has 25 hours when clocks go back, one of them twice', async () => {
    const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-01-01T00:00:00Z')
    await askAt(past, ['2027-10-30T22:00:00Z', '2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z'])
    await askAt(past, ['2027-10-31T22:59:59.999Z', '2027-10-31T23:00:00Z'])
    const sunday = await figuresOf(past, '2027-10-31')
    expect(requestsByHour(sunday)).toEqual({ 0: 1, 2: 2, 23: 1 })
    expect(sunday.unheard).toMatchObject({ measuredMs: 25 * hour })
    expect(sunday.totals.requests).toBe(4)
    const file = await eventsCsv(past, '2027-10-31')
    expect(file).toContain('2027-10-31T02:30:00.000+02:00,2027-10-31')
    expect(file).toContain('2027-10-31T02:30:00.000+01:00,2027-10-31')
  })

  it('ends at midnight where the restaurant is', async () => {
    const past = await startPastRestaurant(app, 'America/New_York', '2027-01-01T00:00:00Z')
    await past.ask('2027-06-02T03:59:59Z', '1', 'drinks', { completed: { after: 90 } })
    await past.ask('2027-06-02T04:00:00Z', '2', 'drinks', { completed: { after: 90 } })
    expect(requestsByHour(await figuresOf(past, '2027-06-01'))).toEqual({ 23: 1 })
    expect(requestsByHour(await figuresOf(past, '2027-06-02'))).toEqual({ 0: 1 })
  })

  it('follows the time zone that the owner sets', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-01-01T00:00:00Z')
    await past.ask('2027-06-01T23:00:00Z', '1', 'drinks', { completed: { after: 90 } })
    expect((await figuresOf(past, '2027-06-02')).totals.requests).toBe(0)
    const now = past.clock(instantOf('2027-06-03T00:00:00Z'))
    expect(await restaurantSettings.change(now, past.owner, { timeZone: 'Asia/Tokyo' })).toMatchObject({
      restaurantName: past.name,
      timeZone: 'Asia/Tokyo',
    })
    expect(await figuresOf(past, '2027-06-02')).toMatchObject({
      timeZone: 'Asia/Tokyo',
      totals: { requests: 1 },
    })
  })
})

describe('with few requests', () => {
  it('every day has its figures, even if all are zero', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-01-01T00:00:00Z')
    const figures = await figuresOf(past, '2027-05-01', '2027-05-03')
    const nothing = {
      requests: 0,
      times: { response: null, unseen: null, accepted: null, completed: null },
      withinTarget: { within: 0, of: 0 },
      repeatedAsks: 0,
      askedAgain: 0,
      cancelled: 0,
      escalated: 0,
      stillWaiting: 0,
    }
    expect(figures).toMatchObject({
      range: { from: '2027-05-01', to: '2027-05-03' },
      before: { from: '2027-04-28', to: '2027-04-30' },
      scope: 'restaurant',
      totals: nothing,
      firstDay: null,
      previous: nothing,
      byTable: [],
      sections: [],
      unassigned: 0,
    })
    expect(requestsByDay(figures)).toEqual({ '2027-05-01': 0, '2027-05-02': 0, '2027-05-03': 0 })
  })

  it('an open request counts as late only after its target time', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-01-01T00:00:00Z')
    await past.ask('2027-05-01T12:00:00Z', '1', 'check')
    const soon = await figuresOf(past, '2027-05-01', '2027-05-01', '2027-05-01T12:00:45Z')
    expect(soon.totals).toMatchObject({
      requests: 1,
      times: { response: null },
      withinTarget: { within: 0, of: 0 },
    })
    const later = await figuresOf(past, '2027-05-01', '2027-05-01', '2027-05-01T12:00:45.001Z')
    expect(later.totals).toMatchObject({ withinTarget: { within: 0, of: 1 } })
  })

  it('the range is compared with as many days just before it', async () => {
    const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-01-01T00:00:00Z')
    for (const [instant, after] of [
      ['2027-03-25T22:59:00Z', 10],
      ['2027-03-25T23:00:00Z', 20],
      ['2027-03-27T22:59:00Z', 30],
      ['2027-03-27T23:00:00Z', 40],
      ['2027-03-29T21:59:00Z', 50],
      ['2027-03-29T22:00:00Z', 60],
    ] as const)
      await past.ask(instant, '1', 'drinks', { completed: { after } })
    const { before, totals, previous } = await figuresOf(past, '2027-03-28', '2027-03-29')
    expect(before).toEqual({ from: '2027-03-26', to: '2027-03-27' })
    expect(totals.times.response).toEqual(durationSummary(2, 40, 50, 50, 45))
    expect(previous?.times.response).toEqual(durationSummary(2, 20, 30, 30, 25))
  })

  it('nothing is compared with days of which some were before the first request', async () => {
    const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-01-01T00:00:00Z')
    // In Berlin it is the 26th.
    await past.ask('2027-03-25T23:00:00Z', '1', 'drinks')
    await past.ask('2027-03-28T12:00:00Z', '1', 'food')
    expect(await figuresOf(past, '2027-03-28', '2027-03-29')).toMatchObject({
      firstDay: '2027-03-26',
      totals: { requests: 1 },
      previous: { requests: 1 },
    })
    for (const [from, to] of [
      ['2027-03-27', '2027-03-28'],
      ['2027-03-26', '2027-03-26'],
    ] as const)
      expect(await figuresOf(past, from, to)).toMatchObject({ firstDay: '2027-03-26', previous: null })
  })
})

describe('the response time', () => {
  const medianOf = async (course: Parameters<PastRestaurant['ask']>[3]) => {
    const past = await startPastRestaurant(app, 'UTC', '2027-01-01T00:00:00Z')
    await past.ask('2027-05-01T12:00:00Z', '1', 'food', course)
    return (await figuresOf(past, '2027-05-01')).totals.times.response?.medianMs
  }

  it('ends with the acceptance', async () => {
    expect(await medianOf({ accepted: { after: 20 }, completed: { after: 90 } })).toBe(20 * seconds)
  })

  it('ends with the completion when nobody accepted', async () => {
    expect(await medianOf({ completed: { after: 90 } })).toBe(90 * seconds)
  })

  it('continues when the acceptance is released', async () => {
    const course = { accepted: { after: 20 }, released: 30 }
    expect(await medianOf({ ...course, acceptedAgain: { after: 70 } })).toBe(70 * seconds)
    expect(await medianOf({ ...course, completed: { after: 90 } })).toBe(90 * seconds)
    expect(await medianOf(course)).toBeUndefined()
  })

  it('does not continue when an acceptance expires because nobody says "done"', async () => {
    const course = { accepted: { after: 20 }, climbs: [200, 201], completed: { after: 400 } }
    expect(await medianOf(course)).toBe(20 * seconds)
    expect(await medianOf({ ...course, acceptedAgain: { after: 300 } })).toBe(20 * seconds)
  })

  it('ends with the last completion when an earlier one was undone', async () => {
    expect(await medianOf({ completed: { after: 30 }, reopened: 35 })).toBeUndefined()
    expect(await medianOf({ completed: { after: 30 }, reopened: 35, completedAgain: { after: 65 } })).toBe(
      65 * seconds,
    )
  })
})
