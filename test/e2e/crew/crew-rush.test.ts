import { expect, it } from 'vitest'
import { setUpApp } from '../../support/app.ts'
import { addCrew } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen } from '../pages/crew-screen.ts'
import { button, press } from '../support/locators.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

const tabletUpright = { width: 820, height: 1180 }
const tabletOnItsSide = { width: 1180, height: 820 }

it('keeps the list of names open while a tablet is turned, and its filter', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  const names = ['Ada', 'Ben', 'Cleo', 'Dora', 'Emil', 'Fay', 'Gus', 'Hal', 'Ida', 'Jo', 'Kim', 'Leo', 'Maya']
  for (const name of names) await addCrew(restaurant.owner, name)
  const page = await openCrewScreen(app, restaurant, { viewport: tabletUpright })
  const drawer = page.getByRole('dialog', { name: 'Select Your Name' })
  for (const [before, after, title] of [
    [tabletUpright, tabletOnItsSide, '#requests:not(.sr-only)'],
    [tabletOnItsSide, tabletUpright, '#requests.sr-only'],
  ] as const) {
    await page.setViewportSize(before)
    await press(page, 'Select your name')
    await drawer.getByRole('searchbox').fill('may')
    await page.setViewportSize(after)
    await page.locator(title).waitFor({ state: 'attached' })
    await drawer.getByRole('radio', { name: 'Maya' }).waitFor()
    await expect.poll(() => drawer.getByRole('searchbox').inputValue()).toBe('may')
    // The button that opened it is gone: the focus goes to the one that this width has.
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await button(page, 'Select your name').and(page.locator(':focus')).waitFor()
  }
  await press(page, 'Select your name')
  await page.setViewportSize(tabletOnItsSide)
  await drawer.getByRole('radio', { name: 'Maya' }).click()
  await page.getByRole('heading', { name: 'Maya' }).waitFor()
  await drawer.waitFor({ state: 'detached' })
})
