import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Figures } from '#contract/analytics.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { at, type Past, seconds, startPast } from '../../../test/past.ts'
import type { Actor } from './actor.ts'
import * as analytics from './analytics.ts'
import * as restaurants from './restaurants.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  // Long before all that is told here, so that the server's own ladder finds nothing due.
  app.advance(at('2020-01-01T00:00:00Z') - app.now())
})
afterAll(() => app.stop())

const hour = 3600 * seconds

const figures = (
  past: Past,
  from: string,
  to = from,
  now = '2028-01-01T00:00:00Z',
  actor: Actor = past.owner,
) => analytics.figures(past.clock(at(now)), actor, { from, to })

async function csv(past: Past, from: string, to = from, actor: Actor = past.owner): Promise<string> {
  const { chunks } = await analytics.events(past.clock(at('2028-01-01T00:00:00Z')), actor, { from, to })
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts))
}

const hours = ({ byHour }: Figures) =>
  Object.fromEntries(
    byHour.filter(({ requests }) => requests > 0).map(({ hour, requests }) => [hour, requests]),
  )
const days = ({ byDay }: Figures) => Object.fromEntries(byDay.map(({ day, requests }) => [day, requests]))

const spread = (count: number, ...times: [median: number, p90: number, p99: number, mean: number]) => {
  const [medianMs, p90Ms, p99Ms, meanMs] = times.map((time) => Math.round(time * seconds))
  return { count, medianMs, p90Ms, p99Ms, meanMs }
}

describe('the figures of a day', () => {
  let past: Past
  let shown: Figures
  beforeAll(async () => {
    past = await startPast(app, 'Europe/Berlin', '2027-03-01T00:00:00Z')
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
    shown = await figures(past, '2027-03-10')
  })

  it('count a need asked again while it is open once', () => {
    expect(shown.totals).toMatchObject({ requests: 5, repeatedAsks: 2, askedAgain: 1 })
  })

  it('split the times into unseen, accepted and completed, by nearest rank', () => {
    expect(shown.totals.times).toEqual({
      response: spread(3, 60, 80, 80, 170 / 3),
      unseen: spread(3, 6, 10, 10, 20 / 3),
      accepted: spread(2, 30, 60, 60, 45),
      completed: spread(3, 90, 100, 100, 90),
    })
  })

  it('count as late who was answered late and who was never answered, but not who changed their mind', () => {
    expect(shown.totals).toMatchObject({ withinTarget: { within: 2, of: 4 }, cancelled: 2, escalated: 1 })
    expect(
      shown.byType.map(({ serviceType, requests, withinTarget }) => [serviceType, requests, withinTarget]),
    ).toEqual([
      ['general', 1, { within: 0, of: 1 }],
      ['drinks', 2, { within: 2, of: 2 }],
      ['food', 0, { within: 0, of: 0 }],
      ['check', 1, { within: 0, of: 1 }],
      ['assistance', 1, { within: 0, of: 0 }],
      ['other', 0, { within: 0, of: 0 }],
    ])
  })

  it('stand by the hours of the wall clock, and by table as people count them', () => {
    expect(hours(shown)).toEqual({ 13: 2, 19: 3 })
    expect(shown.byHour).toHaveLength(24)
    expect(
      shown.byTable.map(({ tableNumber, requests, response }) => [tableNumber, requests, response]),
    ).toEqual([
      ['1', 2, spread(2, 30, 80, 80, 55)],
      ['2', 1, spread(1, 60, 60, 60, 60)],
      ['3', 2, null],
    ])
  })

  it('are told of one restaurant only', async () => {
    const other = await startPast(app, 'Europe/Berlin', '2027-03-01T00:00:00Z')
    expect((await figures(other, '2027-03-10')).totals.requests).toBe(0)
  })
})

