import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import { firstName } from '#contract/names.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { openCrewScreen, ticket } from '../../e2e/pages/crew-screen.ts'
import { signInToRestaurant } from '../../e2e/pages/sign-in.ts'
import {
  clippedTexts,
  countLines,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../../e2e/support/accessibility.ts'
import { openPage, serverAwayErrors } from '../../e2e/support/browser.ts'
import { nextFrame, press, toast } from '../../e2e/support/locators.ts'
import { viewports } from '../../e2e/support/screenshots.ts'
import { setUpApp } from '../../support/app.ts'
import { connectScreen, pendingRequests } from '../../support/pages/crew-view.ts'
import { addCrew, assignTables, type Restaurant, today } from '../../support/restaurants/busy-restaurant.ts'

// No toast about a request that waits too long takes the place of the one that is looked at.
const app = setUpApp({ guestLimits: false, scheduler: 'manual' })
let restaurant: Restaurant

const landscape = { width: 844, height: 390 }
const longTable = 'The long table by the fountain, terrace'
const languages = ['en', 'ar', 'de', 'es', 'fr', 'hi', 'it', 'pt', 'tr', 'vi', 'zh-Hans']
const tables = ['1', '2', '3', '4', '7', '12', '21', 'Patio 3', longTable]

beforeEach(async () => {
  restaurant = await app.restaurant({ tables })
})

async function hire(name: string, ...numbers: string[]): Promise<CrewMember> {
  const member = await addCrew(restaurant.owner, name)
  const ids = { [name]: member.id }
  await assignTables(
    { ...restaurant, ids },
    today,
    Object.fromEntries(numbers.map((number) => [number, name])),
  )
  return member
}

let asked = 0

function ask(tableNumber: string, serviceType: ServiceType = 'drinks') {
  // Requests of the same millisecond are ordered by their ids.
  const id = `${String(++asked).padStart(4, '0')}-${randomUUID()}`
  const body = { id, restaurantId: restaurant.name, tableNumber, serviceType }
  return app.browser().ok(api.requests.send, { body })
}

/** Opens a phone that remembers whose it is, if anybody's, and whether the shift has been started. */
async function openPhone(
  member: CrewMember | null,
  { isStarted = false, tolerate = [] }: { isStarted?: boolean; tolerate?: RegExp[] } = {},
): Promise<Page> {
  const page = await openPage({
    viewport: viewports.phone,
    reducedMotion: 'reduce',
    tolerate: [/\/auth\/user/, ...tolerate],
  })
  await signInToRestaurant(page, app, restaurant)
  await page.addInitScript(
    ([id, startedOn]) => {
      if (id !== null) localStorage.setItem('crew-member-id', id)
      if (startedOn !== null) localStorage.setItem(`shift_${id}`, startedOn)
    },
    [member?.id ?? null, isStarted ? today : null] as const,
  )
  await page.goto(`${app.url}/waiter`)
  return page
}

type Box = { top: number; bottom: number; left: number; right: number }

/** Where everything stands on the screen. */
const layoutOf = (page: Page) =>
  page.evaluate(() => {
    const boxesOf = (selector: string): Box[] =>
      [...document.querySelectorAll(selector)]
        .filter((element) => element.checkVisibility())
        .map((element) => {
          const { top, bottom, left, right } = element.getBoundingClientRect()
          return { top, bottom, left, right }
        })
    const [head, header] = [boxesOf('.rail-head')[0], boxesOf('.crew-header')[0]]
    const edges = [innerHeight, ...boxesOf('.crew-nav, .crew-strip, .not-in-view').map(({ top }) => top)]
    const tickets = boxesOf('.ticket:not(.accepted-line)')
    return {
      header: header && header.bottom - header.top,
      headTop: head?.top,
      sides: boxesOf('.crew-side').map(({ top }) => top),
      whole: tickets.filter(({ top, bottom }) => top >= (head?.bottom ?? 0) && bottom <= Math.min(...edges))
        .length,
      tabs: new Set(boxesOf('[role=tab]').map(({ left, right }) => Math.round(right - left))).size,
      toasts: boxesOf('.toast'),
      /** As far as they are not behind the bar or what stands above it. */
      tickets: boxesOf('.ticket')
        .map((box) => ({ ...box, bottom: Math.min(box.bottom, ...edges) }))
        .filter(({ top, bottom }) => top < bottom),
      buttons: [
        ...boxesOf('.crew-header button, .crew-nav button'),
        // As far as they are not behind the bar.
        ...boxesOf('main button').map((box) => ({ ...box, bottom: Math.min(box.bottom, ...edges) })),
      ],
    }
  })

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

type Size = { width: number; height: number }

async function wholeTicketsAt(page: Page, size: Size): Promise<number> {
  await page.setViewportSize(size)
  // Drawn for its new size, with a bar that has made room for a toast of another height.
  await nextFrame(page)
  return (await layoutOf(page)).whole
}

it('fits four tickets on a phone and ten on a desktop, and cuts nothing at any size', async () => {
  const maya = await hire('Maximiliane Konstantinopolitanova', '7', '12', 'Patio 3')
  const leo = await hire('Leo', '21')
  const types: ServiceType[] = ['check', 'drinks', 'food', 'assistance', 'other']
  for (const [index, table] of [...tables.slice(0, 8), ...tables.slice(0, 8)].entries())
    await ask(table, types[(index + Math.floor(index / 8)) % types.length])
  const page = await openPhone(maya, { isStarted: true })
  await page.getByText('16 Active').waitFor()
  await page.getByText('your table').first().waitFor()
  const wholeTickets = async (): Promise<number> => (await layoutOf(page)).whole
  await expect.poll(wholeTickets).toBeGreaterThanOrEqual(4)
  const phone = await layoutOf(page)
  expect(phone.header).toBe(56)
  expect(phone.tabs).toBe(1)
  await page.evaluate(() => scrollTo(0, 500))
  await expect.poll(async () => (await layoutOf(page)).headTop).toBe(0)
  await page.evaluate(() => scrollTo(0, 0))
  const colleague = await connectScreen(restaurant.device, leo.id)
  await colleague.request({
    type: 'send-role-message',
    role: 'Server',
    messageKey: 'TABLE_READY_TO_CLEAR',
    tableNumber: '21',
  })
  // A call is one of the four, though it has two lines of words.
  const call = page.locator('.role-call')
  await expect.poll(() => countLines(call.locator('.ticket-type span'))).toBe(2)
  await expect.poll(wholeTickets).toBeGreaterThanOrEqual(4)
  await press(call, 'Not me')

  await page.setViewportSize(viewports.desktop)
  await page.getByRole('heading', { name: 'Service Requests' }).waitFor()
  await expect.poll(wholeTickets).toBeGreaterThanOrEqual(10)
  const desktop = await layoutOf(page)
  expect(desktop.sides).toEqual([56, 56])
  // A line on either side of the tickets, and none at the edges of the screen.
  const lines = await page
    .locator('.crew-side')
    .evaluateAll((sides) => sides.map((side) => getComputedStyle(side).borderInlineWidth))
  expect(lines).toEqual(['0px 1px', '1px 0px'])
  await page.evaluate(() => scrollTo(0, 300))
  await expect.poll(() => layoutOf(page)).toMatchObject({ sides: [56, 56], headTop: 56 })
  expect(await lastingViolations(page)).toEqual([])

  for (const size of [viewports.phone, viewports.smallPhone, { width: 820, height: 1180 }, landscape]) {
    await page.setViewportSize(size)
    await page.evaluate(() => scrollTo(0, 0))
    // A part that only this width has may have to be loaded.
    await expect
      .poll(async () => ({ ...size, clipped: await clippedTexts(page) }))
      .toEqual({ ...size, clipped: [] })
  }
  await page.setViewportSize({ width: 820, height: 1180 })
  const edgeOf = async (selector: string): Promise<{ top: number; bottom: number }> => {
    const { y = 0, height = 0 } = (await page.locator(selector).boundingBox()) ?? {}
    return { top: y, bottom: y + height }
  }
  await page.locator('.not-in-view').waitFor()
  await expect
    .poll(async () => (await edgeOf('.crew-strip')).top - (await edgeOf('.not-in-view')).bottom)
    .toBeGreaterThanOrEqual(0)
  await page.setViewportSize(landscape)
  await ask('2', 'general')
  await toast(page).getByText('Table 2 needs service').waitFor()
  // A toast stays for as long as something points at it.
  await toast(page).hover()
  const { toasts, buttons } = await layoutOf(page)
  expect(toasts.length).toBe(1)
  expect(buttons.filter((button) => toasts.some((shown) => overlap(shown, button)))).toEqual([])
  await toast(page).getByRole('button', { name: 'Dismiss' }).click()

  // From now on no other toast takes the place of the one that is looked at.
  const { requests: open } = await pendingRequests(restaurant.device)
  for (const { id } of open) await colleague.request({ type: 'accept-request', id })
  await ask(longTable)
  const coveredTickets = async (): Promise<{ toasts: number; covered: Box[] }> => {
    const { toasts, tickets } = await layoutOf(page)
    const covered = tickets.filter((box) => toasts.some((shown) => overlap(shown, box)))
    return { toasts: toasts.length, covered }
  }
  for (const textSize of [16, 32]) {
    await setTextSize(page, textSize)
    for (const size of [viewports.phone, { width: 320, height: 568 }, { width: 820, height: 1180 }]) {
      await page.setViewportSize(size)
      await press(ticket(page, longTable), 'Mark Complete')
      await toast(page).getByText(`Table ${longTable} complete`).waitFor()
      await toast(page).hover()
      for (const y of [0, 1e6]) {
        await page.evaluate((to) => scrollTo(0, to), y)
        await expect.poll(coveredTickets).toEqual({ toasts: 1, covered: [] })
      }
      await press(toast(page), 'Undo')
      await ticket(page, longTable).waitFor()
    }
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await page.evaluate(() => scrollTo(0, 0))
      await nextFrame(page)
      const clipped = await clippedTexts(page)
      expect({ width, textSize, clipped }).toEqual({ width, textSize, clipped: [] })
    }
    // So high that the bar at the foot covers no part of a button.
    await page.setViewportSize({ width: 390, height: 6000 })
    expect(await lastingViolations(page)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
  }
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px')
})

it('fits four on a phone and two on its side where nobody has chosen a name, with sections too', async () => {
  const rush = ['4', '21', longTable, 'Patio 3', '101', '1', '2', '3', '7', '12']
  restaurant = await app.restaurant({ tables: rush })
  const member = await hire('Maximiliane Konstantinopolitanova', '4', longTable)
  for (const name of ['Terrace by the river', 'Bar'])
    await restaurant.owner.ok(api.sections.add, { body: { name } })
  for (const table of rush) await ask(table, 'food')
  const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
  await page.getByText(`${rush.length} Active`).waitFor()
  await page
    .getByText(`${firstName(member.name)}’s table`)
    .first()
    .waitFor()
  await page.getByLabel('Section', { exact: true }).waitFor()
  const wholeTickets = (width: number, height: number) => wholeTicketsAt(page, { width, height })
  await expect.poll(() => wholeTickets(390, 844)).toBeGreaterThanOrEqual(4)
  await expect.poll(() => wholeTickets(844, 390)).toBeGreaterThanOrEqual(2)
  // No higher than what is in them.
  await expect.poll(async () => (await ticket(page, '4').boundingBox())?.height).toBeLessThan(130)
  await expect.poll(() => wholeTickets(667, 375)).toBeGreaterThanOrEqual(1)
  for (const [width, height] of [
    [390, 844],
    [844, 390],
    [1280, 720],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    expect(await smallTargets(page, 44)).toEqual([])
    // In one line with its icon.
    const type = ticket(page, longTable).locator('.ticket-type')
    await expect.poll(async () => (await type.boundingBox())?.height).toBeLessThan(36)
  }
})

it('fits as many before the shift has been started, and cuts no name', async () => {
  const names = ['Alcove', 'Garden', 'OCEAN', 'Séparée', 'Window', 'Terrace', 'Booth 12', 'W12']
  const rush = ['4', '21', 'Patio 3', ...names.slice(0, 2), longTable, ...names.slice(2), '101']
  restaurant = await app.restaurant({ tables: rush })
  const ines = await hire('Ines Moreno-Castellanos', '4', 'Patio 3', longTable)
  const otto = await hire('Maximilian Hohenstaufen-Wittelsbach', '21', 'Alcove')
  for (const table of rush) await ask(table)
  const page = await openPhone(ines, { tolerate: serverAwayErrors })
  await page.getByRole('region', { name: 'Ready to serve?' }).waitFor()
  await page.getByText('your table').first().waitFor()
  const wholeTickets = (size: Size) => wholeTicketsAt(page, size)
  await expect.poll(() => wholeTickets(viewports.phone)).toBeGreaterThanOrEqual(4)
  await expect.poll(() => wholeTickets(viewports.desktop)).toBeGreaterThanOrEqual(10)
  await expect.poll(() => wholeTickets(landscape)).toBeGreaterThanOrEqual(2)
  await press(page, 'Not now')
  await expect.poll(() => wholeTickets(viewports.desktop)).toBeGreaterThanOrEqual(10)

  const colleague = await connectScreen(restaurant.device, otto.id)
  const callServers = (tableNumber: string) =>
    colleague.request({
      type: 'send-role-message',
      role: 'Server',
      messageKey: 'TABLE_READY_TO_CLEAR',
      tableNumber,
    })
  await callServers('21')
  const call = page.locator('.role-call').first()
  await call.waitFor()
  for (const size of [viewports.desktop, { width: 820, height: 1180 }, landscape]) {
    await page.setViewportSize(size)
    await expect.poll(async () => (await call.boundingBox())?.height).toBeLessThan(80)
    expect(await clippedTexts(page)).toEqual([])
  }
  // Between two side columns the tickets have one column, no wider than a phone's.
  await page.setViewportSize({ width: 1024, height: 768 })
  await expect.poll(async () => (await call.boundingBox())?.height).toBeLessThan(150)
  await expect.poll(() => countLines(call.locator('.ticket-type span'))).toBe(1)
  expect(await clippedTexts(page)).toEqual([])
  await page.setViewportSize(landscape)
  await press(ticket(page, '4'), 'On my way')
  await ticket(page, '4').getByText('You’re on it').waitFor()
  const { requests: open } = await pendingRequests(restaurant.device)
  const done = open.find(({ tableNumber }) => tableNumber === '101')?.id ?? ''
  await colleague.request({ type: 'complete-request', id: done })
  // As long as it can be undone.
  await page.locator('summary').click()
  await page.locator('.recent').getByRole('button', { name: 'Undo' }).waitFor()
  for (const textSize of [16, 32]) {
    await setTextSize(page, textSize)
    for (const width of [320, 390]) {
      // So high that the line at the edge has nothing to name.
      await page.setViewportSize({ width, height: 12_000 })
      await expect
        .poll(async () => ({ width, textSize, clipped: await clippedTexts(page) }))
        .toEqual({ width, textSize, clipped: [] })
    }
  }
  // On a phone on its side the call is whole, its buttons beside its words.
  await page.evaluate(() => scrollTo(0, 0))
  await expect.poll(() => wholeTickets(landscape)).toBe(1)
  await callServers('Alcove')
  // A toast stays for as long as something points at it.
  await toast(page).getByText('Table Alcove').hover()
  await expect.poll(() => wholeTickets(landscape)).toBe(1)
  await press(toast(page), 'Dismiss')
  await expect.poll(async () => (await call.boundingBox())?.height).toBeLessThan(150)
  expect(await clippedTexts(page)).toEqual([])
  for (const hasText of ['21', 'Alcove']) await press(page.locator('.role-call', { hasText }), 'Not me')
  await app.pause()
  await page.getByText('Reconnecting…').waitFor()
  await page.setViewportSize({ width: 320, height: 12_000 })
  await expect.poll(() => clippedTexts(page)).toEqual([])
  await setTextSize(page, 16)
  await page.setViewportSize(viewports.phone)
  await expect.poll(async () => (await page.locator('.offline').boundingBox())?.height).toBe(88)
  await expect.poll(() => wholeTickets(landscape)).toBeGreaterThanOrEqual(2)
  await app.start()
})

it('fits four below the offer of a shift and the choice of a section, a long name among them', async () => {
  const rush = ['4', '21', longTable, 'Patio 3', '101', '1', '2']
  restaurant = await app.restaurant({ tables: rush })
  const ines = await hire('Ines Moreno-Castellanos', '4', longTable)
  for (const name of ['Terrace by the river', 'Bar'])
    await restaurant.owner.ok(api.sections.add, { body: { name } })
  for (const table of rush) await ask(table, 'food')
  const page = await openPhone(ines)
  await page.getByRole('region', { name: 'Ready to serve?' }).waitFor()
  await page.getByText('your table').first().waitFor()
  await page.getByLabel('Section', { exact: true }).waitFor()
  await expect.poll(async () => countLines(ticket(page, longTable).locator('.ticket-number'))).toBe(2)
  await expect.poll(async () => (await layoutOf(page)).whole).toBeGreaterThanOrEqual(4)
})

/** The buttons whose words are higher than they are. */
const spilledTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('button')].flatMap((button) => {
      const { top, bottom } = button.getBoundingClientRect()
      const words = document.createTreeWalker(button, NodeFilter.SHOW_TEXT)
      const line = document.createRange()
      while (words.nextNode()) {
        line.selectNodeContents(words.currentNode)
        const box = line.getBoundingClientRect()
        // Only for people who cannot see it.
        const isHidden = (words.currentNode.parentElement?.clientWidth ?? 0) === 1
        if (!isHidden && box.height > 0 && (box.top < top - 1 || box.bottom > bottom + 1))
          return [button.textContent]
      }
      return []
    }),
  )

