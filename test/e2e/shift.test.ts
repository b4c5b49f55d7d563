import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import type { ServiceType } from '#contract/requests.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { countLines, overflowingElements, smallTargets, violations } from './support/accessibility.ts'
import { openPage, type PageOptions, serverAwayErrors } from './support/browser.ts'
import { answerPushSubscription, fakePushSubscription } from './support/fake-push-manager.ts'
import { press, toast } from './support/locators.ts'
import { viewports, takeScreenshots } from './support/screenshots.ts'
import { signInToRestaurant } from './support/sign-in.ts'

const patiently = { timeout: 10_000 }

let app: TestApp
let restaurant: Awaited<ReturnType<TestApp['restaurant']>>

beforeAll(async () => {
  app = await startTestApp({ guestLimits: false })
})
afterAll(() => app.stop())
beforeEach(async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `${index + 1}`)
  restaurant = await app.restaurant({ tables: [...numbers, 'Patio 3', 'By the fountain'] })
})

const hire = (name: string, role: CrewMember['role'] = 'Server') =>
  restaurant.owner.ok(api.crew.add, { body: { name, role } })

async function ask(tableNumber: string, serviceType: ServiceType = 'drinks', minutesAgo = 0): Promise<void> {
  app.advance(-minutesAgo * 60_000)
  await app.browser().ok(api.requests.send, {
    body: { id: randomUUID(), restaurantId: restaurant.name, tableNumber, serviceType },
  })
  app.advance(minutesAgo * 60_000)
}

async function openCrew(options: PageOptions = {}, path = '/waiter'): Promise<Page> {
  const page = await openPage({ viewport: viewports.desktop, tolerate: [/\/api\/auth\/user/], ...options })
  await signInToRestaurant(page, app, restaurant)
  await page.context().grantPermissions(['screen-wake-lock'])
  await page.goto(`${app.url}${path}`)
  await page.getByText('Live', { exact: true }).waitFor()
  return page
}

async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Select your name' }).first().click()
  await page.getByRole('radio', { name }).click()
}

const ticket = (page: Page, table: string): Locator =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: `Table ${table}`, exact: true }) })

/** A small phone, and a tablet in portrait. */
const sizes = { small: { width: 360, height: 640 }, upright: { width: 820, height: 1180 } }

/** Returns the last `listening` message that the page sent. */
function listening(page: Page): () => unknown {
  let last: unknown
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const { ref: _, ...message } = JSON.parse(String(payload)) as { type: string; ref?: string }
      if (message.type === 'listening') last = message
    }),
  )
  return () => last
}

it("begins a shift with one tap, stands in nobody's way, and ends it", async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone })
  const told = listening(page)
  await page.reload()
  await choose(page, 'Maya')
  const card = page.getByRole('region', { name: 'Ready to serve?' })
  await card.waitFor()
  expect(await violations(page)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
  await takeScreenshots(page, 'shift-offer', ['phone', 'tablet'])

  // Requests can still be served meanwhile, and the card may be closed.
  await ask('4', 'check')
  await press(ticket(page, '4'), 'On my way')
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    await page.screenshot({ path: `test/e2e/pictures/shift-offer-${name}.png` })
  }
  await page.setViewportSize(viewports.phone)
  await press(card, 'Not now')
  await card.waitFor({ state: 'hidden' })
  await press(page, 'Me')
  await press(page, 'Start shift')
  const question = page.getByRole('region', { name: 'Heard it?' })
  await press(question, 'No')
  await question.getByText('Turn the volume up').waitFor()
  expect(await violations(page)).toEqual([])
  await takeScreenshots(page, 'shift-unheard', ['phone'])
  await press(question, 'Play again')
  await press(question, 'Yes')
  await question.waitFor({ state: 'hidden' })
  await expect.poll(told, patiently).toEqual({ type: 'listening', sound: true, push: false, visible: true })

  await page.getByRole('button', { name: 'Alerts on this phone off' }).click()
  const drawer = page.getByRole('dialog', { name: 'This screen' })
  await drawer.getByText('Screen stays on').waitFor()
  await drawer.getByText('Sound on').waitFor()
  await drawer.getByText('Live').waitFor()
  expect(await violations(page)).toEqual([])
  await takeScreenshots(page, 'shift-screen', ['phone', 'desktop'])
  await page.keyboard.press('Escape')

  // The card is not shown twice a day; one tap turns the sound back on after the reload.
  await page.reload()
  await page.getByRole('button', { name: 'Start shift' }).waitFor()
  await takeScreenshots(page, 'shift-again', ['phone'])
  await press(page, 'Start shift')
  await page.getByRole('button', { name: 'Sound on' }).waitFor()
  expect(await page.getByText('Heard it?').count()).toBe(0)

  await press(page, 'Me')
  await takeScreenshots(page, 'shift-me', ['phone', 'desktop'])
  await press(page, 'End shift')
  const onTheWay = page.getByRole('dialog', { name: 'You are still on the way' })
  await onTheWay.getByText('Table 4. Who goes there').waitFor()
  expect(await violations(page)).toEqual([])
  await takeScreenshots(page, 'shift-end', ['phone', 'desktop'])
  await onTheWay.getByRole('radio', { name: 'Give back to everybody' }).click()
  await toast(page).getByText('Shift ended').waitFor()
  await page.getByRole('button', { name: 'Select your name' }).first().waitFor()
  expect(await page.evaluate(() => localStorage.getItem('crew-member-id'))).toBeNull()
  await choose(page, 'Maya')
  await page.getByRole('region', { name: 'Ready to serve?' }).waitFor()
})

