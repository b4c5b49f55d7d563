import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestApp, type TestBrowser } from '../../../../test/support/app.ts'
import { floodAddress } from '../../../../test/support/guest-flood.ts'

/** Time stands still, so a limit that is used up stays so. */
const app = setUpApp({ scheduler: 'manual' })

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const { guestLink } = await restaurant.owner.ok(api.restaurant.settings, {})
  return { ...restaurant, code: new URL(guestLink).searchParams.get('k') ?? '' }
}

const follow = async (guest: TestBrowser, { name }: { name: string }, k?: string) =>
  (await guest.connect()).request({
    type: 'set-restaurant-context',
    restaurantId: name,
    tableNumber: '7',
    ...(k !== undefined && { k }),
  })

const isFollowing = { type: 'ack', requests: [], barrier: null }
const isRefused = { type: 'error', code: 'rate_limited' }

async function scanCode(app: TestApp, { name, code }: { name: string; code: string }) {
  const guest = app.browser()
  await guest.fetch(`/customer?${new URLSearchParams({ r: name, t: '7', k: code }).toString()}`)
  return guest
}

it('keeps no guest with a code from the table, however much others at the address send', async () => {
  const restaurant = await openRestaurant()
  const scanned = await scanCode(app, restaurant)
  await floodAddress(app)
  expect(await follow(app.browser(), restaurant)).toMatchObject(isRefused)
  expect(await follow(app.browser(), restaurant, 'made-up')).toMatchObject(isRefused)
  expect(await follow(app.browser(), restaurant, restaurant.code)).toMatchObject(isFollowing)
  // What the device has shown during its visit counts.
  expect(await follow(scanned, restaurant)).toMatchObject(isFollowing)
  expect(await follow(scanned, await openRestaurant())).toMatchObject(isRefused)
})

it('still lets guests with a code ask on the live channel', async () => {
  const restaurant = await openRestaurant()
  await floodAddress(app)
  const tap = {
    type: 'service-request',
    restaurantId: restaurant.name,
    tableNumber: '7',
    serviceType: 'drinks',
  } as const
  expect(await (await app.browser().connect()).request(tap)).toMatchObject(isRefused)
  const socket = await app.browser().connect()
  expect(await socket.request({ ...tap, k: restaurant.code })).toMatchObject({ type: 'ack' })
})

it('gives guests who follow a table with a code their own limit before anybody sends too much', async () => {
  const restaurant = await openRestaurant()
  const socket = await (await scanCode(app, restaurant)).connect()
  const context = { type: 'set-restaurant-context', restaurantId: restaurant.name, tableNumber: '7' } as const
  expect(await socket.request(context)).toMatchObject(isFollowing)
  await floodAddress(app)
  expect(await socket.request({ type: 'ping' })).toMatchObject({ type: 'ack' })
  expect(await socket.request(context)).toMatchObject(isFollowing)
})
