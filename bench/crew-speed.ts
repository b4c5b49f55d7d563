/**
 * How soon the Crew Dashboard paints with many open requests on a 4× slower CPU, against the real server: every kind of
 * tap that its screens offer. `node bench/crew-speed.ts [requests] [times] [list,phone,sections,keys,wall]` after a build.
 */
import type { Locator, Page } from 'playwright-core'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { mapServiceTypes } from '#contract/requests/requests.ts'
import type { Route } from '#contract/routes/route.ts'
import { createRequestSender, openOnDevice, type Setup, withBrowser } from './load/browser.ts'
import { preparePaintTimer, TapTimer } from './load/paint-timer.ts'
import { percentile, formatFigure, markdownTable } from './load/statistics.ts'

const types = ['general', 'drinks', 'food', 'check', 'assistance', 'other']
const initialRequests = Number(process.argv[2] ?? 500)
const times = Number(process.argv[3] ?? 12)
const partNames = (process.argv[4] ?? 'list,phone,sections,keys,wall').split(',')
/** As many as a restaurant can have, and those of them where somebody sits: some wait for two things. */
const [tableCount, takenTables] = [500, 490]
const arrivals = 20

async function call<Reply>(
  { url, ownerCookies }: Setup,
  { method, path }: Route,
  body: object,
): Promise<Reply> {
  const answer = await fetch(new URL(path, url), {
    method,
    headers: { cookie: ownerCookies.join('; '), origin: url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return await answer.json()
}

type Floor = { mayaId: string; tomId: string; sectionName: string }

/** Tables, two sections and a crew. No request is raised while it is measured. */
async function setUpFloor(setup: Setup): Promise<Floor> {
  const tables = await call<{ id: string }[]>(setup, api.floor.setUp, {
    setupType: 'count',
    tableCount,
  })
  const maya = await call<{ id: string }>(setup, api.crew.add, { name: 'Maya Chen', role: 'Server' })
  const tom = await call<{ id: string }>(setup, api.crew.add, { name: 'Tom Novak', role: 'Server' })
  await call(setup, api.crew.add, { name: 'Tamara Bell', role: 'Server' })
  const sections = ['Garden', 'Terrace']
  for (const [half, name] of sections.entries()) {
    const { id } = await call<{ id: string }>(setup, api.sections.add, { name })
    await call(setup, api.sections.arrange, {
      tables: tables
        .filter((_, index) => index % sections.length === half)
        .map((table) => ({ tableId: table.id, sectionId: id })),
    })
  }
  const now = new Date()
  await call(setup, api.floor.assign, {
    date: new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10),
    assignments: tables.map(({ id }, index) => ({
      tableId: id,
      crewMemberId: index % 50 === 0 ? maya.id : tom.id,
    })),
  })
  const never = mapServiceTypes(() => 30 * minuteMs)
  await call(setup, api.escalation.setSettings, {
    allAfterMs: never,
    managerAfterMs: never,
    acceptMs: 30 * minuteMs,
  })
  return { mayaId: maya.id, tomId: tom.id, sectionName: sections[1] ?? '' }
}

/** As if somebody had begun a shift on this device before. */
async function startShift(page: Page, crewMemberId: string): Promise<void> {
  await page.addInitScript((id) => {
    localStorage.setItem('crew-member-id', id)
    const now = new Date()
    const today = new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
    localStorage.setItem(`shift_${id}`, today.toISOString().slice(0, 10))
  }, crewMemberId)
}

type Part = {
  size: { width: number; height: number }
  /** A place where a tap does nothing. */
  nothing: { x: number; y: number }
  path?: string
  /** Nobody has chosen a name. */
  isAnonymous?: boolean
  measure: (screen: Screen) => Promise<void>
}

type Screen = {
  page: Page
  timer: TapTimer
  nothing: Part['nothing']
  sendRequest: () => Promise<string>
  floor: Floor
}

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true }).first()
const inDialog = (page: Page, name: string): Locator =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })

const opens = { shows: '[role=dialog]' } as const
const closes = { shows: '[role=dialog][data-closed]' } as const
const toasts = { shows: '.toasts [role=group]' } as const

async function repeat(cycle: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < times; index++) await cycle(index)
}

const tabNames = ['Drinks', 'Food', 'Check', 'Help', 'Other', 'All']

