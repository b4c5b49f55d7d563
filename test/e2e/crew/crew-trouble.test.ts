import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { addCrew, type Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { pathOf, press } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

function ask(restaurant: Restaurant, tableNumber: string) {
  const body = { restaurantId: restaurant.name, tableNumber }
  return app.browser().ok(api.requests.send, { body })
}

async function openScreens() {
  const restaurant = await app.restaurant({ tables: ['4', '7', '12'] })
  const maya = await addCrew(restaurant.owner, 'Maya')
  const open = (name: string) => openCrewScreen(app, restaurant, { name, viewport: viewports.phone })
  return { restaurant, maya, open }
}

it('leads back at the first press, also after a reload within a drawer', async () => {
  const { restaurant, open } = await openScreens()
  await ask(restaurant, '4')
  const page = await open('Maya')
  await page.goto(`${app.url}/portal-selection`)
  await page.getByRole('link', { name: 'Crew Portal' }).click()
  await press(page, 'More for table 4')
  await page.getByRole('dialog', { name: 'Table 4' }).waitFor()
  await press(page, 'Move to another table')
  await page.getByRole('dialog', { name: 'Move the party' }).waitFor()
  await page.reload()
  await ticket(page, '4').waitFor()
  await page.goBack()
  await expect.poll(() => pathOf(page)).toBe('/portal-selection')
})