/** How far above the bar at the foot the first ticket's button "On my way" ends. */
async function roomBelowFirst(page: Page, language = 'en'): Promise<number> {
  const first = page.locator(`:root[lang="${language}"] .ticket`).first()
  const parts = ['.ticket-number', '.ticket-type', '.ticket-go'].map((part) => first.locator(part))
  const bar = (await page.locator('.crew-nav').boundingBox())?.y ?? 0
  const boxes = await Promise.all(parts.map((part) => part.boundingBox()))
  return Math.min(...boxes.map((box) => bar - (box ? box.y + box.height : Infinity)))
}

it.each([
  ['before a name is chosen', null],
  ['before the shift has been started', 'unstarted'],
  ['in the shift', 'started'],
])('shows the first ticket down to what to press on a small phone in large text, %s', async (_, shift) => {
  const maya = await hire('Maya Chen', '4')
  for (const name of ['Terrace by the river', 'Bar'])
    await restaurant.owner.ok(api.sections.add, { body: { name } })
  await ask('4', 'food')
  await ask(longTable)
  const page = await openPhone(shift === null ? null : maya, { isStarted: shift === 'started' })
  await ticket(page, '4')
    .getByText(shift === null ? 'Maya’s table' : 'your table')
    .waitFor()
  await setTextSize(page, 32)
  for (const language of shift === 'unstarted' ? languages.toReversed() : ['en']) {
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.reload()
    await page.locator('.section-row select').waitFor()
    if (shift === 'unstarted') await page.locator('.shift-card').waitFor()
    for (const size of [{ width: 320, height: 844 }, { width: 390, height: 844 }, landscape]) {
      await page.setViewportSize(size)
      await expect
        .poll(async () => ({ language, ...size, fits: (await roomBelowFirst(page, language)) >= 0 }))
        .toEqual({ language, ...size, fits: true })
    }
    expect({ language, clipped: await clippedTexts(page) }).toEqual({ language, clipped: [] })
  }
  // The last size was the phone's on its side.
  const whole = shift === 'started' ? 1 : 0
  await expect.poll(async () => (await layoutOf(page)).whole).toBeGreaterThanOrEqual(whole)
  // So high that nothing is half behind the bar at the foot.
  await page.setViewportSize({ width: 320, height: 6000 })
  expect(await clippedTexts(page)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
  await expect.poll(() => spilledTexts(page)).toEqual([])
  for (const tab of ['All', 'Drinks', 'Food', 'Check', 'Help', 'Other'])
    await expect
      .poll(() => countLines(page.getByRole('tab', { name: tab, exact: true }).locator('span')))
      .toBe(1)
})

it('shows as much in large text while the server is away, and what is said of an empty list', async () => {
  const maya = await hire('Maya Chen', '4')
  const page = await openPhone(maya, { isStarted: true, tolerate: serverAwayErrors })
  const nothing = page.getByText('No active requests')
  await nothing.waitFor()
  await setTextSize(page, 32)
  await page.setViewportSize({ width: 390, height: 844 })
  const edgeOf = async (part: Locator, edge: 'top' | 'bottom'): Promise<number> => {
    const box = await part.boundingBox()
    return box ? box.y + (edge === 'top' ? 0 : box.height) : NaN
  }
  const navBar = page.locator('.crew-nav')
  await expect
    .poll(async () => (await edgeOf(navBar, 'top')) - (await edgeOf(nothing, 'bottom')))
    .toBeGreaterThanOrEqual(0)
  await ask('4', 'food')
  await ticket(page, '4').getByText('your table').waitFor()
  await app.pause()
  await page.getByText('Reconnecting…').waitFor()
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await expect.poll(() => roomBelowFirst(page)).toBeGreaterThanOrEqual(0)
    expect(await clippedTexts(page)).toEqual([])
  }
  await page.setViewportSize(landscape)
  const tabs = page.getByRole('tablist', { name: 'Filter requests' })
  await expect
    .poll(async () => (await edgeOf(navBar, 'top')) - (await edgeOf(tabs, 'bottom')))
    .toBeGreaterThanOrEqual(0)
  expect(await clippedTexts(page)).toEqual([])
  await app.start()
})