/** The list itself, on a tablet. */
async function measureList({ page, timer, nothing, sendRequest }: Screen): Promise<void> {
  const ticket = page.locator('.tickets:not(.role-calls) > .ticket')
  await repeat(() => timer.tap('nothing', nothing))
  for (let index = 0; index < Math.max(times, 2 * tabNames.length); index++) {
    const name = tabNames[index % tabNames.length] ?? ''
    await timer.tap('a tab', page.getByRole('tab', { name, exact: true }), 'ticket comes')
  }
  await page.getByRole('tab', { name: 'All', exact: true }).tap()
  await repeat(async () => {
    await timer.tap('On my way', button(page, 'On my way'), { shows: '.ticket-release' })
    await timer.tap('Release', button(page, 'Release'), { hides: '.ticket-release' })
  })
  await repeat(async () => {
    await timer.tap('Mark Complete', ticket.first().locator('[data-complete]'), 'ticket goes')
    await timer.tap('Undo, in the toast', page.locator('.toasts').getByText('Undo'), 'ticket comes')
  })
  await repeat(async () => {
    await timer.tap('Mark Complete', ticket.first().locator('[data-complete]'), 'ticket goes')
    await timer.tap('Undo, in "Recently completed"', page.locator('.recent').getByText('Undo').first())
  })
  await repeat(async () => {
    await timer.tap('"?" of a ticket', ticket.first().locator('.ticket-question'), toasts)
    await timer.tap('Dismiss, in a toast', button(page, 'Dismiss'))
    await page.locator(toasts.shows).waitFor({ state: 'detached' })
  })
  await page.evaluate(() => {
    window.paintTimer.arrivals = []
  })
  for (let index = 0; index < arrivals; index++) {
    await sendRequest()
    await page.waitForTimeout(500)
  }
}

