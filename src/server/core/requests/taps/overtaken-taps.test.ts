import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { eventsOf } from '../../../../../test/support/request-events.ts'
import type { Restaurant } from '../../../../../test/support/restaurants/busy-restaurant.ts'
import type { Db, TransactOptions } from '../../../storage/engine/types.ts'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp()
})
afterEach(() => app.stop())

/** Taps do not see what is stored, as if another node had stored it just after they looked. Returns what ends that. */
function overlook(column: 'openRequestId' | 'storedRequestId'): () => void {
  const database = { ...app.ctx.db }
  const blind = (seeing: Db): Db => {
    const run = seeing.run.bind(seeing)
    return Object.assign(seeing, {
      run: async (...call: Parameters<typeof run>) => {
        const rows = await run(...call)
        return call[0].name === 'tap-context' && isOverlooked
          ? rows.map((row) => Object.assign({}, row, { [column]: null }))
          : rows
      },
    })
  }
  let isOverlooked = true
  Object.assign(app.ctx.db, {
    transact: <T>(task: (seeing: Db) => Promise<T>, options?: TransactOptions<T>) =>
      database.transact((seeing) => task(blind(seeing)), options),
  })
  return () => {
    isOverlooked = false
  }
}

const ask = (guest: TestBrowser, { name }: Restaurant, id: string) =>
  guest.call(api.requests.send, {
    body: { id, restaurantId: name, tableNumber: '7', serviceType: 'drinks' },
  })

const busy = {
  status: 503,
  body: {
    code: 'unavailable',
    message: 'Others at this table are asking right now. Please try again in a moment.',
  },
}

describe('a tap', () => {
  it('that others overtake again and again is refused for a moment, and then stored', async () => {
    const restaurant = await app.restaurant({ tables: ['7'] })
    const first = await ask(app.browser(), restaurant, 'tap-first')
    const endOverlooking = overlook('openRequestId')
    const guest = app.browser()
    const refused = await ask(guest, restaurant, 'tap-late')
    expect(refused).toMatchObject(busy)
    expect(refused.headers.get('retry-after')).toBe('1')
    const socket = await guest.connect()
    const message = {
      type: 'service-request',
      id: 'tap-late',
      tableNumber: '7',
      serviceType: 'drinks',
    } as const
    expect(await socket.request({ ...message, restaurantId: restaurant.name })).toMatchObject({
      type: 'error',
      code: 'unavailable',
    })
    socket.close()

    endOverlooking()
    expect(await ask(guest, restaurant, 'tap-late')).toMatchObject({
      status: 200,
      body: { request: { id: first.body.request.id, asks: 2 } },
    })
  })

  it('whose id is stored by others again and again is refused for a moment, and then found', async () => {
    const restaurant = await app.restaurant({ tables: ['7'] })
    const guest = app.browser()
    await ask(guest, restaurant, 'tap-twice')
    const endOverlooking = overlook('storedRequestId')
    expect(await ask(guest, restaurant, 'tap-twice')).toMatchObject(busy)
    endOverlooking()
    expect(await ask(guest, restaurant, 'tap-twice')).toMatchObject({
      status: 200,
      body: { request: { id: 'tap-twice', asks: 1 } },
    })
    expect(await eventsOf(app, 'tap-twice')).toEqual(['created by guest'])
  })
})