it.each(['en', 'de', 'fr'])(
  'shows two tickets whole on a small phone while the server is away: %s',
  async (language) => {
    const maya = await hire('Maya Chen', '4')
    for (const table of ['4', '7', '21']) await ask(table, 'assistance')
    const page = await openPhone(maya, { isStarted: true, tolerate: serverAwayErrors })
    await page.setViewportSize({ width: 320, height: 640 })
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.reload()
    await page.locator(`:root[lang="${language}"] .ticket .ticket-meta strong`).waitFor()
    await app.pause()
    await page.locator('.offline').waitFor()
    await page.locator('.not-in-view').waitFor()
    await expect.poll(async () => (await layoutOf(page)).whole).toBe(2)
    expect(await clippedTexts(page)).toEqual([])
    await app.start()
  },
)

it.each(['en', 'de', 'vi'])(
  'shows the first ticket whole in large text on its side, with what is said of a tap without the server: %s',
  async (language) => {
    const maya = await hire('Maya Chen', '4')
    await ask('4', 'assistance')
    await ask('7', 'assistance')
    const page = await openPhone(maya, { isStarted: true, tolerate: serverAwayErrors })
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.reload()
    const first = page.locator(`:root[lang="${language}"] .ticket`).first()
    await first.locator('.ticket-go').waitFor()
    await first.locator('.ticket-meta strong').waitFor()
    await setTextSize(page, 32)
    await page.setViewportSize(landscape)
    await app.pause()
    await page.locator('.offline').waitFor()
    const wholeTickets = async (): Promise<number> => {
      await page.evaluate(() => scrollTo(0, 0))
      return (await layoutOf(page)).whole
    }
    await expect.poll(wholeTickets).toBe(1)
    await first.locator('.ticket-go').click()
    await first.locator('.ticket-unsent').waitFor()
    await expect.poll(wholeTickets).toBe(1)
    await first.locator('[data-complete] svg').click()
    const said = page.locator('.toasts p').first()
    await said.waitFor()
    // A toast stays for as long as something points at it.
    await said.hover()
    await expect.poll(wholeTickets).toBe(1)
    await first.locator('.ticket-release').click({ trial: true })
    expect(await clippedTexts(page)).toEqual([])
    await app.start()
  },
)

