import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { setUpApp } from '../../support/app.ts'
import { addCrew, assignTables, type Restaurant, today } from '../../support/restaurants/busy-restaurant.ts'
import { signInToRestaurant } from '../pages/sign-in.ts'
import { brokenWords, setTextSize } from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { takeScreenshot, viewports } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'
import { coveredControls } from '../support/toasts.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

const longTable = 'The long table by the fountain, terrace'
const rush = ['1', '2', '3', '4', '7', '12', '21', '33', 'Patio 3', longTable]
const sizes = {
  smallest: { width: 320, height: 640 },
  phone: viewports.phone,
  landscape: { width: 844, height: 390 },
  tablet: { width: 820, height: 1180 },
  laptop: viewports.tablet,
  desktop: viewports.desktop,
}

function ask(restaurant: Restaurant, tableNumber: string, serviceType: ServiceType = 'general') {
  const body = { id: randomUUID(), restaurantId: restaurant.name, tableNumber, serviceType }
  return app.browser().ok(api.requests.send, { body })
}

/** A screen in a rush whose time stands still, so that its toast stays. */
async function openBusyScreen(restaurant: Restaurant, language: string): Promise<Page> {
  const maya = await addCrew(restaurant.owner, 'Maximiliane Konstantinopolitanova')
  await assignTables({ ...restaurant, ids: { Maya: maya.id } }, today, { 4: 'Maya', 'Patio 3': 'Maya' })
  await ask(restaurant, longTable)
  for (const table of rush.slice(0, -2)) await ask(restaurant, table)
  const page = await openPage({
    viewport: viewports.phone,
    reducedMotion: 'reduce',
    tolerate: [/\/api\/auth\/user/],
  })
  await signInToRestaurant(page, app, restaurant)
  await page.addInitScript(
    ([id, tag]) => {
      localStorage.setItem('crew-member-id', id)
      localStorage.setItem('language', tag)
    },
    [maya.id, language] as const,
  )
  await page.clock.install()
  await page.goto(`${app.url}/waiter`)
  await page.locator('.ticket').nth(4).waitFor()
  await page.locator('.shift-card').waitFor()
  await page.locator('.toasts').waitFor({ state: 'attached' })
  await stopTime(page)
  return page
}

async function expectNothingCovered(page: Page, name: string): Promise<void> {
  // It is in its place in the next frame.
  await page.clock.runFor(50)
  for (const textSize of [16, 32]) {
    await setTextSize(page, textSize)
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      for (const y of [0, 1e6]) {
        await page.evaluate((to) => scrollTo(0, to), y)
        const look = async () => ({ size, textSize, y, covered: await coveredControls(page) })
        await expect.poll(look).toEqual({ size, textSize, y, covered: [] })
        await expect.poll(() => brokenWords(page.locator('.toast > div'))).toEqual([])
        if (y === 0) await takeScreenshot(page, `toast-${name}-${size}-${textSize}`)
      }
    }
  }
  await setTextSize(page, 16)
}

it.each(['en', 'de', 'ar'])('covers no control with a toast, at any size: %s', async (language) => {
  const restaurant = await app.restaurant({ tables: rush })
  const page = await openBusyScreen(restaurant, language)
  await ask(restaurant, 'Patio 3')
  await page.locator('.toast').waitFor()
  await expectNothingCovered(page, `new-${language}`)
})

it('covers no control with a toast of many lines', async () => {
  const restaurant = await app.restaurant({ tables: rush })
  const page = await openBusyScreen(restaurant, 'en')
  await page.locator('.ticket [data-complete]').first().click()
  await page.clock.runFor(300)
  await page.locator('.toast').waitFor()
  await expectNothingCovered(page, 'long')
})

it('covers no control of an open drawer or dialog', async () => {
  const restaurant = await app.restaurant({ tables: rush })
  const page = await openBusyScreen(restaurant, 'en')
  await page.locator('.ticket-more').first().click()
  await page.clock.runFor(300)
  await page.getByRole('button', { name: 'Move to another table' }).waitFor()
  await ask(restaurant, 'Patio 3')
  await page.locator('.toast').waitFor()
  await expectNothingCovered(page, 'drawer')
  await page.getByRole('button', { name: 'Move to another table' }).click()
  await page.clock.runFor(300)
  await page.getByRole('dialog', { name: 'Move the party' }).waitFor()
  await expectNothingCovered(page, 'dialog')
  // A new request's toast that goes on offering to take the move back is the tallest one.
  await page.getByLabel(/^Move table .* to table$/u).fill('33')
  await page.keyboard.press('Enter')
  await page.locator('.toast', { hasText: 'moved to 33' }).waitFor()
  await ask(restaurant, 'Patio 3', 'check')
  await page.locator('.toast', { hasText: 'New Request' }).getByRole('button', { name: 'Undo' }).waitFor()
  await expectNothingCovered(page, 'move')
})