it('keeps working if a part of the page cannot be loaded', async () => {
  await hire('Maya')
  const page = await openCrew({ tolerate: [/\/api\/auth\/user/, /shift-card|device-drawer/u] })
  await page.route(/shift-card|device-drawer/u, (route) => route.abort())
  await page.reload()
  await choose(page, 'Maya')
  await press(page, 'Alerts on this phone off')
  await ask('4')
  await press(ticket(page, '4'), 'On my way')
  await ticket(page, '4').getByText('Maya is on the way').waitFor()
  await page.unroute(/shift-card|device-drawer/u)
  // Some browsers remember a failed import for as long as the page is open.
  await page.reload()
  await press(page, 'Alerts on this phone off')
  await page.getByRole('dialog', { name: 'This screen' }).waitFor()
})

it('shows on the chip what is wrong, and how to fix it', async () => {
  const page = await openCrew({ tolerate: [/\/api\/auth\/user/, ...serverAwayErrors] })
  await page.evaluate(() => {
    const felt: unknown[] = []
    Object.assign(window, { felt })
    navigator.vibrate = (pattern) => felt.push(pattern) > 0
  })
  await page.getByRole('button', { name: 'Alerts on this phone off' }).click()
  const drawer = page.getByRole('dialog', { name: 'This screen' })
  await drawer.getByText('Screen may go dark').waitFor()
  await press(drawer, 'Test sound')
  await page.keyboard.press('Escape')
  await press(page, 'Sound on')
  await page.getByRole('button', { name: 'Sound off' }).waitFor()
  await page.getByRole('button', { name: 'Alerts on this phone off' }).click()
  await press(drawer, 'Turn sound on')
  const restarting = app.restart()
  await drawer.getByText('Check the Wi-Fi.').waitFor()
  await restarting
  await drawer.getByText('Live', { exact: true }).waitFor()

  await ask('7')
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, 'felt')), patiently)
    .toEqual([[200, 100, 200]])
})

it('does not claim that the screen stays on if the browser refuses it', async () => {
  await hire('Maya')
  const page = await openCrew()
  await page.context().clearPermissions()
  await page.context().grantPermissions(['geolocation'])
  await choose(page, 'Maya')
  await press(page.getByRole('region', { name: 'Ready to serve?' }), 'Start shift')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).click()
  const drawer = page.getByRole('dialog', { name: 'This screen' })
  await drawer.getByText('The browser does not keep it on now.').waitFor()
})

