import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { addCrew, type Restaurant, today } from '../../support/restaurants/busy-restaurant.ts'
import { openPage } from '../support/browser.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { button, press, section, whenToastsLoad } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'
import { signInToRestaurant } from '../pages/sign-in.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

const tables = Array.from({ length: 14 }, (_, index) => String(index + 1))

async function ask(restaurant: Restaurant, ...tableNumbers: string[]): Promise<void> {
  for (const tableNumber of tableNumbers) {
    const body = { id: randomUUID(), restaurantId: restaurant.name, tableNumber }
    await app.browser().ok(api.requests.send, { body })
  }
}

/** Whether all of the control with the focus can be seen; null where it is on no ticket. */
const isFocusInView = (page: Page): Promise<boolean | null> =>
  page.evaluate(() => {
    const control = document.activeElement
    const own = control?.closest('[data-request]')
    if (!control || !own) return null
    const { left, top, right, bottom } = control.getBoundingClientRect()
    return [top + 1, bottom - 1].every((y) => own.contains(document.elementFromPoint((left + right) / 2, y)))
  })

it.each([
  ['small phone', { width: 390, height: 740 }],
  ['tablet', { width: 820, height: 1180 }],
  ['desktop', { width: 1280, height: 720 }],
])('shows all of the control that gets the focus by Tab: %s', async (size, viewport) => {
  const restaurant = await app.restaurant({ tables })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const floor = await restaurant.owner.ok(api.floor.tables, {})
  const assignments = floor.map(({ id }) => ({ tableId: id, crewMemberId: maya.id }))
  await restaurant.owner.ok(api.floor.assign, { body: { date: today, assignments } })
  await ask(restaurant, ...tables)
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport })
  await page.getByText(/\d not in view/u).waitFor()
  let onTickets = 0
  for (const key of [...Array(50).fill('Tab'), ...Array(40).fill('Shift+Tab')]) {
    await page.keyboard.press(key)
    await expect.poll(() => isFocusInView(page)).not.toBe(false)
    if (await isFocusInView(page)) onTickets += 1
  }
  expect(onTickets).toBeGreaterThan(20)
  await takeScreenshot(page, `crew-focus-${size.replace(' ', '-')}`)
})

it('shows "Mark Complete" on a late ticket as a button that can be pressed', async () => {
  const restaurant = await app.restaurant({ tables })
  await ask(restaurant, '4')
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\/auth\/user/] })
  await page.clock.install({ time: Date.now() + 20 * 60_000 })
  await signInToRestaurant(page, app, restaurant)
  await page.goto(`${app.url}/waiter`)
  const late = ticket(page, '4')
  await late.and(page.locator('[data-heat="late"]')).waitFor()
  const groundOf = (name: string) =>
    button(late, name).evaluate((element) => getComputedStyle(element).backgroundColor)
  const ticketGround = await late.evaluate((element) => getComputedStyle(element).backgroundColor)
  expect(await groundOf('Mark Complete')).not.toBe(ticketGround)
  expect(await groundOf('Mark Complete')).not.toBe('rgba(0, 0, 0, 0)')
  const edge = await button(late, 'Mark Complete').evaluate(
    (element) => getComputedStyle(element).borderWidth,
  )
  expect(edge).toBe('1px')
  await takeScreenshots(page, 'crew-late', ['phone', 'desktop'])
})

it('asks whether the sound was heard above what it says of alerts', async () => {
  const restaurant = await app.restaurant({ tables })
  await addCrew(restaurant.owner, 'Maya Chen')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  await press(page, 'Start shift')
  const question = section(page, 'Heard it?')
  const alerts = question.getByText(/^Alerts on this phone/u)
  await alerts.waitFor()
  const topOf = async (name: string): Promise<number> =>
    (await button(question, name).boundingBox())?.y ?? Infinity
  await expect
    .poll(
      async () => ((await alerts.boundingBox())?.y ?? 0) > Math.max(await topOf('No'), await topOf('Yes')),
    )
    .toBe(true)
  await takeScreenshots(page, 'crew-heard-it', ['phone', 'desktop'])
})

it.each([
  ['phone', viewports.phone],
  ['tablet', { width: 820, height: 1180 }],
])('keeps toasts off the contacts and quick messages: %s', async (size, viewport) => {
  const restaurant = await app.restaurant({ tables })
  for (const name of ['Maya Chen', 'Jonas Berg']) await addCrew(restaurant.owner, name)
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport })
  const sections = page.getByRole('navigation', { name: 'Sections' })
  await press(page, 'Messages')
  await page.getByText('Jonas Berg').waitFor()
  await whenToastsLoad(page)
  const isOverSections = page.waitForFunction(() => {
    const toast = document
      .querySelector('[aria-label="Notifications"] [role="group"]')
      ?.getBoundingClientRect()
    const bar = document.querySelector('.crew-nav')?.getBoundingClientRect()
    return toast && bar && toast.height > 0 && toast.top >= bar.top && toast.bottom <= innerHeight
  })
  await ask(restaurant, '4')
  await isOverSections
  await takeScreenshot(page, `crew-toast-messages-${size}`)
  expect(await sections.isVisible()).toBe(true)
})
