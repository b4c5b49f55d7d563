import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { connectScreen } from '../../support/pages/crew-view.ts'
import {
  addCrew,
  assignmentsOf,
  assignTables,
  type BusyRestaurant,
  busyRestaurant,
  tablesBySection,
  today,
} from '../../support/restaurants/busy-restaurant.ts'
import { openAdminPortal } from '../pages/admin-portal.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import {
  brokenParts,
  overflowingElements,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../support/accessibility.ts'
import { button, field, press, section, waitForToast } from '../support/locators.ts'
import { neverEscalate } from '../support/never-escalate.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false })

/** From the top, where the links that stay in view cover nothing. */
const problems = async (page: Page): Promise<unknown[]> => [
  ...(await page.evaluate(() => scrollTo(0, 0)).then(() => [])),
  ...(await lastingViolations(page)),
  ...(await smallTargets(page)),
  ...(await overflowingElements(page)),
]

const tableButton = (page: Page, number: string) =>
  section(page, 'Sections').getByRole('button', { name: new RegExp(`^Table ${number}(?:$|,)`, 'u') })

async function addSection(page: Page, name: string): Promise<void> {
  await field(page, 'Section Name').fill(name)
  await press(page, 'Add Section')
  await section(page, name).waitFor()
}

/** Runs in the page: how many pixels the chosen option leaves of its field. */
function roomBesideChoice(field: Element): number {
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen || !(field instanceof HTMLSelectElement)) return NaN
  const { fontWeight, fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(field)
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`
  const words = pen.measureText(field.selectedOptions[0]?.text ?? '').width
  return field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - words
}

const ask = (restaurant: BusyRestaurant, tableNumber: string) =>
  app.browser().ok(api.requests.send, {
    body: { restaurantId: restaurant.name, tableNumber, serviceType: 'drinks' },
  })

/** Whether all of the control with the focus can be seen. */
const isFocusInView = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const control = document.activeElement
    if (!control) return false
    const { left, top, right, bottom } = control.getBoundingClientRect()
    return [top + 1, bottom - 1].every((y) =>
      control.contains(document.elementFromPoint((left + right) / 2, y)),
    )
  })

async function drag(page: Page, from: string, to: string, steps: number): Promise<void> {
  const start = await tableButton(page, from).boundingBox()
  const end = await tableButton(page, to).boundingBox()
  if (!start || !end) throw new Error('The tables are not shown')
  await page.mouse.move(start.x + 20, start.y + 20)
  await page.mouse.down()
  await page.mouse.move(end.x + 20, end.y + 20, { steps })
  await page.mouse.up()
}

describe('sections', () => {
  it('divide the floor and are assigned as a whole; each crew screen shows one, and what calls it', async () => {
    const restaurant = await busyRestaurant(app)
    const page = await openAdminPortal(app, restaurant, '/admin-dashboard/floor')
    await addSection(page, 'Terrace')
    await addSection(page, 'Bar')
    // A mouse dragged across tables chooses them.
    await tableButton(page, '12').scrollIntoViewIfNeeded()
    await drag(page, '1', '3', 20)
    await section(page, 'Sections').getByText('Move 3 tables to').waitFor()
    await button(section(page, 'Sections'), 'Terrace').click()
    await waitForToast(page, '3 tables moved to Terrace')
    for (const number of ['4', '5']) await tableButton(page, number).click()
    await page.keyboard.press('2')
    await waitForToast(page, '2 tables moved to Bar')
    await expect
      .poll(() => tablesBySection(restaurant))
      .toEqual({ Terrace: ['1', '2', '3'], Bar: ['4', '5'] })
    expect(await problems(page)).toEqual([])
    await section(page, 'Sections').scrollIntoViewIfNeeded()
    await takeScreenshots(page, 'sections-list')

    await press(page, 'Assign Terrace')
    await field(page, 'Crew Member').selectOption({ label: 'Maya Chen (Server)' })
    await button(page.getByRole('dialog'), 'Assign').click()
    await waitForToast(page, 'Terrace: Maya Chen')
    await press(page, 'Assign Bar')
    await field(page, 'Crew Member').selectOption({ label: 'Tom Novak (Server)' })
    await button(page.getByRole('dialog'), 'Assign').click()
    await waitForToast(page, 'Bar: Tom Novak')
    const [maya, tom] = ['Maya Chen', 'Tom Novak']
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: maya, 2: maya, 3: maya, 4: tom, 5: tom })
    // Each table is called by its number and who has it, as it is shown.
    await button(page, 'Table 1, Maya Chen').waitFor()
    expect(await lastingViolations(page, '[data-table]')).toEqual([])
    await press(page, 'Map')
    await button(page, 'Table 1, Maya Chen, Terrace').waitFor()
    expect(await lastingViolations(page, '[data-table]')).toEqual([])
    await press(page, 'List')

    const mayas = await openCrewScreen(app, restaurant, { name: 'Maya Chen' })
    const toms = await openCrewScreen(app, restaurant, { name: 'Tom Novak' })
    await mayas.getByLabel('Section', { exact: true }).selectOption('Terrace')
    await ask(restaurant, '1')
    await ticket(mayas, '1').waitFor()
    await ticket(toms, '1').waitFor()
    // The count of those elsewhere moves no ticket.
    await mayas.setViewportSize({ width: 320, height: 640 })
    // Media queries are evaluated for the new size in the next frame.
    await mayas.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    )
    const listTop = async () => (await mayas.locator('.tickets').boundingBox())?.y
    const top = await listTop()
    await ask(restaurant, '4')
    await ticket(toms, '4').waitFor()
    await button(mayas, '1 elsewhere. Show all sections').waitFor()
    await expect.poll(() => ticket(mayas, '4').count()).toBe(0)
    await expect.poll(listTop).toBe(top)
    await mayas.setViewportSize(viewports.tablet)
    await expect.poll(() => mayas.title()).toContain('(2)')
    expect(await problems(mayas)).toEqual([])
    await takeScreenshots(mayas, 'sections-filter')
    // When all crew are called, the filter hides it no longer.
    app.advance(41_000)
    await ticket(mayas, '4').waitFor()
    await mayas.reload()
    await ticket(mayas, '1').waitFor()
    const chosen = mayas.getByLabel('Section', { exact: true }).locator('option:checked')
    await expect.poll(() => chosen.textContent()).toBe('Terrace')
    // Were Tom’s screen not listening, everybody would be called.
    const restaurantId = await app.idOf(restaurant)
    const listeners = () => [...app.ctx.presence(restaurantId).listeners]
    await expect.poll(listeners).toContain(restaurant.ids['Tom Novak'])
    await ask(restaurant, '5')
    await button(mayas, '1 elsewhere. Show all sections').waitFor()
    await expect.poll(() => ticket(mayas, '5').count()).toBe(0)
  })

  it('reach crew screens that are open, as do assignments', async () => {
    const restaurant = await busyRestaurant(app)
    await neverEscalate(restaurant)
    const { owner } = restaurant
    await assignTables(restaurant, today, { 1: 'Maya Chen', 7: 'Tom Novak' })
    // What calls everybody is shown in every section.
    const toms = await connectScreen(restaurant.device, restaurant.ids['Tom Novak'])
    await toms.request({ type: 'listening', sound: true, push: false })
    const mayas = await openCrewScreen(app, restaurant, { name: 'Maya Chen' })
    const myTables = mayas.getByRole('list', { name: 'My tables' }).first().getByRole('listitem')
    await expect.poll(() => myTables.allTextContents()).toEqual(['1'])
    await ask(restaurant, '5')
    await ticket(mayas, '5').waitFor()
    const isMine = ticket(mayas, '5').getByText('your table', { exact: true })
    expect(await isMine.count()).toBe(0)

    // The owner gives Maya another table.
    await assignTables(restaurant, today, { 1: 'Tom Novak', 5: 'Maya Chen' })
    await expect.poll(() => myTables.allTextContents()).toEqual(['5'])
    await isMine.waitFor()

    // The weekly pattern gives back what it says.
    const weekday = Temporal.PlainDate.from(today).dayOfWeek - 1
    await owner.ok(api.weeklyPattern.save, { body: { sourceDate: today, weekdays: [weekday] } })
    await assignTables(restaurant, today, { 5: 'Tom Novak' })
    await expect.poll(() => myTables.count()).toBe(0)
    await owner.ok(api.weeklyPattern.resume, { body: { date: today } })
    await expect.poll(() => myTables.allTextContents()).toEqual(['5'])

    const choice = mayas.getByLabel('Section', { exact: true })
    expect(await choice.count()).toBe(0)
    const { id: sectionId } = await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
    await choice.selectOption('Terrace')
    await ask(restaurant, '7')
    await button(mayas, '1 elsewhere. Show all sections').waitFor()
    const tables = await owner.ok(api.floor.tables, {})
    const tableId = tables.find(({ tableNumber }) => tableNumber === '7')?.id ?? ''
    await owner.ok(api.sections.arrange, { body: { tables: [{ tableId, sectionId }] } })
    await ticket(mayas, '7').waitFor()
  })

  it('filter the wall, which counts what is elsewhere', async () => {
    const restaurant = await busyRestaurant(app)
    await neverEscalate(restaurant)
    const { id: sectionId } = await restaurant.owner.ok(api.sections.add, { body: { name: 'Terrace' } })
    const [table1] = await restaurant.owner.ok(api.floor.tables, {})
    await restaurant.owner.ok(api.sections.arrange, {
      body: { tables: [{ tableId: table1?.id ?? '', sectionId }] },
    })
    // What calls everybody is shown on every wall.
    await assignTables(restaurant, today, { 7: 'Tom Novak' })
    const toms = await connectScreen(restaurant.device, restaurant.ids['Tom Novak'])
    await toms.request({ type: 'listening', sound: true, push: false })
    const wall = await openCrewScreen(app, restaurant, { path: '/waiter?display' })
    await ask(restaurant, '7')
    await ticket(wall, '7').waitFor()
    await wall.getByLabel('Section', { exact: true }).selectOption('Terrace')
    await wall.getByText('1 elsewhere', { exact: true }).first().waitFor()
    await expect.poll(() => ticket(wall, '7').count()).toBe(0)
    await ask(restaurant, '1')
    await ticket(wall, '1').waitFor()
    await wall.getByText('2 Active').waitFor()
    expect(await problems(wall)).toEqual([])
    await takeScreenshots(wall, 'sections-wall')
    // A wall stays open for weeks: it follows what the owner changes.
    const table7 = (await restaurant.owner.ok(api.floor.tables, {})).find(
      ({ tableNumber }) => tableNumber === '7',
    )
    const tableId = table7?.id ?? ''
    await restaurant.owner.ok(api.sections.arrange, { body: { tables: [{ tableId, sectionId }] } })
    await ticket(wall, '7').waitFor()
    await restaurant.owner.ok(api.sections.arrange, { body: { tables: [{ tableId, sectionId: null }] } })
    await expect.poll(() => ticket(wall, '7').count()).toBe(0)
    await button(wall, '1 elsewhere. Show all sections').click()
    await ticket(wall, '7').waitFor()
    const choice = wall.getByLabel('Section', { exact: true })
    for (const [width, textSize] of [
      [390, 16],
      [1440, 32],
    ] as const) {
      await setTextSize(wall, textSize)
      await wall.setViewportSize({ width, height: 900 })
      await expect.poll(() => choice.evaluate(roomBesideChoice)).toBeGreaterThanOrEqual(0)
    }
  })

  it('have a map on which tables are dragged, pressed into place, or moved with the keyboard', async () => {
    const restaurant = await busyRestaurant(app)
    const page = await openAdminPortal(app, restaurant, '/admin-dashboard/floor')
    await addSection(page, 'Terrace')
    await addSection(page, 'Bar')
    await press(page, 'Map')
    const map = page.getByRole('group', { name: 'Map of the floor' })
    await map.scrollIntoViewIfNeeded()
    const placeOf = async (number: string) => {
      const { tables } = await restaurant.owner.ok(api.tables.plan, {})
      return tables.find(({ tableNumber }) => tableNumber === number)?.place
    }
    const box = await map.boundingBox()
    if (!box) throw new Error('The map is not shown')
    // Tables 1 to 12 stand in four columns of three.
    const center = (x: number, y: number): [number, number] => [box.x + x * 80 + 40, box.y + y * 80 + 40]
    await page.mouse.move(...center(0, 0))
    await page.mouse.down()
    await page.mouse.move(...center(6, 1), { steps: 8 })
    await page.mouse.up()
    await expect.poll(() => placeOf('1')).toEqual({ x: 6, y: 1 })
    await expect.poll(() => placeOf('2')).toEqual({ x: 1, y: 0 })

    await tableButton(page, '2').click()
    await page.mouse.click(...center(5, 1))
    await expect.poll(() => placeOf('2')).toEqual({ x: 5, y: 1 })
    await tableButton(page, '2').focus()
    await page.keyboard.press('Shift+ArrowDown')
    await expect.poll(() => placeOf('2')).toEqual({ x: 5, y: 2 })
    await page.keyboard.press('1')
    await waitForToast(page, 'Table 2 moved to Terrace')

    // A rectangle chooses what it touches.
    await page.mouse.move(...center(0, 3))
    await page.mouse.down()
    await page.mouse.move(...center(1, 1), { steps: 8 })
    await page.mouse.up()
    await section(page, 'Sections')
      .getByText(/^Move \d tables to$/u)
      .waitFor()
    await button(section(page, 'Sections'), 'Bar').click()
    await expect.poll(async () => (await tablesBySection(restaurant))['Bar']).toEqual(['5', '6', '9', '10'])
    // Dropped among the tables of another section, a table joins it.
    const ofBar = async () => (await tablesBySection(restaurant))['Bar']
    await drag(page, '1', '5', 8)
    await waitForToast(page, 'Table 1 moved to Bar')
    await press(page, 'Undo')
    await expect.poll(ofBar).not.toContain('1')
    await expect.poll(() => placeOf('1')).toEqual({ x: 6, y: 1 })
    await drag(page, '1', '5', 8)
    await expect.poll(ofBar).toContain('1')
    expect(await problems(page)).toEqual([])
    await takeScreenshots(page, 'sections-map')
  })

  it('show the names of their tables whole, on the map too, where each keeps its place', async () => {
    const names = [
      '7',
      'Terrassenplatz 12',
      'By the old apple tree behind the kitchen',
      'Kaminzimmertische',
      'By the window 3',
    ]
    // Those of other texts may break.
    const wordsOfNames = new RegExp(
      String.raw`(?<!\S)(?:${names.join(' ').replaceAll(' ', '|')})(?!\S)`,
      'gu',
    )
    const restaurant = await app.restaurant({ tables: names })
    const tables = await restaurant.owner.ok(api.floor.tables, {})
    const { id: crewMemberId } = await addCrew(restaurant.owner, 'Maximiliana-Theodora Sonnenschein')
    const assignments = tables.map(({ id }) => ({ tableId: id, crewMemberId }))
    await restaurant.owner.ok(api.floor.assign, { body: { date: today, assignments } })
    const page = await openAdminPortal(app, restaurant, '/admin-dashboard/floor')
    const shown = async (container: Locator): Promise<unknown[]> => [
      ...(await brokenParts(container, wordsOfNames)),
      ...(await container.locator('[data-table], [data-cell$=crew]').evaluateAll((all) =>
        all.flatMap((element) => {
          const words = document.createRange()
          words.selectNodeContents(element.querySelector('bdi') ?? element)
          // In the grid, a name may stand above the button beside its cell.
          const card = element.closest('[role=row] > *') ?? element
          const [inner, outer] = [words.getBoundingClientRect(), card.getBoundingClientRect()]
          const fits =
            inner.left >= outer.left &&
            inner.right <= outer.right &&
            inner.top >= outer.top &&
            inner.bottom <= outer.bottom
          return fits ? [] : [element.textContent]
        }),
      )),
    ]
    await addSection(page, 'Terrace')
    const grid = page.getByRole('grid', { name: 'Table assignments' })
    const sections = section(page, 'Sections')
    await grid.getByText('Kaminzimmertische').waitFor()
    for (const view of ['List', 'Map'])
      for (const [width, size] of [
        [320, 16],
        [320, 32],
        [390, 32],
        [1440, 32],
        [1440, 16],
      ] as const) {
        await press(page, view)
        await page.setViewportSize({ width, height: 900 })
        await setTextSize(page, size)
        const message = `${view}, ${width} wide, text of ${size}`
        await expect.poll(() => shown(grid), { message }).toEqual([])
        await expect.poll(() => shown(sections), { message }).toEqual([])
        expect(await overflowingElements(page, width)).toEqual([])
        await takeScreenshot(page, `long-names-${view}-${width}-${size}`, { fullPage: true })
      }

    // No word has a line of its own where two fit together.
    const linesOf = (name: string): Promise<number> =>
      tableButton(page, name)
        .locator('bdi')
        .first()
        .evaluate((element) => {
          const words = document.createRange()
          words.selectNodeContents(element)
          return new Set([...words.getClientRects()].map(({ top }) => Math.round(top))).size
        })
    await expect.poll(() => linesOf('By the old apple tree behind the kitchen')).toBeLessThanOrEqual(4)
    await expect.poll(() => linesOf('By the window 3')).toBeLessThanOrEqual(2)

    // Beside the wide columns of the long names, a place is where it is pressed.
    const map = page.getByRole('group', { name: 'Map of the floor' })
    const lastColumn = await map.evaluate((element) => {
      const sizes = getComputedStyle(element).gridTemplateColumns.split(' ').map(Number.parseFloat)
      return { index: sizes.length - 1, fromEnd: (sizes.at(-1) ?? 0) / 2 }
    })
    await tableButton(page, '7').click()
    const { width = 0 } = (await map.boundingBox()) ?? {}
    await map.click({ position: { x: width - lastColumn.fromEnd, y: 20 } })
    const placeOfSeven = async () => {
      const plan = await restaurant.owner.ok(api.tables.plan, {})
      return plan.tables.find(({ tableNumber }) => tableNumber === '7')?.place
    }
    await expect.poll(placeOfSeven).toEqual({ x: lastColumn.index, y: 0 })
  })

  it('fit a narrow screen, also with large text', async () => {
    const restaurant = await busyRestaurant(app)
    const page = await openAdminPortal(app, restaurant, '/admin-dashboard/floor')
    await addSection(page, 'The long terrace by the fountain, shaded')
    await tableButton(page, '1').click()
    await page.keyboard.press('1')
    for (const view of ['List', 'Map']) {
      await press(page, view)
      await tableButton(page, '2').click()
      await page.setViewportSize({ width: 320, height: 640 })
      await page.evaluate(() => scrollTo(0, 0))
      expect([...(await lastingViolations(page)), ...(await overflowingElements(page))]).toEqual([])
      await section(page, 'Sections').scrollIntoViewIfNeeded()
      await takeScreenshots(page, `sections-narrow-${view}`, ['smallPhone'])
      await setTextSize(page, 32)
      await expect
        .poll(() =>
          section(page, 'Sections').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
        )
        .toBe(0)
      await takeScreenshots(page, `sections-large-${view}`, ['smallPhone'])
      await setTextSize(page, 16)
      await page.setViewportSize(viewports.desktop)
      await button(section(page, 'Sections'), 'Clear').click()
    }
  })

  it.each([
    ['List', 'phone', viewports.phone],
    ['Map', 'phone', viewports.phone],
    ['List', 'phone on its side', { width: 844, height: 390 }],
  ])(
    'show all of the table that gets the focus while others are chosen: %s, %s',
    async (view, _, viewport) => {
      const restaurant = await busyRestaurant(app)
      for (const name of ['Terrace', 'Bar', 'Garden', 'Hall', 'By the window'])
        await restaurant.owner.ok(api.sections.add, { body: { name } })
      const page = await openAdminPortal(app, restaurant, '/admin-dashboard/floor')
      await page.setViewportSize(viewport)
      await press(page, view)
      await tableButton(page, '1').click()
      const targets = page.getByRole('group', { name: 'Move chosen tables' })
      await targets.waitFor()
      await tableButton(page, '1').focus()
      for (const key of [...Array(11).fill('ArrowDown'), ...Array(11).fill('ArrowUp')]) {
        await page.keyboard.press(key)
        await expect.poll(() => isFocusInView(page)).toBe(true)
      }
      // Chosen by keyboard right above the edge that its targets now cover.
      await press(targets, 'Clear')
      await tableButton(page, '12').focus()
      await page.evaluate(() => {
        const { bottom } = document.activeElement?.getBoundingClientRect() ?? { bottom: 0 }
        scrollBy(0, bottom - innerHeight + 8)
      })
      await page.keyboard.press('Space')
      await targets.waitFor()
      await expect.poll(() => isFocusInView(page)).toBe(true)
    },
  )
})