it('notifies the sleeping phone, from the same tap on, until the shift ends', async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone })
  const told = listening(page)
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  await fakePushSubscription(page, { endpoint: 'https://push.example.com/maya', keys })
  await page.reload()
  await choose(page, 'Maya')
  await press(page, 'Start shift')
  await page.getByText('Alerts on this phone on').first().waitFor()
  await press(page, 'Yes')
  const bell = page.getByRole('button', { name: 'Alerts on this phone on' })
  await bell.waitFor()
  const full = { type: 'listening', sound: true, push: true, visible: true }
  await expect.poll(told, patiently).toEqual(full)
  await bell.click()
  await press(page, 'Turn alerts off')
  await expect.poll(told, patiently).toEqual({ ...full, push: false })
  await press(page, 'Turn alerts on')
  await expect.poll(told, patiently).toEqual(full)
  await page.keyboard.press('Escape')
  await press(page, 'Me')
  await press(page, 'End shift')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).waitFor()
  await expect.poll(told, patiently).toEqual({ ...full, sound: false, push: false })
})

it('ends the shift even if the push service does not answer, and ignores a late answer', async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone })
  const endpoint = 'https://push.example.com/slow'
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  await fakePushSubscription(page, { endpoint, keys }, { held: true })
  await page.reload()
  await choose(page, 'Maya')
  await press(page, 'Start shift')
  await press(page, 'Yes')
  await press(page, 'Me')
  await press(page, 'End shift')
  await toast(page).getByText('Shift ended').waitFor()
  await answerPushSubscription(page)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('subscribed-with'))).toBeNull()
  await page.getByRole('button', { name: 'Alerts on this phone off' }).waitFor()
  const stored = app.ctx.db.reader.selectFrom('pushSubscription').where('endpoint', '=', endpoint)
  expect(await stored.select('crewMemberId').execute()).toEqual([])
})

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
  const page = await openCrew({
    viewport: viewports.phone,
    hasTouch: true,
    isMobile: true,
    // The browser's warning when a toast tries to follow a finger that is already scrolling.
    tolerate: [/\/api\/auth\/user/, /Ignored attempt to cancel a touchmove/],
  })
  for (const table of ['1', '2', '3', '4', '5', '6']) await ask(table)
  await page.getByText('6 Active').waitFor()
  // Otherwise the finger could touch the toast.
  await page.getByRole('button', { name: 'Dismiss' }).click()
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
  await page.getByText('6 Active').waitFor()
  await stroke(page, '3', { x: 150, y: 10 })
  await ticket(page, '3').waitFor({ state: 'detached' })
  await page.getByText('5 Active').waitFor()
  expect(Math.abs((await top()) - scrolled)).toBeLessThan(60)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

it('completes by dragging with a mouse, and with the keyboard alone', async () => {
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
  await page.screenshot({ path: 'test/e2e/pictures/swipe-meant.png' })
  await page.mouse.up()
  await page.getByText('3 Active').waitFor()
  await ticket(page, '1').waitFor({ state: 'detached' })
  await press(toast(page), 'Undo')
  await page.getByText('4 Active').waitFor()

  const inFocus = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.closest('li')?.querySelector('h3')?.textContent)
  await page.locator('body').press('j')
  expect(await inFocus()).toBe('Table 1')
  await page.keyboard.press('j')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('k')
  expect(await inFocus()).toBe('Table 2')
  await page.keyboard.press('a')
  await ticket(page, '2').getByText('Crew is on the way').waitFor()
  await page.keyboard.press('c')
  await page.getByText('3 Active').waitFor()
  expect(await inFocus()).toBe('Table 3')
  await page.keyboard.press('u')
  await page.getByText('4 Active').waitFor()
  await page.keyboard.press('3')
  await expect.poll(() => page.getByRole('tab', { selected: true }).innerText(), patiently).toBe('Food')
  await page.keyboard.press('Control+c')
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.getByText('Mark Complete').waitFor()
  expect(await violations(page)).toEqual([])
  await takeScreenshots(page, 'shortcuts', ['desktop'])
  await list.getByRole('checkbox', { name: 'Use keyboard shortcuts' }).uncheck()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'hidden' })
  await page.keyboard.press('c')
  await page.keyboard.press('1')
  await page.getByText('4 Active').waitFor()
  expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Food')
})