describe('a local day', () => {
  it('has 23 hours when clocks go forward', async () => {
    const past = await startPast(app, 'Europe/Berlin', '2027-01-01T00:00:00Z')
    for (const instant of [
      '2027-03-27T22:59:59.999Z',
      '2027-03-27T23:00:00Z',
      '2027-03-28T00:59:59Z',
      '2027-03-28T01:00:00Z',
      '2027-03-28T21:59:59.999Z',
      '2027-03-28T22:00:00Z',
    ])
      await past.ask(instant, '1', 'drinks', { completed: { after: 0 } })
    const sunday = await figures(past, '2027-03-28')
    expect(hours(sunday)).toEqual({ 0: 1, 1: 1, 3: 1, 23: 1 })
    expect(sunday.unheard).toMatchObject({ measuredMs: 23 * hour, ms: 23 * hour })
    expect(days(await figures(past, '2027-03-27', '2027-03-29'))).toEqual({
      '2027-03-27': 1,
      '2027-03-28': 4,
      '2027-03-29': 1,
    })
  })

  it('has 25 hours when they go back, one of them twice', async () => {
    const past = await startPast(app, 'Europe/Berlin', '2027-01-01T00:00:00Z')
    for (const instant of [
      '2027-10-30T22:00:00Z',
      '2027-10-31T00:30:00Z',
      '2027-10-31T01:30:00Z',
      '2027-10-31T22:59:59.999Z',
      '2027-10-31T23:00:00Z',
    ])
      await past.ask(instant, '1', 'drinks', { completed: { after: 0 } })
    const sunday = await figures(past, '2027-10-31')
    expect(hours(sunday)).toEqual({ 0: 1, 2: 2, 23: 1 })
    expect(sunday.unheard).toMatchObject({ measuredMs: 25 * hour })
    expect(sunday.totals.requests).toBe(4)
    const file = await csv(past, '2027-10-31')
    expect(file).toContain('2027-10-31T02:30:00.000+02:00,2027-10-31')
    expect(file).toContain('2027-10-31T02:30:00.000+01:00,2027-10-31')
  })

  it('ends at midnight there, not here', async () => {
    const past = await startPast(app, 'America/New_York', '2027-01-01T00:00:00Z')
    await past.ask('2027-06-02T03:59:59Z', '1', 'drinks', { completed: { after: 90 } })
    await past.ask('2027-06-02T04:00:00Z', '2', 'drinks', { completed: { after: 90 } })
    expect(hours(await figures(past, '2027-06-01'))).toEqual({ 23: 1 })
    expect(hours(await figures(past, '2027-06-02'))).toEqual({ 0: 1 })
  })

  it('moves with the time zone that the owner sets', async () => {
    const past = await startPast(app, 'UTC', '2027-01-01T00:00:00Z')
    await past.ask('2027-06-01T23:00:00Z', '1', 'drinks', { completed: { after: 90 } })
    expect((await figures(past, '2027-06-02')).totals.requests).toBe(0)
    const now = past.clock(at('2027-06-03T00:00:00Z'))
    expect(await restaurants.change(now, past.owner, { timeZone: 'Asia/Tokyo' })).toEqual({
      restaurantName: past.name,
      timeZone: 'Asia/Tokyo',
    })
    expect(await figures(past, '2027-06-02')).toMatchObject({
      timeZone: 'Asia/Tokyo',
      totals: { requests: 1 },
    })
  })
})

