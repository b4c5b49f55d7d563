import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { setUpApp } from '../../support/app.ts'
import { addCrew } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen } from '../pages/crew-screen.ts'
import { setTextSize } from '../support/accessibility.ts'
import { press } from '../support/locators.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

const landscape = { width: 844, height: 390 }

const boxOf = async (part: Locator) =>
  (await part.boundingBox()) ?? { x: NaN, y: NaN, width: NaN, height: NaN }

it('says that nobody waits above the bar of a phone on its side, in large text too', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  await addCrew(restaurant.owner, 'Maya Chen')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: landscape })
  await press(page, 'Not now')
  const words = page.getByText('No active requests')
  for (const textSize of [16, 32]) {
    await setTextSize(page, textSize)
    const room = async (): Promise<number> => {
      const { y, height } = await boxOf(words)
      return (await boxOf(page.locator('.crew-nav'))).y - (y + height)
    }
    await expect.poll(room).toBeGreaterThan(0)
  }
})