it('hands the tables over for a break, and takes them back', async () => {
  await hire('Maya')
  await hire('Leo')
  const [maya, leo] = [await openCrew(), await openCrew()]
  await choose(maya, 'Maya')
  await choose(leo, 'Leo')
  await press(maya, 'Going on break')
  const drawer = maya.getByRole('dialog', { name: 'Going on break' })
  await drawer.getByRole('radio', { name: 'Everybody' }).waitFor()
  expect(await violations(maya)).toEqual([])
  await drawer.getByRole('radio', { name: 'Leo' }).click()
  await maya.getByText('You are on a break · Leo covers').waitFor()
  await toast(leo).getByText('You cover for Maya').waitFor()
  await leo.locator('#content').getByText('You cover for Maya').waitFor()
  // A shortcut leads to the messages, where typed letters are text and not shortcuts.
  await ask('1')
  await maya.getByText('1 Active').waitFor()
  await drawer.waitFor({ state: 'hidden' })
  await maya.locator('body').press('m')
  await maya.keyboard.type('cle')
  expect(await maya.getByPlaceholder('Search contacts...').inputValue()).toBe('cle')
  await maya.getByText('1 Active').waitFor()
  await press(maya, 'Back from break')
  await leo.getByText('You cover for Maya').waitFor({ state: 'hidden' })
  await maya.getByRole('button', { name: 'Going on break' }).waitFor()
})

it('keeps a break that is tapped without a connection', async () => {
  await hire('Maya')
  await hire('Leo')
  const page = await openCrew({ tolerate: [/\/api\/auth\/user/, ...serverAwayErrors] })
  await choose(page, 'Maya')
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('break-drawer')),
  )
  await page.context().setOffline(true)
  await page.getByText('Reconnecting…').waitFor()
  await press(page, 'Going on break')
  await page.getByRole('dialog').getByRole('radio', { name: 'Leo' }).click()
  await page.getByText('Kept: your break begins when the connection is back').waitFor()
  await page.getByRole('button', { name: 'Back from break' }).waitFor()
  await page.context().setOffline(false)
  await page.getByText('You are on a break · Leo covers').waitFor()
})

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

it('shows open requests on the wall, oldest first, and how many do not fit', async () => {
  await ask('By the fountain', 'assistance', 6)
  await ask('Patio 3', 'check', 0.6)
  await ask('12', 'food')
  await ask('7', 'general')
  const crew = await openCrew()
  const page = await openCrew({ viewport: wall.wide }, '/waiter?display')
  await page.getByText('4 Active').waitFor()
  const tables = (): Promise<string[]> => page.getByRole('heading', { level: 2 }).allTextContents()
  expect(await tables()).toEqual(['Table By the fountain', 'Table Patio 3', 'Table 12', 'Table 7'])
  await press(ticket(crew, '12'), 'On my way')
  await ticket(page, '12').getByText('Crew is on the way').waitFor()
  expect(await page.getByRole('button').allInnerTexts()).toEqual(['Full screen', 'Leave display'])
  expect(await violations(page)).toEqual([])
  for (const [name, size] of Object.entries(wall)) {
    await page.setViewportSize(size)
    await page.screenshot({ path: `test/e2e/pictures/wall-few-${name}.png` })
  }

  const needsOf = (table: number): ServiceType => (table % 2 ? 'drinks' : 'check')
  for (let table = 13; table <= 20; table += 1) await ask(`${table}`, needsOf(table))
  await page.getByText('12 Active').waitFor()
  for (const size of Object.values(wall)) {
    await page.setViewportSize(size)
    expect(await countLines(ticket(page, '20').locator('.wall-number'))).toBe(1)
    expect(await cutPlaces(page)).toEqual([])
  }

  for (let table = 21; table <= 40; table += 1) await ask(`${table}`, needsOf(table))
  for (let table = 1; table <= 6; table += 1) await ask(`${table}`, 'other')
  await ask('8')
  await ask('9')
  for (const [name, size, more] of [
    ['wide', wall.wide, '+16 more'],
    ['tall', wall.tall, '+11 more'],
  ] as const) {
    await page.setViewportSize(size)
    await page.getByText(more, { exact: true }).waitFor()
    await page.screenshot({ path: `test/e2e/pictures/wall-many-${name}.png` })
    expect(await page.evaluate(() => document.documentElement.scrollHeight > innerHeight)).toBe(false)
  }
  expect(await violations(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
  await press(page, 'Leave display')
  await page.getByRole('heading', { name: 'Crew Dashboard' }).waitFor()
  expect(page.url()).toBe(`${app.url}/waiter`)
})