describe('with little to tell', () => {
  it('nothing is nothing, on every day', async () => {
    const past = await startPast(app, 'UTC', '2027-01-01T00:00:00Z')
    const shown = await figures(past, '2027-05-01', '2027-05-03')
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
    expect(shown).toMatchObject({
      range: { from: '2027-05-01', to: '2027-05-03' },
      before: { from: '2027-04-28', to: '2027-04-30' },
      scope: 'restaurant',
      totals: nothing,
      previous: nothing,
      byTable: [],
      sections: [],
      unassigned: 0,
    })
    expect(days(shown)).toEqual({ '2027-05-01': 0, '2027-05-02': 0, '2027-05-03': 0 })
  })

  it('one event is one request, which is late only once it is', async () => {
    const past = await startPast(app, 'UTC', '2027-01-01T00:00:00Z')
    await past.ask('2027-05-01T12:00:00Z', '1', 'check')
    const soon = await figures(past, '2027-05-01', '2027-05-01', '2027-05-01T12:00:45Z')
    expect(soon.totals).toMatchObject({
      requests: 1,
      times: { response: null },
      withinTarget: { within: 0, of: 0 },
    })
    const later = await figures(past, '2027-05-01', '2027-05-01', '2027-05-01T12:00:45.001Z')
    expect(later.totals).toMatchObject({ withinTarget: { within: 0, of: 1 } })
  })

  it('compares with as many days just before', async () => {
    const past = await startPast(app, 'Europe/Berlin', '2027-01-01T00:00:00Z')
    for (const [instant, after] of [
      ['2027-03-25T22:59:00Z', 10],
      ['2027-03-25T23:00:00Z', 20],
      ['2027-03-27T22:59:00Z', 30],
      ['2027-03-27T23:00:00Z', 40],
      ['2027-03-29T21:59:00Z', 50],
      ['2027-03-29T22:00:00Z', 60],
    ] as const)
      await past.ask(instant, '1', 'drinks', { completed: { after } })
    const { before, totals, previous } = await figures(past, '2027-03-28', '2027-03-29')
    expect(before).toEqual({ from: '2027-03-26', to: '2027-03-27' })
    expect(totals.times.response).toEqual(spread(2, 40, 50, 50, 45))
    expect(previous.times.response).toEqual(spread(2, 20, 30, 30, 25))
  })
})

describe('the response time', () => {
  const responses = async (course: Parameters<Past['ask']>[3]) => {
    const past = await startPast(app, 'UTC', '2027-01-01T00:00:00Z')
    await past.ask('2027-05-01T12:00:00Z', '1', 'food', course)
    return (await figures(past, '2027-05-01')).totals.times.response?.medianMs
  }

  it('ends with the acceptance', async () => {
    expect(await responses({ accepted: { after: 20 }, completed: { after: 90 } })).toBe(20 * seconds)
  })

  it('ends with the completion when nobody accepted', async () => {
    expect(await responses({ completed: { after: 90 } })).toBe(90 * seconds)
  })

  it('goes on when the acceptance is taken back', async () => {
    const course = { accepted: { after: 20 }, released: 30 }
    expect(await responses({ ...course, acceptedAgain: { after: 70 } })).toBe(70 * seconds)
    expect(await responses({ ...course, completed: { after: 90 } })).toBe(90 * seconds)
    expect(await responses(course)).toBeUndefined()
  })

  it('does not go on when an acceptance runs out because nobody says "done"', async () => {
    const course = { accepted: { after: 20 }, climbs: [200, 201], completed: { after: 400 } }
    expect(await responses(course)).toBe(20 * seconds)
    expect(await responses({ ...course, acceptedAgain: { after: 300 } })).toBe(20 * seconds)
  })

  it('of a completion that was undone ends with the one that stands', async () => {
    expect(await responses({ completed: { after: 30 }, reopened: 35 })).toBeUndefined()
    expect(await responses({ completed: { after: 30 }, reopened: 35, completedAgain: { after: 65 } })).toBe(
      65 * seconds,
    )
  })
})

