import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { lastingViolations } from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { button, press } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false })

it('shows each crew screen what a table has asked for lately, whoever served it', async () => {
  const restaurant = await app.restaurant({ tables: ['4', '7'] })
  for (const name of ['Maya Chen', 'Ana Ruiz'])
    await restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })
  const maya = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  const ana = await openCrewScreen(app, restaurant, { name: 'Ana Ruiz', viewport: viewports.phone })
  const guest = await openPage({ viewport: viewports.phone })
  await guest.goto(`${app.url}/customer?${new URLSearchParams({ r: restaurant.name, t: '4' }).toString()}`)
  const backToMenu = (): Promise<void> =>
    button(guest, 'Send Another Request')
      .or(guest.getByRole('heading', { name: 'What do you need?' }))
      .click()
  const askForDrinks = async (): Promise<void> => {
    await press(guest, 'Drinks')
    await backToMenu()
    await ticket(maya, '4').waitFor()
    await ticket(ana, '4').waitFor()
  }

  for (let round = 0; round < 2; round++) {
    await askForDrinks()
    await press(ticket(maya, '4'), 'On my way')
    await ana.locator('.accepted-line').waitFor()
    await press(ticket(maya, '4'), 'Mark Complete')
    await ana.getByText('No active requests').waitFor()
  }
  await askForDrinks()
  for (const crew of [maya, ana]) await ticket(crew, '4').getByText('3× in 10 min').waitFor()

  await press(ticket(ana, '4'), 'More for table 4')
  const history = ana.getByRole('region', { name: 'Last 90 minutes' })
  const entries = async (): Promise<string[]> => {
    const texts = await history.getByRole('listitem').allInnerTexts()
    return texts.map((text) =>
      text
        .replaceAll(/\s+/gu, ' ')
        .replaceAll(/\d+[sm]/gu, '0s')
        .trim(),
    )
  }
  const served = 'Drinks waited 0s · 0s ago'
  await expect.poll(entries).toEqual(['Drinks waits · 0s ago', served, served])
  expect(await lastingViolations(ana)).toEqual([])
  // Another table's is its own.
  await ana.keyboard.press('Escape')
  await history.waitFor({ state: 'detached' })
  const body = { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'check' } as const
  await app.browser().ok(api.requests.send, { body })
  await press(ticket(ana, '7'), 'More for table 7')
  await expect.poll(entries).toEqual(['Check/Bill waits · 0s ago'])
})
