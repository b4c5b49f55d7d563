import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { widenAfterMs } from '../../../src/server/core/requests/escalation/calling.ts'
import { escalateDueRequests } from '../../../src/server/core/requests/escalation/escalation.ts'
import { setUpApp } from '../../support/app.ts'
import { addCrew, assignTables, today } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { notesOf } from '../pages/message-screens.ts'
import { press } from '../support/locators.ts'

/** However long a page takes, nobody else is called before the test says so. */
const app = setUpApp({ guestLimits: false, scheduler: 'manual', clock: 'still' })

type Device = { page: Page; heard: () => Promise<unknown> }

/** Maya serves tables 4 and 5, Jonas 6 and 7. Both listen. */
async function openDevices() {
  const restaurant = await app.restaurant({ tables: ['4', '5', '6', '7'] })
  const ids: Record<string, string> = {}
  for (const name of ['Maya', 'Jonas']) ids[name] = (await addCrew(restaurant.owner, name)).id
  await assignTables({ ...restaurant, ids }, today, { 4: 'Maya', 5: 'Maya', 6: 'Jonas', 7: 'Jonas' })
  const open = async (name: string): Promise<Device> => {
    const page = await openCrewScreen(app, restaurant, { name })
    return { page, heard: await notesOf(page) }
  }
  const [maya, jonas] = [await open('Maya'), await open('Jonas')]
  const restaurantId = await app.idOf(restaurant)
  await expect.poll(() => app.ctx.presence(restaurantId).listeners.size).toBe(2)
  const ask = (tableNumber: string) =>
    app
      .browser()
      .ok(api.requests.send, { body: { restaurantId: restaurant.name, tableNumber, serviceType: 'drinks' } })
  return { maya, jonas, ask }
}

it('rings at the own server of a table first, and at a neighbour when that does not come', async () => {
  const { maya, jonas, ask } = await openDevices()
  await ask('4')
  await expect.poll(maya.heard).not.toEqual([])
  const alarm = await maya.heard()
  await ticket(jonas.page, '4').waitFor()
  expect(await jonas.heard()).toEqual([])

  app.advance(widenAfterMs)
  await escalateDueRequests(app.ctx)
  await expect.poll(jonas.heard).toEqual(alarm)
})

it('rings at the neighbour at once while the own server of a table is on the way elsewhere', async () => {
  const { maya, jonas, ask } = await openDevices()
  await ask('4')
  await expect.poll(maya.heard).not.toEqual([])
  const alarm = await maya.heard()
  await press(ticket(maya.page, '4'), 'On my way')
  await jonas.page.locator('.accepted-line').waitFor()

  await ask('5')
  await expect.poll(jonas.heard).toEqual(alarm)
  await ticket(maya.page, '5').waitFor()
  expect(await maya.heard()).toEqual(alarm)
})
