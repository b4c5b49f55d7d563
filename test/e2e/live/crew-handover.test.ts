import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { lastingProblems, press, recordToasts } from '../support/locators.ts'
import { viewports, takeScreenshots } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false })
let restaurant: Restaurant
beforeEach(async () => {
  restaurant = await app.restaurant({ tables: ['1', '2', '3', '4', '5', '6'] })
  for (const name of ['Maya Chen', 'Jonas Berg'])
    await restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })
})

async function ask(tableNumber: string) {
  const guest = app.browser()
  const body = { id: randomUUID(), restaurantId: restaurant.name, tableNumber, serviceType: 'check' as const }
  const { request } = await guest.ok(api.requests.send, { body })
  const isNow = async () =>
    (await guest.ok(api.requests.mine, { query: { restaurantId: restaurant.name, tableNumber } })).requests[0]
  return { id: request.id, guest, isNow }
}

it('counts a request as seen if its table is named at the edge of a visible screen', async () => {
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  const requests = []
  for (const table of ['1', '2', '3', '4', '5', '6']) requests.push(await ask(table))
  const [first, last] = [requests.at(0), requests.at(-1)]
  await expect.poll(async () => (await last?.isNow())?.seen).toBeGreaterThan(0)
  await page.getByText(/\d not in view · .*6$/u).waitFor()
  await takeScreenshots(page, 'crew-not-in-view', ['phone', 'desktop'])

  // On a hidden page, requests do not count as seen.
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  for (const { guest, id } of requests) await guest.ok(api.requests.cancel, { params: { id } })
  const late = await ask('1')
  await ticket(page, '1').waitFor()
  expect(first).toBeDefined()
  expect((await late.isNow())?.seen).toBe(0)
})

it('informs a cover, hands open requests over at the end of a shift, and shows what guests cancel', async () => {
  const [handedOver, cancelled] = [await ask('1'), await ask('2')]
  // Long enough for "Still waiting", and before there are screens, which the server would take for dead.
  app.advance(50_000)
  const [maya, jonas] = [
    await openCrewScreen(app, restaurant, { name: 'Maya Chen' }),
    await openCrewScreen(app, restaurant, { name: 'Jonas Berg', viewport: { width: 390, height: 1600 } }),
  ]
  const said = await recordToasts(jonas)
  await press(ticket(maya, '1'), 'On my way')
  await expect.poll(async () => (await handedOver.isNow())?.acceptedBy?.name).toBe('Maya')
  await press(maya, 'Going on break')
  await maya.getByRole('radio', { name: 'Jonas Berg' }).click()
  await expect
    .poll(() => said)
    .toContainEqual(expect.stringMatching(/^You cover for Maya Chen\s+Table 1: you are on the way/u))
  await takeScreenshots(jonas, 'crew-cover', ['phone', 'desktop'])
  await ticket(jonas, '1').getByText('You’re on it').waitFor()

  await press(ticket(jonas, '2'), 'On my way')
  await expect.poll(async () => (await cancelled.isNow())?.acceptedBy?.name).toBe('Jonas')
  await cancelled.guest.ok(api.requests.cancel, { params: { id: cancelled.id } })
  await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Cancelled by the guest\s+Table 2/u))
  await handedOver.guest.ok(api.requests.stillWaiting, { params: { id: handedOver.id } })
  await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Still waiting\s+Table 1 still waits/u))
  await ticket(jonas, '1').getByText('Still waiting').waitFor()
  await jonas.getByText('Recently completed').click()
  await jonas.getByText(/cancelled by the guest/u).waitFor()
  await takeScreenshots(jonas, 'crew-still-waiting', ['phone', 'desktop'])

  await press(jonas, 'Me')
  await press(jonas, 'End shift')
  const drawer = jonas.getByRole('dialog', { name: 'You are still on the way' })
  await drawer.getByText('Table 1. Who goes there when your shift ends?').waitFor()
  await takeScreenshots(jonas, 'crew-end-shift', ['phone', 'desktop'])
  expect(await lastingProblems(jonas)).toEqual([])
  await drawer.getByRole('radio', { name: "I'll finish them first" }).click()
  await drawer.waitFor({ state: 'hidden' })
  expect((await handedOver.isNow())?.acceptedBy?.name).toBe('Jonas')
  await press(jonas, 'End shift')
  await drawer.getByRole('radio', { name: 'Give back to everybody' }).click()
  await expect.poll(async () => (await handedOver.isNow())?.state).toBe('waiting')
  await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Shift ended/u))
})