/** All sections of a phone. */
async function measurePhone({ page, timer, nothing }: Screen): Promise<void> {
  const ticket = page.locator('.tickets:not(.role-calls) > .ticket')
  const close = inDialog(page, 'Close')
  const nav = (name: 'Me' | 'Requests' | 'Messages'): Locator =>
    page.locator('.crew-nav button').nth(['Me', 'Requests', 'Messages'].indexOf(name))
  await repeat(() => timer.tap('phone: nothing', nothing))
  for (let index = 0; index < tabNames.length; index++) {
    const name = tabNames[index] ?? ''
    await timer.tap('phone: a tab', page.getByRole('tab', { name, exact: true }), 'ticket comes')
  }
  await repeat(async () => {
    await timer.tap('phone: On my way', button(page, 'On my way'), { shows: '.ticket-release' })
    await timer.tap('phone: Release', button(page, 'Release'), { hides: '.ticket-release' })
    await timer.tap('phone: Mark Complete', ticket.first().locator('[data-complete]'), 'ticket goes')
    await timer.tap('phone: Undo', page.locator('.toasts').getByText('Undo'), 'ticket comes')
  })
  await repeat(async () => {
    await timer.tap('More: the table’s memory opens', page.locator('.ticket-more').first(), opens)
    await timer.tap('Close, in a drawer', close, closes)
  })
  await repeat(async () => {
    await timer.tap('More: the table’s memory opens', page.locator('.ticket-more').first(), opens)
    await timer.tap('Move to another table', inDialog(page, 'Move to another table'), {
      shows: '[role=dialog] input',
    })
    for (const key of `${takenTables + 1}`) await timer.press('type a table', key)
    await timer.tap('Move', page.getByRole('dialog').locator('[type=submit]'), closes)
    await timer.tap('Undo, of a move', page.locator('.toasts').getByText('Undo'))
    await page
      .getByText(/^moved from/u)
      .first()
      .waitFor({ state: 'detached' })
  })
  await repeat(async () => {
    await timer.tap('More: the table’s memory opens', page.locator('.ticket-more').first(), opens)
    await timer.tap('Mute for an hour', inDialog(page, 'For an hour'), closes)
    await timer.tap('Unmute', page.getByRole('button', { name: /^Unmute table/u }).first())
  })
  await repeat(async () => {
    await timer.tap('Me', nav('Me'), { shows: '.crew-side:not([data-away])' })
    await timer.tap('Messages', nav('Messages'), {
      shows: '.crew-side[data-away] + .crew-rail[data-away] + *',
    })
    await timer.tap('Requests', nav('Requests'), { shows: '.crew-rail:not([data-away])' })
  })
  await nav('Me').tap()
  await repeat(async () => {
    await timer.tap('Change name', button(page, 'Change name'), opens)
    await timer.tap('a name', page.getByRole('dialog').locator('label').filter({ hasText: 'Maya' }), closes)
    await timer.tap('Going on break', button(page, 'Going on break'), opens)
    await timer.tap('who covers', page.getByRole('dialog').locator('label').first(), closes)
    await timer.tap('Back from break', button(page, 'Back from break'))
    await timer.tap('Move a party', button(page, 'Move a party'), opens)
    await timer.tap('Close, in a drawer', close, closes)
    await timer.tap('Seat tables', page.getByRole('button', { name: /^Seat tables/u }).first(), opens)
    await timer.tap('Open table', page.getByRole('dialog').getByText('Open table', { exact: true }).first())
    await timer.tap('Close, in a drawer', close, closes)
    await timer.tap(
      'Alerts: this screen',
      page.getByRole('button', { name: /^Alerts on this phone/u }).first(),
      opens,
    )
    await timer.tap('Test sound', inDialog(page, 'Test sound'))
    await timer.tap('Close, in a drawer', close, closes)
    await timer.tap('Sound', page.locator('.crew-header').getByRole('button', { name: /^Sound/u }))
    await timer.tap('Sound', page.locator('.crew-header').getByRole('button', { name: /^Sound/u }))
  })
  await nav('Messages').tap()
  await repeat(async (index) => {
    const search = page.getByRole('searchbox')
    await timer.tap('a field', search)
    await timer.press('type a name', 'T')
    await timer.press('type a name', 'Backspace')
    await timer.tap('a contact', page.getByRole('button', { name: /Tamara Bell/u }).first(), {
      shows: '[role=log]',
    })
    await timer.tap('a field', page.getByPlaceholder('Type a message...'))
    for (const key of 'Hi') await timer.press('type a message', key)
    await timer.tap('Send', button(page, 'Send'))
    await timer.tap('Quick messages', button(page, 'Quick messages'), opens)
    await timer.tap(
      'a quick message',
      page
        .getByRole('dialog')
        .locator('section button')
        .nth(index % 8),
      closes,
    )
    await timer.tap('Back to contacts', button(page, 'Back to contacts'), { hides: '[role=log]' })
    await timer.tap('Quick messages', page.getByRole('button', { name: 'Quick messages' }).first(), opens)
    await timer.tap(
      'a call to any Server',
      page.getByRole('dialog').locator('section button').nth(index),
      closes,
    )
  })
  await nav('Requests').tap()
  // Somebody else at this phone.
  await nav('Me').tap()
  await button(page, 'Change name').tap()
  await page.getByRole('dialog').locator('label').filter({ hasText: 'Tom' }).tap()
  await nav('Requests').tap()
  await page.locator('.ticket-claim').first().waitFor()
  for (let index = 0; index < times / 2; index++) {
    await timer.tap('Not me, of a call', page.locator('.ticket-decline').first())
    await timer.tap("I'll do it, of a call", page.locator('.ticket-claim').first())
  }
}

/** A phone of nobody in particular. */
async function measureSections({ page, timer, floor }: Screen): Promise<void> {
  const select = page.locator('.section-filter select')
  await repeat(async () => {
    await timer.choose('a section', select, floor.sectionName, 'ticket goes')
    await timer.tap(
      '"{count} elsewhere": all sections',
      page.locator('.section-filter button'),
      'ticket comes',
    )
  })
  await repeat(async () => {
    await timer.tap(
      'Select your name',
      page.locator('.section-row').getByRole('button', { name: 'Select your name' }),
      opens,
    )
    await timer.tap('Close, in a drawer', inDialog(page, 'Close'), closes)
  })
}

/** A computer's keyboard. */
async function measureKeys({ page, timer }: Screen): Promise<void> {
  await page.locator('#requests').focus()
  await repeat(async () => {
    await timer.press('key J: next ticket', 'j')
    await timer.press('key K: previous ticket', 'k')
    await timer.press('key A: On my way', 'a', { shows: '.ticket-release' })
    await timer.press('key C: Mark Complete', 'c', 'ticket goes')
    await timer.press('key U: Undo', 'u', 'ticket comes')
    await timer.tap('Release', button(page, 'Release'), { hides: '.ticket-release' })
    await timer.press('keys 1 to 6: a tab', '3', 'ticket comes')
    await timer.press('keys 1 to 6: a tab', '1', 'ticket comes')
    await timer.press('key ?: the shortcuts', '?', opens)
    await timer.press('Escape', 'Escape', closes)
    await timer.press('key M: messages', 'm')
    await page.locator('#requests').focus()
  })
}

