import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pendingRequests } from '../../support/pages/crew-view.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { choose, setUpShift } from '../pages/shift-screens.ts'
import { lastingViolations } from '../support/accessibility.ts'
import { button, press, section, toast, whenToastsLoad } from '../support/locators.ts'
import { neverEscalate } from '../support/never-escalate.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'

const { app, restaurant, hire, ask, openCrew } = setUpShift()

/** Drags a ticket with the mouse, and keeps the button down. */
async function drag(page: Page, table: string, by: { x: number; y?: number }): Promise<void> {
  const box = await ticket(page, table).boundingBox()
  if (!box) throw new Error('The ticket is not on the screen')
  const { mouse } = page
  await mouse.move(box.x + 120, box.y + 20)
  await mouse.down()
  await mouse.move(box.x + 120 + by.x, box.y + 20 + (by.y ?? 0), { steps: 4 })
}

/** Strokes the screen with a finger, starting on a ticket. */
async function stroke(page: Page, table: string, by: { x: number; y: number }): Promise<void> {
  const box = await ticket(page, table).boundingBox()
  if (!box) throw new Error('The ticket is not on the screen')
  const glass = await page.context().newCDPSession(page)
  const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', part: number): Promise<void> => {
    const at = { x: box.x + 100 + by.x * part, y: box.y + 90 + by.y * part }
    await glass.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [at] })
  }
  await touch('touchStart', 0)
  for (const part of [0.2, 0.4, 0.6, 0.8, 1]) await touch('touchMove', part)
  await touch('touchEnd', 1)
}

it('completes by a swipe to the right, and still scrolls up and down', async () => {
  await neverEscalate(restaurant())
  // Before the page opens: the finger could touch a toast. So many that the page stays where it is when one goes.
  for (const table of ['1', '2', '3', '4', '5', '6', '7', '8']) await ask(table)
  const page = await openCrew({
    viewport: viewports.phone,
    hasTouch: true,
    isMobile: true,
    // The browser's warning when a toast tries to follow a finger that is already scrolling.
    tolerate: [/\/api\/auth\/user/, /Ignored attempt to cancel a touchmove/],
  })
  await page.getByText('8 Active').waitFor()
  // Whatever changes the list may make it ignore a finger for a moment.
  const unseen = async () =>
    (await pendingRequests(restaurant().device)).requests.filter(({ seen }) => seen === 0)
  await expect.poll(unseen).toEqual([])
  const top = (): Promise<number> => page.evaluate(() => scrollY)
  await page.evaluate(() => {
    addEventListener('scrollend', () => document.body.setAttribute('data-rests', ''), { once: true })
  })
  await stroke(page, '2', { x: 10, y: -200 })
  await page.locator('[data-rests]').waitFor()
  expect(await top()).toBeGreaterThan(100)
  // Momentum differs between browsers. No ticket may be above the viewport, or its removal would scroll the page.
  await page.evaluate(() => scrollTo(0, 150))
  const scrolled = await top()
  await stroke(page, '3', { x: 40, y: 4 })
  await page.getByText('8 Active').waitFor()
  await stroke(page, '3', { x: 150, y: 10 })
  await ticket(page, '3').waitFor({ state: 'detached' })
  await page.getByText('7 Active').waitFor()
  await expect.poll(async () => Math.abs((await top()) - scrolled)).toBeLessThan(60)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

it('completes by dragging with a mouse, and lists the keyboard shortcuts', async () => {
  const page = await openCrew()
  for (const table of ['1', '2', '3', '4']) await ask(table, table === '3' ? 'food' : 'drinks')
  await page.getByText('4 Active').waitFor()
  await drag(page, '1', { x: 50 })
  await takeScreenshots(page, 'swipe', ['desktop'])
  await page.mouse.up()
  await drag(page, '1', { x: -200 })
  await page.mouse.up()
  await page.getByText('4 Active').waitFor()
  // Releasing the button outside the ticket also ends the drag.
  await drag(page, '4', { x: 0, y: 20 })
  await page.mouse.move(4, 4)
  await page.mouse.up()
  const box = await ticket(page, '2').boundingBox()
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 20, { steps: 4 })
  expect(await page.locator('[data-dragged]').count()).toBe(0)
  await drag(page, '1', { x: 70 })
  await takeScreenshot(page, 'swipe-meant')
  await page.mouse.up()
  // It stays while the mouse is on it.
  await toast(page).getByText('Table 1 complete').hover()
  await page.getByText('3 Active').waitFor()
  await ticket(page, '1').waitFor({ state: 'detached' })
  await press(toast(page), 'Undo')
  await page.getByText('4 Active').waitFor()

  await page.locator('body').press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.getByText('Mark Complete').waitFor()
  expect(await lastingViolations(page)).toEqual([])
  await takeScreenshots(page, 'shortcuts', ['desktop'])
})

/** Once nothing moves any more on the page, whose time stops. */
async function watchLayouts(page: Page): Promise<() => Promise<number | undefined>> {
  await stopTime(page)
  // The end of a transition lays the page out, too: of what was pressed on the way here.
  const transitions = () =>
    page.evaluate(
      () => document.getAnimations().filter((animation) => animation instanceof CSSTransition).length,
    )
  await expect.poll(transitions).toBe(0)
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Performance.enable')
  return async () => {
    await page.evaluate(() => document.body.offsetHeight)
    const { metrics } = await devTools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'LayoutCount')?.value
  }
}