it('fits as many while it asks whether the sound was heard, and says the rest at a tap', async () => {
  const ines = await hire('Ines Moreno-Castellanos', '4', '7', longTable)
  for (const table of tables) await ask(table)
  const page = await openPhone(ines)
  await press(page, 'Start shift')
  const card = page.getByRole('region', { name: 'Heard it?' })
  await card.waitFor()
  await page.getByText('your table').first().waitFor()
  for (const [size, count] of [
    [viewports.phone, 4],
    [landscape, 2],
    [{ width: 820, height: 1180 }, 8],
    [viewports.desktop, 8],
  ] as const) {
    await page.setViewportSize(size)
    await expect.poll(async () => (await layoutOf(page)).whole).toBeGreaterThanOrEqual(count)
  }
  // Beside the requests it pushes what stands below it away.
  const wordsBelow = page.getByText('Ines Moreno-Castellanos', { exact: true }).first()
  await expect
    .poll(async () => {
      const words = await card.locator('.shift-others').boundingBox()
      return ((await wordsBelow.boundingBox())?.y ?? 0) - (words ? words.y + words.height : Infinity)
    })
    .toBeGreaterThanOrEqual(0)
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 12_000 })
    const alerts = card.getByRole('button', { name: /^Alerts on this phone/u })
    await alerts.click()
    await card.getByText(/^Allow notifications/u).waitFor()
    expect(await lastingViolations(page, '.shift-card')).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    expect(await clippedTexts(page)).toEqual([])
    await alerts.click()
    await card.getByText(/^Allow notifications/u).waitFor({ state: 'detached' })
  }
  // What to do about it has the whole width.
  await press(card, 'No')
  await expect
    .poll(async () => (await card.getByText(/^Turn the volume up/u).boundingBox())?.width)
    .toBeGreaterThan(300)
})