/** Across the room, and away from it. */
async function measureWall({ page, timer, nothing, floor }: Screen): Promise<void> {
  const select = page.locator('.section-filter select')
  await repeat(async () => {
    await timer.tap('wall: nothing', nothing)
    await timer.choose('wall: a section', select, floor.sectionName)
    await timer.tap('wall: all sections', page.locator('.section-filter button'))
  })
  await repeat(async () => {
    await timer.tap('wall: Leave display', page.getByRole('button', { name: 'Leave display' }), {
      shows: '.crew',
    })
    await page.locator('.ticket').first().waitFor()
    await page.goBack()
    await page.locator('.wall').waitFor()
    await page.waitForTimeout(1_000)
  })
}

const parts: Record<string, Part> = {
  list: { size: { width: 1024, height: 768 }, nothing: { x: 500, y: 28 }, measure: measureList },
  phone: { size: { width: 390, height: 844 }, nothing: { x: 150, y: 28 }, measure: measurePhone },
  sections: {
    size: { width: 390, height: 844 },
    nothing: { x: 150, y: 28 },
    isAnonymous: true,
    measure: measureSections,
  },
  keys: { size: { width: 1440, height: 900 }, nothing: { x: 600, y: 28 }, measure: measureKeys },
  wall: {
    size: { width: 1920, height: 1080 },
    nothing: { x: 960, y: 700 },
    path: '/waiter?display',
    measure: measureWall,
  },
}

await withBrowser(async (setup) => {
  const floor = await setUpFloor(setup)
  const sendRequest = createRequestSender(setup.url, types, takenTables)
  // The one whose tables most are is there, so that these call nobody else.
  const colleague = await openOnDevice(setup, '/waiter', { width: 390, height: 844 }, (page) =>
    startShift(page, floor.tomId),
  )
  await colleague.getByText('0 Active', { exact: true }).waitFor()
  for (let count = 0; count < initialRequests; count++) await sendRequest()
  const rows: string[][] = []
  const row = (name: string, samples: readonly number[]): string[] => [
    name,
    ...[percentile(samples, 0.5), percentile(samples, 0.9), Math.max(...samples)].map(
      (ms) => `${formatFigure(ms)} ms`,
    ),
  ]
  for (const name of partNames) {
    const part = parts[name]
    if (!part) throw new Error(`No part is called ${name}`)
    if (name === 'phone') await call(setup, api.restaurant.change, { seating: true })
    const page = await openOnDevice(setup, part.path ?? '/waiter', part.size, async (page) => {
      await preparePaintTimer(page)
      if (!part.isAnonymous) await startShift(page, floor.mayaId)
    })
    await page
      .getByText(/^\d+ Active$/u)
      .first()
      .waitFor()
    // Parts that come later move what is there.
    await page.waitForLoadState('networkidle')
    await page.waitForTimeout(2_000)
    const timer = new TapTimer(page)
    // What a page does only once, such as preparing its sound, does not count.
    for (let count = 0; count < 5; count++) await timer.touch(part.nothing.x, part.nothing.y)
    const { nothing } = part
    try {
      await part.measure({ page, timer, nothing, sendRequest, floor })
    } catch (error) {
      // What was measured until then is printed all the same.
      console.error(`${name}:`, error)
      process.exitCode = 1
    }
    for (const { name, taps, effects } of timer.samples()) {
      rows.push(row(`tap ${name}`, taps))
      if (effects) rows.push(row('… and its effect', effects))
    }
    const arrived = await page.evaluate(() => window.paintTimer.arrivals)
    if (name === 'list') rows.push(row('a request arrives', arrived))
    await page.context().close()
  }
  console.log(
    `${initialRequests} open requests, 4× slower CPU, ${times} times each: from the event to its paint\n`,
  )
  console.log(markdownTable(['', 'p50', 'p90', 'maximum'], rows))
})
