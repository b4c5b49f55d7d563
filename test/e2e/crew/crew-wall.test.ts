import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { ServiceType } from '#contract/requests/requests.ts'
import { ticket } from '../pages/crew-screen.ts'
import { choose, setUpShift } from '../pages/shift-screens.ts'
import {
  brokenWordsOfAll,
  countLines,
  countLinesOfAll,
  overflowingElements,
  setTextSize,
  lastingViolations,
} from '../support/accessibility.ts'
import { openNetwork, serverAwayErrors } from '../support/browser.ts'
import { press } from '../support/locators.ts'
import { takeScreenshot } from '../support/screenshots.ts'

const { app, ask, hire, openCrew } = setUpShift()

const wall = {
  wide: { width: 1920, height: 1080 },
  tall: { width: 1080, height: 1920 },
}

/** The tickets whose text does not fit. */
const cutPlaces = (page: Page): Promise<string[]> =>
  page
    .locator('.wall-ticket')
    .evaluateAll((all) =>
      all
        .filter((item) => item.scrollHeight > item.clientHeight || item.scrollWidth > item.clientWidth)
        .map(({ textContent }) => textContent),
    )

it('shows who is on the way on a wall as narrow as a phone, and a request in large text', async () => {
  for (const table of ['1', '2', '3', '4']) await ask(table)
  const crew = await openCrew()
  for (const table of ['1', '2', '3']) await press(ticket(crew, table), 'On my way')
  const page = await openCrew({ viewport: { width: 390, height: 844 } }, '/waiter?display')
  await page.getByText('4 Active').waitFor()
  const onTheWay = page.getByRole('region', { name: 'On the way' })
  const heightOf = async (part: Locator): Promise<number> => (await part.boundingBox())?.height ?? 0
  await expect.poll(() => heightOf(onTheWay.getByText('+3 more'))).toBeGreaterThan(12)
  await expect.poll(() => heightOf(onTheWay.getByRole('listitem'))).toBeGreaterThan(44)
  await page.setViewportSize({ width: 844, height: 390 })
  await setTextSize(page, 32)
  await expect.poll(() => heightOf(page.locator('.wall-ticket'))).toBeGreaterThan(120)
  await expect.poll(() => cutPlaces(page)).toEqual([])
})

it('shows open requests on the wall, oldest first, and how many do not fit', async () => {
  await ask('By the fountain', 'assistance', 6)
  await ask('Patio 3', 'check', 0.6)
  await ask('12', 'food')
  await ask('7', 'general')
  const crew = await openCrew()
  const page = await openCrew({ viewport: wall.wide }, '/waiter?display')
  await page.getByText('4 Active').waitFor()
  const tables = (): Promise<string[]> => page.getByRole('heading', { level: 2 }).allTextContents()
  await expect.poll(tables).toEqual(['Table By the fountain', 'Table Patio 3', 'Table 12', 'Table 7'])
  await press(ticket(crew, '12'), 'On my way')
  await ticket(page, '12').getByText('Crew is on the way').waitFor()
  await expect.poll(() => page.getByRole('button').allInnerTexts()).toEqual(['Full screen', 'Leave display'])
  expect(await lastingViolations(page)).toEqual([])
  for (const [name, size] of Object.entries(wall)) {
    await page.setViewportSize(size)
    await takeScreenshot(page, `wall-few-${name}`)
  }

  const needsOf = (table: number): ServiceType => (table % 2 ? 'drinks' : 'check')
  for (let table = 13; table <= 20; table += 1) await ask(`${table}`, needsOf(table))
  await page.getByText('12 Active').waitFor()
  for (const size of Object.values(wall)) {
    await page.setViewportSize(size)
    await expect.poll(() => countLines(ticket(page, '20').locator('.wall-number'))).toBe(1)
    await expect.poll(() => cutPlaces(page)).toEqual([])
  }

  for (let table = 21; table <= 40; table += 1) await ask(`${table}`, needsOf(table))
  for (let table = 1; table <= 6; table += 1) await ask(`${table}`, 'other')
  await ask('8')
  await ask('9')
  for (const [name, size, more] of [
    ['wide', wall.wide, '+15 more'],
    ['tall', wall.tall, '+13 more'],
  ] as const) {
    await page.setViewportSize(size)
    await page.getByText(more, { exact: true }).waitFor()
    await takeScreenshot(page, `wall-many-${name}`)
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight > innerHeight))
      .toBe(false)
  }
  // Controls that fade out meanwhile have too little contrast for a moment.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await lastingViolations(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
  await page.mouse.move(100, 100)
  await press(page, 'Leave display')
  await page.getByRole('heading', { name: 'Crew Dashboard' }).waitFor()
  await expect.poll(() => page.url()).toBe(`${app.url}/waiter`)
})

it('breaks no name of a table on a wall of any size', async () => {
  await ask('Patio 3')
  for (let table = 1; table <= 15; table += 1) await ask(`${table}`)
  const page = await openCrew({ viewport: wall.wide }, '/waiter?display')
  await page.getByText('16 Active').waitFor()
  for (const viewport of [
    { width: 1920, height: 1080 },
    { width: 1440, height: 900 },
    { width: 1280, height: 720 },
    { width: 1024, height: 768 },
    { width: 844, height: 390 },
  ]) {
    await page.setViewportSize(viewport)
    await takeScreenshot(page, `wall-name-${viewport.width}`)
    const names = page.locator('.wall-number')
    const look = async () => ({
      viewport,
      lines: [...new Set(await countLinesOfAll(names))],
      broken: await brokenWordsOfAll(names),
    })
    await expect.poll(look).toEqual({ viewport, lines: [1], broken: [] })
  }
})