/** What the devices of a crew say of themselves and cannot do. */
const devices: Record<string, { userAgent: string; lacks: string[]; told: string }> = {
  iphone: {
    userAgent: 'iPhone OS 18_5 Safari',
    lacks: ['vibrate', 'actions'],
    told: 'Asleep: only alerts, without buttons · no vibration',
  },
  'iphone in a tab': {
    userAgent: 'iPhone OS 18_5 Safari',
    lacks: ['vibrate', 'alerts'],
    told: 'Asleep: no sound · no vibration',
  },
  android: {
    userAgent: 'Android 15 Chrome',
    lacks: [],
    told: 'Asleep: sounds while “Listening for requests” shows',
  },
  computer: { userAgent: 'Windows NT 10.0 Chrome', lacks: [], told: 'Asleep: no sound' },
}

it.each(Object.entries(devices))('tells what it cannot do in one line: %s', async (_, device) => {
  const ines = await hire('Ines Moreno-Castellanos')
  const page = await openPage({
    viewport: viewports.phone,
    userAgent: device.userAgent,
    hasTouch: true,
    tolerate: [/\/auth\/user/],
  })
  await signInToRestaurant(page, app, restaurant)
  await page.addInitScript(
    ([id, lacks]) => {
      localStorage.setItem('crew-member-id', id)
      Object.assign(Navigator.prototype, { audioSession: {} })
      if (lacks.includes('vibrate')) Reflect.deleteProperty(Navigator.prototype, 'vibrate')
      if (lacks.includes('actions')) Reflect.deleteProperty(Notification.prototype, 'actions')
      if (lacks.includes('alerts')) Reflect.deleteProperty(window, 'Notification')
    },
    [ines.id, device.lacks] as const,
  )
  await page.goto(`${app.url}/waiter`)
  await page.locator('.shift-card').getByText(device.told, { exact: true }).waitFor()
  for (const language of languages) {
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.reload()
    const limits = page.locator(`:root[lang="${language}"] .shift-card .shift-limits`)
    await limits.waitFor()
    await expect.poll(async () => [language, await countLines(limits)]).toEqual([language, 1])
    expect(await clippedTexts(page)).toEqual([])
  }
})

