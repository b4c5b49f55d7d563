import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { overflowingElements, setTextSize } from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { lastingProblems, button, field, press, recordToasts, tabTo, toast } from '../support/locators.ts'
import { takeScreenshots, viewports } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'

const app = setUpApp({ guestLimits: false })
let restaurant: Restaurant
beforeEach(async () => {
  restaurant = await app.restaurant({ tables: ['4', '5', '7', '12', 'Terrace by the old lime tree, left'] })
  await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya Chen', role: 'Server' } })
  await restaurant.owner.ok(api.crew.add, { body: { name: 'Ana Ruiz', role: 'Host' } })
})

const guestAt = async (table: string): Promise<Page> => {
  const page = await openPage({ viewport: viewports.phone })
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: restaurant.name, t: table }).toString()}`)
  return page
}

/** What the guest has sent is confirmed for a moment, and a tap shows the menu sooner. */
const backToMenu = (guest: Page): Promise<void> =>
  button(guest, 'Send Another Request')
    .or(guest.getByRole('heading', { name: 'What do you need?' }))
    .click()

it('moves a party to another table from its ticket, tells its phones, and takes that back', async () => {
  const [maya, ana] = [
    await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone, timed: true }),
    await openCrewScreen(app, restaurant, { name: 'Ana Ruiz', viewport: viewports.desktop }),
  ]
  const [four, twelve] = [await guestAt('4'), await guestAt('12')]
  await press(twelve, 'Drinks')
  await ticket(maya, '12').waitFor()
  await press(four, 'Drinks')
  await backToMenu(four)
  await press(four, 'Check/Bill')
  await backToMenu(four)
  await expect.poll(() => ticket(maya, '4').count()).toBe(2)

  await ticket(maya, '4').first().getByRole('button', { name: 'More for table 4' }).click()
  await takeScreenshots(maya, 'crew-table-drawer')
  await press(maya, 'Move to another table')
  await field(maya, 'Move table 4 to table').fill('12')
  await maya
    .getByText(
      '2 open requests and one phone go to table 12. Table 12 already waits for Drinks: they become one.',
    )
    .waitFor()
  await takeScreenshots(maya, 'crew-move-party')
  expect(await lastingProblems(maya)).toEqual([])
  // What is offered for a while waits until everything was looked at.
  await stopTime(maya)
  await maya.keyboard.press('Enter')
  await expect.poll(() => toast(maya).innerText()).toMatch(/^Table 4 moved to 12/u)
  const movedAt = app.now()
  await maya.clock.runFor(1_000)
  for (const crew of [maya, ana]) {
    await expect.poll(() => ticket(crew, '12').count()).toBe(2)
    await expect.poll(() => ticket(crew, '4').count()).toBe(0)
    await ticket(crew, '12').getByText('moved from 4').waitFor()
    await ticket(crew, '12').getByText('asked 2×').waitFor()
  }
  await takeScreenshots(maya, 'crew-moved-party')
  await four.getByText('Your waiter moved you to table 12.').waitFor()
  await four.getByText('Table 12', { exact: true }).waitFor()
  await expect.poll(() => four.getByRole('listitem').count()).toBe(2)
  await takeScreenshots(four, 'guest-moved')
  expect(await lastingProblems(four)).toEqual([])
  await expect.poll(() => twelve.getByRole('listitem').count()).toBe(2)

  // Another table's request leaves the offer where it is.
  await press(await guestAt('7'), 'Drinks')
  await expect.poll(() => toast(maya).innerText()).toMatch(/^New Request\s[^]*Table 4 moved to 12\s+Undo/u)
  app.advance(movedAt - app.now())
  await press(maya, 'Undo')
  await expect.poll(() => ticket(ana, '4').count()).toBe(2)
  await four.getByText('You are at table 4 again.').waitFor()
  await four.getByText('Table 4', { exact: true }).waitFor()
  await expect.poll(() => twelve.getByRole('listitem').count()).toBe(1)
})

it("joins two parties from the host's screen; their phones go on at the new table", async () => {
  const ana = await openCrewScreen(app, restaurant, { name: 'Ana Ruiz', viewport: viewports.phone })
  const four = await guestAt('4')
  await press(four, 'Food Order')
  await backToMenu(four)
  await ticket(ana, '4').waitFor()
  await press(ana, 'Me')
  await press(ana, 'Move a party')
  await tabTo(ana, 'textbox', 'From table')
  await ana.keyboard.type('4')
  await field(ana, 'To table').fill('terrace BY the old lime tree, left')
  await ana
    .getByText('One open request and one phone go to table Terrace by the old lime tree, left.')
    .waitFor()
  await ana.setViewportSize({ width: 320, height: 640 })
  expect(await overflowingElements(ana)).toEqual([])
  await takeScreenshots(ana, 'crew-move-any-party')
  await setTextSize(ana, 32)
  expect(await overflowingElements(ana)).toEqual([])
  await takeScreenshots(ana, 'crew-move-any-party-200')
  await setTextSize(ana, 16)
  await ana.setViewportSize(viewports.phone)
  const said = await recordToasts(ana)
  await ana.keyboard.press('Enter')
  await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Table 4 moved to Terrace/u))
  await press(ana, 'Requests')
  await ticket(ana, 'Terrace by the old lime tree, left').getByText('moved from 4').waitFor()
  await four.getByText('Table Terrace by the old lime tree, left', { exact: true }).waitFor()
  await press(four, 'Drinks')
  await expect.poll(() => ticket(ana, 'Terrace by the old lime tree, left').count()).toBe(2)
  await four.reload()
  await four.getByText('Table Terrace by the old lime tree, left', { exact: true }).waitFor()
  await expect.poll(() => button(four, 'Drinks').count()).toBeGreaterThan(0)
})
