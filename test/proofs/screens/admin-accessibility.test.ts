import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { changeButton, openAdminPortal } from '../../e2e/pages/admin-portal.ts'
import {
  countLines,
  cutPlaceholders,
  overflowingElements,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../../e2e/support/accessibility.ts'
import { lastingProblems, button, section } from '../../e2e/support/locators.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../../e2e/support/screenshots.ts'
import { setUpApp } from '../../support/app.ts'
import { isLongRun } from '../../support/long-run.ts'
import { addCrew, assignTables, busyRestaurant, today } from '../../support/restaurants/busy-restaurant.ts'

const app = setUpApp()

/** Whether the second element is to the right of the first, on the same line. */
async function besides(left: Locator, right: Locator): Promise<boolean> {
  const [leftBox, rightBox] = [await left.boundingBox(), await right.boundingBox()]
  return (
    leftBox !== null &&
    rightBox !== null &&
    leftBox.x + leftBox.width <= rightBox.x &&
    leftBox.y < rightBox.y + rightBox.height
  )
}

describe('the Admin Portal is accessible', () => {
  it('empty, and full of people and tables', async () => {
    const fresh = await openAdminPortal(app, await app.restaurant({ name: 'Nothing Yet' }))
    expect(await lastingProblems(fresh)).toEqual([])
    const restaurant = await busyRestaurant(app)
    await restaurant.owner.ok(api.floor.setUp, {
      body: { setupType: 'custom', customTables: ['The long table on the terrace by the sea'] },
    })
    await addCrew(restaurant.owner, 'Wolfeschlegelsteinhausenbergerdorff The Younger')
    restaurant.ids['long'] = (await restaurant.owner.ok(api.crew.list, {})).at(-1)?.id ?? ''
    await assignTables(restaurant, today, {
      1: 'Maya Chen',
      2: 'long',
      'The long table on the terrace by the sea': 'long',
    })
    await restaurant.owner.ok(api.managers.setCredentials, {
      body: { username: 'sam', password: 'lantern-7' },
    })
    const page = await openAdminPortal(app, restaurant)
    await changeButton(page, '2').waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'admin-busy')
    await section(page, 'Tables').scrollIntoViewIfNeeded()
    for (const screen of ['phone', 'tablet', 'desktop'] as const) {
      await page.setViewportSize(viewports[screen])
      await section(page, 'Tables').evaluate((element) => element.scrollIntoView())
      await takeScreenshots(page, 'admin-tables', [screen])
      await section(page, 'User Management').evaluate((element) => element.scrollIntoView({ block: 'end' }))
      await takeScreenshots(page, 'admin-sections', [screen])
    }
    await page.setViewportSize({ width: 320, height: 640 })
    await setTextSize(page, 32)
    await section(page, 'Tables').evaluate((element) => element.scrollIntoView())
    await takeScreenshot(page, 'admin-tables-large-text')
    await expect.poll(() => cutPlaceholders(page)).toEqual([])
    // No cross to empty it takes room from the text of an empty search.
    const filter = page.getByLabel('Find tables')
    const takePictureAs = async (type: 'search' | 'text'): Promise<Buffer> => {
      await filter.evaluate((field, name) => field.setAttribute('type', name), type)
      return filter.screenshot()
    }
    // The page around it may still be moving during one of the two.
    const areAlike = async () => (await takePictureAs('search')).equals(await takePictureAs('text'))
    await expect.poll(areAlike).toBe(true)
  })

  it('in each section, at any size of text', async () => {
    const restaurant = await busyRestaurant(app)
    await restaurant.owner.ok(api.managers.setCredentials, {
      body: { username: 'sam', password: 'lantern-7' },
    })
    const page = await openAdminPortal(app, restaurant)
    const problems: string[] = []
    const sections = [
      ['floor', 'Host Stand'],
      ['crew', 'Crew'],
      ['codes', 'QR Code Management'],
      ['needs', 'As guests see it'],
      ['alerts', 'If nobody answers'],
      ['billing', 'Subscription Management'],
      ['people', 'Restaurant Password'],
      ['settings', 'Guest card'],
      ['audit-log', 'Activity'],
    ] as const
    for (const [index, [section, heading]] of sections.entries()) {
      await page.goto(`${app.url}/admin-dashboard/${section}`)
      await page.getByRole('heading', { name: heading }).first().waitFor()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      for (const textSize of [16, 32]) {
        await setTextSize(page, textSize)
        // `portal-sizes.test.ts` looks at the other size.
        const isLookedAt = isLongRun || (index % 2 === 0) === (textSize === 32)
        const found = [
          ...(isLookedAt ? await lastingViolations(page) : []),
          ...(textSize === 16 ? await overflowingElements(page) : []),
        ]
        problems.push(...found.map((problem) => `${section} at ${textSize}: ${problem}`))
        if (textSize === 16) await takeScreenshots(page, `admin-${section}`, ['phone', 'desktop'])
      }
    }
    expect(problems).toEqual([])
  })

  it('on a small phone, however long the names', async () => {
    const restaurant = await app.restaurant({
      name: 'Wirtshaus zum Goldenen Hirschen am Marktplatz gegenüber der alten Stadtkirche',
      tables: ['1', 'W'.repeat(40)],
    })
    const long = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3).slice(0, 80)
    await addCrew(restaurant.owner, long, 'Host')
    await restaurant.owner.ok(api.managers.setCredentials, {
      body: { username: 'm'.repeat(80), password: 'lantern-7' },
    })
    const page = await openAdminPortal(app, restaurant)
    await page.setViewportSize(viewports.smallPhone)
    await page.getByRole('checkbox', { name: long }).waitFor()
    expect(await overflowingElements(page, 360)).toEqual([])
    expect(await overflowingElements(page)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    const title = page.getByRole('heading', { level: 1 })
    await expect
      .poll(() => Promise.all([countLines(title), countLines(button(page, 'Sign Out'))]))
      .toEqual([1, 1])
    await expect.poll(() => besides(title, button(page, 'Sign Out'))).toBe(true)
    await expect
      .poll(() =>
        besides(page.getByRole('heading', { name: 'Table Management' }), button(page, 'Change Tables')),
      )
      .toBe(true)
  })
})