it('fits as many below the choice of a section', async () => {
  const ines = await hire('Ines Moreno-Castellanos', '4', '7')
  for (const name of ['Terrace by the river', 'Bar'])
    await restaurant.owner.ok(api.sections.add, { body: { name } })
  for (const table of tables) await ask(table)
  for (const table of tables.slice(0, 3)) await ask(table, 'check')
  const page = await openPhone(ines, { isStarted: true })
  await page.getByText('your table').first().waitFor()
  await page.getByLabel('Section', { exact: true }).waitFor()
  for (const [size, count] of [
    [viewports.phone, 4],
    [viewports.desktop, 10],
  ] as const) {
    await page.setViewportSize(size)
    await expect.poll(async () => (await layoutOf(page)).whole).toBeGreaterThanOrEqual(count)
  }
  expect(await lastingViolations(page)).toEqual([])
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 12_000 })
    expect(await smallTargets(page)).toEqual([])
    await expect.poll(() => clippedTexts(page)).toEqual([])
  }
})

it('fits as many in every language, with the longest words for what is asked', async () => {
  const maya = await hire('Maya Chen', '1', '3', '12')
  await hire('Maximiliane Hohenstaufen', '2', '4', '7')
  // So long ago that two digits say it.
  app.advance(-12 * 60_000)
  for (const type of ['general', 'food'] as const)
    for (const table of tables.slice(0, 8)) await ask(table, type)
  await ask('1', 'general')
  app.advance(12 * 60_000)
  const page = await openPhone(maya, { isStarted: true })
  for (const language of languages) {
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.reload()
    await page.locator(`:root[lang="${language}"] .ticket .ticket-meta strong`).first().waitFor()
    for (const [size, count] of [
      [viewports.desktop, 10],
      [viewports.phone, 4],
    ] as const) {
      await page.setViewportSize(size)
      await page.locator('.not-in-view').waitFor()
      await nextFrame(page)
      const look = async () => {
        const fits = (await layoutOf(page)).whole >= count
        return { language, width: size.width, fits, clipped: await clippedTexts(page) }
      }
      await expect.poll(look).toEqual({ language, width: size.width, fits: true, clipped: [] })
    }
  }
})

