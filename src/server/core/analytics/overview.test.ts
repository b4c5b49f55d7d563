import { describe, expect, it } from 'vitest'
import {
  instantOf,
  seconds,
  setUpPastApp,
  startPastRestaurant,
} from '../../../../test/support/restaurants/past-restaurant.ts'
import * as analytics from './analytics.ts'

const app = setUpPastApp()

describe('the overview', () => {
  it('compares today with the seven days before, and shows the tables assigned today', async () => {
    const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-05-01T00:00:00Z')
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
    const now = past.clock(instantOf('2027-05-10T10:00:30Z'))
    expect(await analytics.overview(now, past.owner)).toEqual({
      day: '2027-05-10',
      timeZone: 'Europe/Berlin',
      requestsToday: 2,
      completedToday: 1,
      openToday: 1,
      askedAgainToday: 0,
      requestsChange: 600,
      averageResponseMs: 20 * seconds,
      medianResponseMs: 20 * seconds,
      withinTarget: { within: 1, of: 1 },
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

  it('counts the whole day, and lists the last 50', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-05-01T00:00:00Z')
    await past.ask('2027-05-10T09:00:00Z', '1', 'food', { asked: [60] })
    for (let minute = 0; minute < 50; minute++)
      await past.ask(instantOf('2027-05-10T10:00:00Z') + minute * 60 * seconds, '2', 'drinks', {
        completed: { after: 10 },
      })
    const now = past.clock(instantOf('2027-05-10T12:00:00Z'))
    const overview = await analytics.overview(now, past.owner)
    expect(overview).toMatchObject({
      requestsToday: 51,
      completedToday: 50,
      openToday: 1,
      askedAgainToday: 1,
      // The open one has waited for longer than it should.
      withinTarget: { within: 50, of: 51 },
    })
    expect(overview.latest.map(({ state }) => state)).toEqual(Array(50).fill('completed'))
  })

  it('tells every crew screen what is done today, and until when that is', async () => {
    const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-05-01T00:00:00Z')
    await past.ask('2027-05-09T21:59:00Z', '1', 'food', { accepted: { after: 50 }, completed: { after: 60 } })
    await past.ask('2027-05-10T08:00:00Z', '1', 'food', { accepted: { after: 20 }, completed: { after: 60 } })
    await past.ask('2027-05-10T09:00:00Z', '2', 'food', { accepted: { after: 30 }, completed: { after: 60 } })
    await past.ask('2027-05-10T10:00:00Z', '3', 'check', { accepted: { after: 90 } })
    const now = past.clock(instantOf('2027-05-10T12:00:00Z'))
    expect(await analytics.doneToday(now, past.owner)).toEqual({
      done: 2,
      medianResponseMs: 30 * seconds,
      until: instantOf('2027-05-10T22:00:00Z'),
    })
  })

  it('compares nothing until seven days have passed since the first request', async () => {
    const past = await startPastRestaurant(app, 'Europe/Berlin', '2027-05-01T00:00:00Z')
    const lunch = { accepted: { after: 30 }, completed: { after: 60 } }
    for (const day of ['04', '10', '11'])
      for (let minute = 10; minute < 24; minute++)
        await past.ask(`2027-05-${day}T10:${minute}:00Z`, '1', 'food', lunch)
    const on = (day: string) =>
      analytics.overview(past.clock(instantOf(`2027-05-${day}T12:00:00Z`)), past.owner)
    for (const day of ['04', '10'])
      expect(await on(day)).toMatchObject({
        requestsToday: 14,
        averageResponseMs: 30 * seconds,
        requestsChange: null,
        responseChange: null,
      })
    expect(await on('11')).toMatchObject({ requestsToday: 14, requestsChange: 250, responseChange: 0 })
  })

  it('shows no comparison without earlier requests', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-05-01T00:00:00Z')
    const now = past.clock(instantOf('2027-05-10T10:00:30Z'))
    expect(await analytics.overview(now, past.owner)).toMatchObject({
      requestsToday: 0,
      activeTables: 0,
      tables: [],
      latest: [],
      requestsChange: null,
      responseChange: null,
      averageResponseMs: null,
      medianResponseMs: null,
    })
  })
})
