import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import {
  assignedCell,
  changeButton,
  crewField,
  focusedName,
  openAdminPortal,
  suggestion,
  suggestions,
} from '../../e2e/pages/admin-portal.ts'
import { signInAs } from '../../e2e/pages/sign-in.ts'
import { overflowingElements, lastingViolations } from '../../e2e/support/accessibility.ts'
import { openPage } from '../../e2e/support/browser.ts'
import { button, field, section } from '../../e2e/support/locators.ts'
import { takeScreenshots, viewports } from '../../e2e/support/screenshots.ts'
import { countCalls } from '../../e2e/support/work-done.ts'
import { setUpApp } from '../../support/app.ts'
import { addCrew, type Restaurant, today } from '../../support/restaurants/busy-restaurant.ts'

const app = setUpApp()

declare global {
  interface Window {
    addedCells: number[]
  }
}

const tableCount = 500
/** Two cells each for 96 tables, in whole rows. */
const mostAtOnce = 198
/** 75 of 300 are Hosts. */
const roles = ['Server', 'Server', 'Host', 'Busser'] as const

async function largeRestaurant(): Promise<Restaurant> {
  const restaurant = await app.restaurant()
  await restaurant.owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount } })
  const names = Array.from({ length: 300 }, (_, index) => `Crew Member ${String(index).padStart(3, '0')}`)
  const added = await Promise.all(
    names.map((name, index) => addCrew(restaurant.owner, name, roles[index % roles.length])),
  )
  const crew = added.map(({ id }) => id)
  const tables = await restaurant.owner.ok(api.floor.tables, {})
  const pairs = tables
    .slice(0, 400)
    .map(({ id }, index) => ({ tableId: id, crewMemberId: crew[index % 300] ?? null }))
  await restaurant.owner.ok(api.floor.assign, { body: { date: today, assignments: pairs } })
  return restaurant
}

/** How many cells of the grid each change of the page adds, from the next page on. */
async function recordAddedCells(page: Page): Promise<() => Promise<number[]>> {
  await page.addInitScript(() => {
    window.addedCells = []
    new MutationObserver((changes) => {
      const cell = '[role=gridcell]'
      const added = changes
        .flatMap(({ addedNodes }) => [...addedNodes].filter((node) => node instanceof Element))
        .map((node) => node.querySelectorAll(cell).length + Number(node.matches(cell)))
        .reduce((sum, count) => sum + count, 0)
      if (added > 0) window.addedCells.push(added)
    }).observe(document, { childList: true, subtree: true })
  })
  return () => page.evaluate(() => window.addedCells.splice(0))
}

/** What makes scrolling slow: what has a place or an outline of its own in the grid, and how much there is of a table. */
const countLayers = (page: Page): Promise<{ layers: number; mostElements: number }> =>
  page.getByRole('grid').evaluate((grid) => {
    const styles = [...grid.querySelectorAll('[role=row] *')].map((element) => getComputedStyle(element))
    const counts = [...grid.querySelectorAll('[role=row] > *')].map(
      (table) => table.querySelectorAll('*').length,
    )
    return {
      layers: styles.filter(({ position, clipPath }) => position !== 'static' || clipPath !== 'none').length,
      mostElements: Math.max(...counts),
    }
  })

it('500 tables are shown step by step, and each of them once', async () => {
  const restaurant = await largeRestaurant()
  const page = await openPage({ viewport: viewports.desktop })
  await signInAs(page, app, restaurant.owner)
  const addedCells = await recordAddedCells(page)
  await page.goto(`${app.url}/admin-dashboard/floor`)
  const cells = page.locator('[role=gridcell]')
  await expect.poll(() => cells.count()).toBe(2 * tableCount)
  await expect.poll(() => countLayers(page)).toEqual({ layers: 0, mostElements: 9 })
  const opening = await addedCells()
  expect(Math.max(...opening)).toBeLessThanOrEqual(mostAtOnce)
  expect(opening.reduce((sum, count) => sum + count, 0)).toBe(2 * tableCount)

  await field(page, 'Find tables').fill('499')
  await expect.poll(() => cells.count()).toBe(2)
  await addedCells()
  await field(page, 'Find tables').fill('')
  await expect.poll(() => cells.count()).toBe(2 * tableCount)
  expect(Math.max(...(await addedCells()))).toBeLessThanOrEqual(mostAtOnce)
})

it('500 tables, 300 crew and 75 Hosts stay responsive', async () => {
  const page = await openAdminPortal(app, await largeRestaurant())
  await changeButton(page, '400').waitFor()
  await crewField(page, '450').click()
  await suggestion(page, /Crew Member 000/).waitFor()
  await expect.poll(() => suggestions(page).count()).toBe(30)
  // Typing in one cell must not render any other cell again.
  const others = await page.evaluateHandle(() => {
    const input = document.activeElement
    if (!(input instanceof HTMLInputElement)) throw new Error('No text field has the focus')
    const [grid, own] = [input.closest('[role="grid"]'), input.closest('[data-cell]')]
    const changed: string[] = []
    const observer = new MutationObserver((changes) => {
      for (const { target } of changes)
        if (!target.contains(own) && !own?.contains(target)) changed.push(target.nodeName)
    })
    if (grid)
      observer.observe(grid, { subtree: true, childList: true, attributes: true, characterData: true })
    return { changed, observer }
  })
  const callsSoFar = await countCalls(page)
  const keystrokes: number[] = []
  for (const text of [
    'C',
    'Cr',
    'Cre',
    'Crew',
    'Crew Member 1',
    'Crew Member 12',
    'Crew Member 123',
    'x',
    '',
  ]) {
    await callsSoFar()
    await page.evaluate((text) => {
      const input = document.activeElement
      if (!(input instanceof HTMLInputElement)) throw new Error('The text field has lost the focus')
      input.setRangeText(text, 0, input.value.length, 'end')
      input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }))
    }, text)
    keystrokes.push(await callsSoFar())
  }
  const changedElsewhere = await others.evaluate(({ changed, observer }) => {
    observer.disconnect()
    return changed
  })
  expect(changedElsewhere).toEqual([])
  // To render every cell again takes more than 200,000.
  expect(Math.max(...keystrokes)).toBeLessThan(100_000)
  await page.keyboard.type('crew member 123')
  await page.keyboard.press('Enter')
  await assignedCell(page, '450').getByText('Crew Member 123').waitFor()
  await page.keyboard.press('Control+Home')
  await expect.poll(() => focusedName(page)).toBe('Change crew of table 1')
  const steps: number[] = []
  for (let step = 0; step < 20; step += 1) {
    await callsSoFar()
    await page.keyboard.press('ArrowDown')
    steps.push(await callsSoFar())
  }
  expect(Math.max(...steps)).toBeLessThan(20_000)
  await field(page, 'Find tables').fill('499')
  await expect.poll(() => page.getByRole('gridcell').count()).toBe(2)
  await field(page, 'Find crew members').fill('member 299')
  await button(page, 'Remove Crew Member 299').waitFor()
  await field(page, 'Find hosts').fill('member 298')
  await expect.poll(() => section(page, 'Host Stand').getByRole('checkbox').count()).toBe(1)
  await field(page, 'Find tables').fill('')
  await field(page, 'Find crew members').fill('')
  await expect.poll(() => page.getByRole('gridcell').count()).toBe(1000)
  await page.evaluate(() => scrollTo(0, 0))
  expect(await lastingViolations(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
  await section(page, 'Tables').evaluate((element) => element.scrollIntoView())
  await takeScreenshots(page, 'admin-large')
})