it('shows whole who is on the way where, and what is done, on a wall of any size and in large text', async () => {
  for (const table of ['Patio 3', 'By the fountain', '12', '7', '1', '2']) await ask(table, 'assistance')
  await hire('Maximiliane')
  const crew = await openCrew()
  await choose(crew, 'Maximiliane')
  for (const table of ['Patio 3', 'By the fountain', '12']) await press(ticket(crew, table), 'On my way')
  await press(ticket(crew, '1'), 'Mark Complete')
  await ticket(crew, '1').waitFor({ state: 'detached' })
  const page = await openCrew({ viewport: wall.wide }, '/waiter?display')
  await page.getByText('1 done today').waitFor()
  await page.getByText(/^half answered within \d+s$/u).waitFor()
  await press(ticket(crew, '2'), 'Mark Complete')
  await page.getByText('2 done today').waitFor()
  const lines = page.locator('.wall-line, .wall-done')
  await lines.nth(3).waitFor()
  for (const textSize of [16, 32])
    for (const viewport of [
      { width: 1920, height: 1080 },
      { width: 1440, height: 900 },
      { width: 1280, height: 720 },
      { width: 820, height: 1180 },
      { width: 390, height: 844 },
    ]) {
      await setTextSize(page, textSize)
      await page.setViewportSize(viewport)
      await takeScreenshot(page, `wall-line-${viewport.width}-${textSize}`)
      const look = async () => ({
        viewport,
        textSize,
        broken: await brokenWordsOfAll(lines),
        cut: await lines
          .locator('*')
          .evaluateAll((all) =>
            all
              .filter(({ clientWidth, scrollWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1)
              .map(({ textContent }) => textContent),
          ),
      })
      await expect.poll(look).toEqual({ viewport, textSize, broken: [], cut: [] })
    }
})

it('shows its controls over nothing but the clock and the name, whatever the size', async () => {
  const page = await openCrew({ viewport: wall.wide, reducedMotion: 'reduce' }, '/waiter?display')
  const covered = () =>
    page.evaluate(() => {
      const buttons = [...document.querySelectorAll('.wall-controls button')].map((each) =>
        each.getBoundingClientRect(),
      )
      const others = document.querySelectorAll('.wall > header > :not(.wall-end)')
      return [...others]
        .filter((other) => {
          const { left, right, top, bottom } = other.getBoundingClientRect()
          return buttons.some(
            (box) => box.left < right && left < box.right && box.top < bottom && top < box.bottom,
          )
        })
        .map(({ textContent }) => textContent)
    })
  for (const viewport of [
    ...Object.values(wall),
    { width: 1024, height: 768 },
    { width: 844, height: 390 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    await page.mouse.move(viewport.width / 2, viewport.height / 2)
    await page.locator('.wall[data-in-use]').waitFor()
    await takeScreenshot(page, `wall-controls-${viewport.width}`)
    await expect.poll(async () => ({ viewport, covered: await covered() })).toEqual({ viewport, covered: [] })
  }
})

it('hides the controls of a wall that nobody touches, and brings them back', async () => {
  const page = await openCrew({ viewport: wall.wide, hasTouch: true }, '/waiter?display')
  const controls = page.locator('.wall-controls')
  const opacity = () => controls.evaluate((element) => getComputedStyle(element).opacity)
  const become = async (value: string): Promise<void> => {
    await expect.poll(opacity).toBe(value)
  }
  const leave = page.getByRole('button', { name: 'Leave display' })
  await become('0')
  const { x = 0, y = 0 } = (await leave.boundingBox()) ?? {}
  // The first tap only brings them back.
  await page.touchscreen.tap(x + 20, y + 20)
  await become('1')
  expect(page.url()).toContain('display')
  await become('0')
  await page.mouse.move(100, 100)
  await become('1')
  await become('0')
  expect(await lastingViolations(page)).toEqual([])

  // The keyboard reaches them, and they stay while it does.
  await page.keyboard.press('Tab')
  await become('1')
  await leave.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Crew Dashboard' }).waitFor()
})

it('says across the room that it is lost, and not that nobody waits', async () => {
  const network = await openNetwork(app)
  const tolerate = [/\/api\//, ...serverAwayErrors]
  const page = await openCrew({ viewport: wall.wide, ...network.options, tolerate }, '/waiter?display')
  const nobodyWaits = page.getByText('No active requests')
  await nobodyWaits.waitFor()
  network.switchTo('away')
  const banner = page.locator('.offline')
  await banner.getByText(/^Last heard \d+s ago/u).waitFor()
  expect(await nobodyWaits.count()).toBe(0)
  await expect.poll(() => page.getByText('Reconnecting…').count()).toBe(1)
  for (const viewport of [wall.wide, { width: 1024, height: 768 }, wall.tall, { width: 844, height: 390 }]) {
    await page.setViewportSize(viewport)
    await takeScreenshot(page, `wall-lost-${viewport.width}`)
    const look = () =>
      banner.evaluate((element) => {
        const { left, width, bottom } = element.getBoundingClientRect()
        return {
          across: [left, width],
          isLarge: parseFloat(getComputedStyle(element).fontSize) >= 0.04 * Math.min(innerWidth, innerHeight),
          isWhole: element.scrollWidth <= element.clientWidth && bottom < innerHeight / 2,
        }
      })
    await expect.poll(look).toEqual({ across: [0, viewport.width], isLarge: true, isWhole: true })
  }
  expect(await lastingViolations(page)).toEqual([])
  network.switchTo('up')
  await nobodyWaits.waitFor()
  await banner.waitFor({ state: 'detached' })
})