describe('sections', () => {
  /** Three at once at Tom's tables, one after another at Ana's: each guest of Tom's waits longer. */
  async function evening() {
    const past = await startPast(app, 'UTC', '2027-01-01T00:00:00Z', ['1', '2', '3', '4', '5'])
    const [tom, ana] = [await past.join('Tom'), await past.join('Ana')]
    await past.assign('2027-05-01', [
      ['1', tom],
      ['2', tom],
      ['3', tom],
      ['4', ana],
    ])
    await past.assign('2027-05-02', [['4', ana]])
    const start = at('2027-05-01T18:00:00Z')
    for (let round = 0; round < 5; round++) {
      const then = start + round * 600 * seconds
      await past.ask(then, '1', 'drinks', {
        accepted: { after: 30, by: tom },
        completed: { after: 200, by: tom },
      })
      await past.ask(then + 10 * seconds, '2', 'drinks', {
        accepted: { after: 60, by: tom },
        completed: { after: 200 },
      })
      await past.ask(then + 20 * seconds, '3', 'drinks', {
        accepted: { after: 90, by: tom },
        completed: { after: 200 },
      })
      await past.ask(then, '4', 'drinks', { accepted: { after: 40, by: ana }, completed: { after: 50 } })
    }
    await past.ask('2027-05-01T21:00:00Z', '5', 'other', {
      accepted: { after: 99, by: ana },
      completed: { after: 100 },
    })
    return { past, tom, ana }
  }

  it('are compared under the same load, and stand in the order of names', async () => {
    const { past, tom, ana } = await evening()
    const { sections, byLoad, unassigned } = await figures(past, '2027-05-01', '2027-05-03')
    // Alone: 30 s five times and 40 s five times, so the median is 30 s.
    expect(byLoad).toEqual([
      { load: 1, requests: 10, response: spread(10, 30, 40, 40, 35) },
      { load: 2, requests: 5, response: spread(5, 60, 60, 60, 60) },
      { load: 3, requests: 5, response: spread(5, 90, 90, 90, 90) },
      { load: 4, requests: 0, response: null },
    ])
    expect(sections).toEqual([
      {
        crewMember: { id: ana.id, name: 'Ana' },
        tableDays: 2,
        requests: 5,
        busiest: 1,
        adjustedMs: 10 * seconds,
      },
      { crewMember: { id: tom.id, name: 'Tom' }, tableDays: 3, requests: 15, busiest: 3, adjustedMs: 0 },
    ])
    expect(unassigned).toBe(1)
  })

  it('count only days that have come', async () => {
    const { past } = await evening()
    const { sections } = await figures(past, '2027-05-01', '2027-05-03', '2027-05-01T23:00:00Z')
    expect(sections.map(({ tableDays }) => tableDays)).toEqual([1, 3])
  })

  it('say nothing of few requests', async () => {
    const past = await startPast(app, 'UTC', '2027-01-01T00:00:00Z')
    const ana = await past.join('Ana')
    await past.assign('2027-05-01', [['1', ana]])
    await past.ask('2027-05-01T18:00:00Z', '1', 'drinks', { accepted: { after: 40, by: ana } })
    expect((await figures(past, '2027-05-01')).sections).toMatchObject([{ requests: 1, adjustedMs: null }])
  })

  it('are shown to a crew member without anybody else in them', async () => {
    const { past, ana } = await evening()
    const own = await figures(past, '2027-05-01', '2027-05-03', undefined, past.as(ana))
    expect(own).toMatchObject({ scope: 'own', byLoad: [], unheard: null, unassigned: 1 })
    // Five at her own table and one that she took elsewhere.
    expect(own.totals).toMatchObject({ requests: 6, times: { response: spread(6, 40, 99, 99, 299 / 6) } })
    expect(own.sections).toEqual([
      { crewMember: { id: ana.id, name: 'Ana' }, tableDays: 2, requests: 5, busiest: 1, adjustedMs: null },
    ])
    expect(JSON.stringify(own)).not.toContain('Tom')
    const file = await csv(past, '2027-05-01', '2027-05-03', past.as(ana))
    expect(file).not.toContain('Tom')
    expect(new Set(file.match(/,[1-5],(drinks|other),/gu))).toEqual(new Set([',4,drinks,', ',5,other,']))
  })
})

describe('time without a listening screen', () => {
  it('is counted from when the restaurant was there, and where guests waited in it', async () => {
    const past = await startPast(app, 'UTC', '2027-05-01T10:00:00Z')
    await past.listens('2027-05-01T11:00:00Z', true)
    await past.listens('2027-05-01T12:00:00Z', false)
    await past.listens('2027-05-01T12:10:00Z', true)
    await past.ask('2027-05-01T11:59:00Z', '1', 'food', { completed: { after: 120 } })
    await past.ask('2027-05-01T12:00:30Z', '2', 'food', { completed: { after: 60 } })
    await past.ask('2027-05-01T12:05:00Z', '3', 'food', {
      accepted: { after: 600 },
      completed: { after: 700 },
    })
    const { unheard } = await figures(past, '2027-05-01', '2027-05-02', '2027-05-01T13:00:00Z')
    expect(unheard).toEqual({
      measuredMs: 3 * hour,
      ms: hour + 600 * seconds,
      // 12:00:00 to 12:01:30, and 12:05:00 until somebody listened at 12:10:00.
      whileWaitingMs: (90 + 300) * seconds,
      requests: 2,
    })
  })

  it('knows how it was when the range begins', async () => {
    const past = await startPast(app, 'UTC', '2027-05-01T10:00:00Z')
    await past.listens('2027-05-01T11:00:00Z', true)
    expect((await figures(past, '2027-05-03')).unheard).toMatchObject({ measuredMs: 24 * hour, ms: 0 })
    await past.listens('2027-05-03T06:00:00Z', true)
    await past.listens('2027-05-03T18:00:00Z', false)
    expect((await figures(past, '2027-05-03')).unheard).toMatchObject({ ms: 6 * hour })
    expect((await figures(past, '2027-04-20')).unheard).toMatchObject({ measuredMs: 0, ms: 0 })
  })
})

