import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'

const app = setUpApp()

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['7', 'Patio'] })
  const { id } = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  /** On a new connection, because the clock is advanced further than a silent one is kept. */
  const tap = async (type: 'accept-request' | 'complete-request', request: { id: string }) => {
    const screen = await connectScreen(restaurant.device, id)
    await screen.request({ type, id: request.id })
    screen.close()
  }
  const guest = app.browser()
  const ask = async (tableNumber: string, serviceType: ServiceType, by = guest) => {
    const body = { restaurantId: restaurant.name, tableNumber, serviceType }
    return (await by.ok(api.requests.send, { body })).request
  }
  const historyOf = (tableNumber: string) =>
    restaurant.device.ok(api.tables.history, { query: { tableNumber } })
  return { ...restaurant, tap, guest, ask, historyOf }
}

describe('the history of a table', () => {
  it('says what it asked for in the last 90 minutes, and how long it waited', async () => {
    const { tap, guest, ask, historyOf } = await openRestaurant()
    const forgotten = await ask('patio', 'food')
    await tap('complete-request', forgotten)
    app.advance(10 * 60_000)
    const drinks = await ask('Patio', 'drinks')
    await ask('Patio', 'drinks')
    app.advance(20_000)
    await tap('accept-request', drinks)
    app.advance(40_000)
    await tap('complete-request', drinks)
    const check = await ask('Patio', 'check')
    await guest.ok(api.requests.cancel, { params: { id: check.id } })
    app.advance(80 * 60_000)
    const open = await ask('Patio', 'drinks')
    await ask('7', 'other')
    const seconds = (from: number, to: number | null) =>
      to === null ? null : Math.round((to - from) / 10_000) * 10
    const history = (await historyOf('PATIO')).map(({ timestamp, answeredAt, closedAt, ...past }) => ({
      ...past,
      answered: seconds(timestamp, answeredAt),
      closed: seconds(timestamp, closedAt),
    }))
    expect(history).toEqual([
      { id: open.id, serviceType: 'drinks', asks: 1, answered: null, closed: null },
      { id: check.id, serviceType: 'check', asks: 1, answered: null, closed: 0, cancelled: true },
      { id: drinks.id, serviceType: 'drinks', asks: 2, answered: 20, closed: 60 },
    ])
  })

  it('is of this restaurant alone, and says nothing of unknown tables', async () => {
    const [here, there] = [await openRestaurant(), await openRestaurant()]
    await here.ask('7', 'check')
    expect(await there.historyOf('7')).toEqual([])
    expect(await here.historyOf('No such table')).toEqual([])
    const missing = await here.device.send('GET', '/api/table-history')
    expect(missing).toMatchObject({ status: 400 })
  })
})

describe('the list of a crew screen', () => {
  it('holds the last 20 closed requests, and all that were closed in the last 10 minutes', async () => {
    const { owner, device, tap, ask } = await openRestaurant()
    await owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount: 25 } })
    const countRecent = async () => {
      const other = await device.connect()
      other.send({ type: 'get-pending-requests' })
      return (await other.next('pending-requests')).recent.length
    }
    for (let table = 1; table <= 25; table++) {
      await tap('complete-request', await ask(String(table), 'general', app.browser()))
      app.advance(60_000)
    }
    expect(await countRecent()).toBe(20)
    for (let table = 1; table <= 23; table++) {
      await tap('complete-request', await ask(String(table), 'general', app.browser()))
    }
    expect(await countRecent()).toBe(32)
  })
})