it('leaves a thumb its room beside a long name, on a phone of any size', async () => {
  await ask(longTable)
  const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
  const more = page.getByRole('button', { name: `More for table ${longTable}` })
  for (const [width, height] of [
    [390, 844],
    [667, 375],
    [820, 1180],
  ] as const) {
    await page.setViewportSize({ width, height })
    // As far as it can be pressed.
    const room = () =>
      more.evaluate((button) => {
        const { top, bottom, right } = button.getBoundingClientRect()
        const hits = (y: number) => document.elementFromPoint(right - 24, y)?.closest('button') === button
        return { height: bottom - top, hits: [top + 1, bottom - 1].map(hits) }
      })
    await expect
      .poll(async () => ({ width, ...(await room()) }))
      .toEqual({ width, height: 56, hits: [true, true] })
  }
  const unverified = page.getByRole('button', { name: 'Unverified' })
  await unverified.click()
  await toast(page).getByText('Unverified').waitFor()
})

it('shows what a table with a long name needs, at every width', async () => {
  const name = 'Wilhelmina Konstantinopolitanischedudelsackpfeiferin von Hohenstaufen'
  await hire(name)
  await ask(longTable, 'check')
  const page = await openCrewScreen(app, restaurant, { name, viewport: viewports.desktop })
  const long = ticket(page, longTable)
  await long.getByRole('button', { name: 'On my way' }).click()
  await long.getByText('You’re on it').waitFor()
  for (const width of [320, 360, 820, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    const sizes = () =>
      long.evaluate((item) => ({
        cut: item.scrollWidth - item.clientWidth,
        details: item.querySelector('.ticket-meta')?.clientWidth ?? 0,
      }))
    await expect.poll(async () => ({ width, cut: (await sizes()).cut })).toEqual({ width, cut: 0 })
    await expect.poll(async () => (await sizes()).details).toBeGreaterThan(100)
  }
})
