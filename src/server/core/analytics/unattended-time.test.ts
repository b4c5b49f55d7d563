import { describe, expect, it } from 'vitest'
import {
  figuresOf,
  hour,
  seconds,
  setUpPastApp,
  startPastRestaurant,
} from '../../../../test/support/restaurants/past-restaurant.ts'

const app = setUpPastApp()

describe('time without a listening screen', () => {
  it('is measured from the creation of the restaurant on, and while guests waited', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-05-01T10:00:00Z')
    await past.listens('2027-05-01T11:00:00Z', true)
    await past.listens('2027-05-01T12:00:00Z', false)
    await past.listens('2027-05-01T12:10:00Z', true)
    await past.ask('2027-05-01T11:59:00Z', '1', 'food', { completed: { after: 120 } })
    await past.ask('2027-05-01T12:00:30Z', '2', 'food', { completed: { after: 60 } })
    await past.ask('2027-05-01T12:05:00Z', '3', 'food', {
      accepted: { after: 600 },
      completed: { after: 700 },
    })
    const { unheard } = await figuresOf(past, '2027-05-01', '2027-05-02', '2027-05-01T13:00:00Z')
    expect(unheard).toEqual({
      measuredMs: 3 * hour,
      ms: hour + 600 * seconds,
      // 12:00:00 to 12:01:30, and 12:05:00 until somebody listened at 12:10:00.
      whileWaitingMs: (90 + 300) * seconds,
      requests: 2,
    })
  })

  it('takes the state at the start of the range into account', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-05-01T10:00:00Z')
    await past.listens('2027-05-01T11:00:00Z', true)
    expect((await figuresOf(past, '2027-05-03')).unheard).toMatchObject({ measuredMs: 24 * hour, ms: 0 })
    await past.listens('2027-05-03T06:00:00Z', true)
    await past.listens('2027-05-03T18:00:00Z', false)
    expect((await figuresOf(past, '2027-05-03')).unheard).toMatchObject({ ms: 6 * hour })
    expect((await figuresOf(past, '2027-04-20')).unheard).toMatchObject({ measuredMs: 0, ms: 0 })
  })
})