const opacityOf = (part: Locator): Promise<string> =>
  part.evaluate((element) => getComputedStyle(element).opacity)

it('shows that a ticket was tapped without laying the page out again', async () => {
  for (const table of ['1', '2']) await ask(table)
  const page = await openCrewScreen(app, restaurant(), { timed: true })
  const complete = button(ticket(page, '1'), 'Mark Complete')
  await complete.hover()
  const countLayouts = await watchLayouts(page)
  const before = await countLayouts()
  await page.mouse.down()
  await expect.poll(() => opacityOf(complete)).toBe('0.8')
  expect(await countLayouts()).toBe(before)
  // As a tap does, until the list follows.
  await ticket(page, '1').evaluate((element) => element.toggleAttribute('data-tapped'))
  await expect.poll(() => opacityOf(ticket(page, '1'))).toBe('0.5')
  expect(await countLayouts()).toBe(before)
})

it('shows that a button is pressed without laying the page out again', async () => {
  const page = await openCrewScreen(app, restaurant(), { timed: true })
  const sound = page.locator('.crew-header').getByRole('button', { name: /sound/iu })
  await sound.hover()
  const countLayouts = await watchLayouts(page)
  const before = await countLayouts()
  await page.mouse.down()
  await expect.poll(() => opacityOf(sound)).toBe('0.8')
  expect(await countLayouts()).toBe(before)
})

/** Counts a page's clicks, also those that the page ignores. */
const countClicks = (page: Page) =>
  page.addInitScript(() => {
    addEventListener(
      'click',
      () => {
        const root = document.documentElement
        root.dataset['clicks'] = `${Number(root.dataset['clicks'] ?? 0) + 1}`
      },
      { capture: true },
    )
  })

/** Taps twice where a control is, 200 ms apart, the second time once `appears` is there. */
async function tapTwice(page: Page, control: Locator, appears: Locator): Promise<void> {
  await control.click({ trial: true })
  const box = await control.boundingBox()
  if (!box) throw new Error('The control is not on the screen')
  const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }]
  const glass = await page.context().newCDPSession(page)
  const clicks = () => page.evaluate(() => Number(document.documentElement.dataset['clicks'] ?? 0))
  const tap = async (timestamp: number): Promise<void> => {
    const before = await clicks()
    await glass.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints, timestamp })
    await glass.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [], timestamp })
    await expect.poll(clicks).toBe(before + 1)
  }
  // However long this machine takes in between.
  const now = Date.now() / 1_000
  await tap(now)
  await appears.waitFor()
  await tap(now + 0.2)
}

/** The same by a mouse: on a ticket that has just moved there, a finger does nothing in any case. */
async function clickTwice(page: Page, control: Locator, appears: Locator): Promise<void> {
  await control.click()
  await appears.waitFor()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
}

it('does nothing at the second tap of a double tap, or for Enter that is held, on what has just appeared', async () => {
  await neverEscalate(restaurant())
  await hire('Maya')
  for (const table of ['1', '2', '3', '4', '5', '6']) await ask(table)
  const states = async () =>
    Object.fromEntries(
      (await pendingRequests(restaurant().device)).requests.map(({ tableNumber, state }) => [
        tableNumber,
        state,
      ]),
    )
  const waiting = { 1: 'waiting', 2: 'waiting', 3: 'waiting', 4: 'waiting', 5: 'waiting', 6: 'waiting' }
  const page = await openCrew({ viewport: viewports.phone, hasTouch: true, isMobile: true })
  await countClicks(page)
  await page.reload()
  await choose(page, 'Maya')
  await whenToastsLoad(page)

  const heard = section(page, 'Heard it?')
  await tapTwice(page, button(page, 'Start shift'), button(heard, 'Yes'))
  await expect.poll(() => button(heard, 'Yes').isEnabled()).toBe(true)
  await button(heard, 'Yes').tap()
  await heard.waitFor({ state: 'hidden' })

  await clickTwice(page, button(ticket(page, '2'), 'On my way'), button(ticket(page, '2'), 'Release'))
  await expect.poll(states).toEqual({ ...waiting, 2: 'accepted' })
  await clickTwice(page, button(ticket(page, '2'), 'Release'), button(ticket(page, '2'), 'On my way'))
  await expect.poll(states).toEqual(waiting)

  await clickTwice(page, button(page, 'More for table 1'), button(page, 'Move to another table'))
  const move = page.getByRole('dialog', { name: 'Move the party' })
  await tapTwice(page, button(page, 'Move to another table'), move)
  await expect.poll(() => move.isVisible()).toBe(true)
  await button(move, 'Close').tap()
  await move.waitFor({ state: 'hidden' })

  await press(ticket(page, '3'), 'Mark Complete')
  await tapTwice(page, button(toast(page), 'Undo'), ticket(page, '3'))
  await expect.poll(states).toEqual(waiting)

  await button(ticket(page, '1'), 'On my way').focus()
  await page.keyboard.down('Enter')
  await button(ticket(page, '1'), 'Mark Complete').and(page.locator(':focus')).waitFor()
  await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await press(ticket(page, '4'), 'Mark Complete')
  const { 4: _, ...others } = waiting
  await expect.poll(states).toEqual({ ...others, 1: 'accepted' })
})