describe('the overview', () => {
  it('shows today against the seven days before, and the tables that somebody works today', async () => {
    const past = await startPast(app, 'Europe/Berlin', '2027-05-01T00:00:00Z')
    const maya = await past.join('Maya')
    await past.assign('2027-05-10', [
      ['1', maya],
      ['2', maya],
    ])
    await past.ask('2027-05-03T10:00:00Z', '1', 'food', { accepted: { after: 30 }, completed: { after: 40 } })
    await past.ask('2027-05-09T21:59:00Z', '1', 'food', { accepted: { after: 50 }, completed: { after: 60 } })
    // Eight days ago.
    await past.ask('2027-05-02T21:00:00Z', '1', 'food', {
      accepted: { after: 900 },
      completed: { after: 910 },
    })
    await past.ask('2027-05-09T22:00:00Z', '1', 'food', { accepted: { after: 20 }, completed: { after: 60 } })
    const open = await past.ask('2027-05-10T10:00:00Z', '3', 'check')
    const now = past.clock(at('2027-05-10T10:00:30Z'))
    expect(await analytics.overview(now, past.owner)).toEqual({
      day: '2027-05-10',
      timeZone: 'Europe/Berlin',
      requestsToday: 2,
      requestsChange: 600,
      averageResponseMs: 20 * seconds,
      medianResponseMs: 20 * seconds,
      responseChange: -50,
      activeTables: 2,
      tables: [
        { tableNumber: '1', crewMember: { id: maya.id, name: 'Maya' }, requests: 1 },
        { tableNumber: '2', crewMember: { id: maya.id, name: 'Maya' }, requests: 0 },
      ],
      latest: [
        expect.objectContaining({ id: open, tableNumber: '3', state: 'waiting', asks: 1, responseMs: null }),
        expect.objectContaining({ tableNumber: '1', state: 'completed', responseMs: 20 * seconds }),
      ],
    })
  })

  it('compares with nothing when there was nothing', async () => {
    const past = await startPast(app, 'UTC', '2027-05-01T00:00:00Z')
    const now = past.clock(at('2027-05-10T10:00:30Z'))
    expect(await analytics.overview(now, past.owner)).toMatchObject({
      requestsToday: 0,
      requestsChange: null,
      averageResponseMs: null,
      medianResponseMs: null,
      responseChange: null,
      activeTables: 0,
      tables: [],
      latest: [],
    })
  })
})

describe('the file of events', () => {
  it('computes nothing in a spreadsheet, whatever tables and crew are called', async () => {
    const past = await startPast(app, 'UTC', '2027-05-01T00:00:00Z', [
      '=1+1',
      '@a',
      "'x",
      'Bar, "left"',
      '-2',
    ])
    const crew = await past.join('+Ana;=cmd')
    for (const { tableNumber } of past.tables)
      await past.ask('2027-05-01T12:00:00Z', tableNumber, 'drinks', { completed: { after: 1, by: crew } })
    const file = await csv(past, '2027-05-01')
    expect(file.startsWith('\uFEFFrecord,kind,request_id,table,')).toBe(true)
    for (const part of [
      ',"\'=1+1",',
      ',"\'@a",',
      ',"\'\'x",',
      ',"Bar, ""left""",',
      ',"\'-2",',
      ',"\'+Ana;=cmd"\r\n',
    ])
      expect(file).toContain(part)
  })
})
