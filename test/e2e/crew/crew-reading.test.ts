import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs, minuteMs } from '#contract/durations.ts'
import { setUpApp } from '../../support/app.ts'
import { connectScreen, pendingRequests } from '../../support/pages/crew-view.ts'
import { addCrew, type Restaurant, today } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { openContact } from '../pages/message-screens.ts'
import { signInToRestaurant } from '../pages/sign-in.ts'
import {
  brokenWords,
  brokenWordsOfAll,
  clippedTexts,
  cutPlaceholders,
  overflowingNow,
  setTextSize,
  smallTargets,
} from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { button, field, press, section, whenToastsLoad } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

const smallest = { width: 320, height: 640 }
const landscape = { width: 844, height: 390 }

const tables = Array.from({ length: 14 }, (_, index) => String(index + 1))

async function ask(restaurant: Restaurant, ...tableNumbers: string[]): Promise<void> {
  for (const tableNumber of tableNumbers) {
    const body = { id: randomUUID(), restaurantId: restaurant.name, tableNumber }
    await app.browser().ok(api.requests.send, { body })
  }
}

async function askTwentyMinutesAgo(restaurant: Restaurant, table: string): Promise<void> {
  app.advance(-20 * minuteMs)
  await ask(restaurant, table)
  app.advance(20 * minuteMs)
}

/** Whether all of the control with the focus can be seen; null where it is on no ticket. */
const isFocusInView = (page: Page): Promise<boolean | null> =>
  page.evaluate(() => {
    const control = document.activeElement
    const own = control?.closest('[data-request]')
    if (!control || !own) return null
    const { left, top, right, bottom } = control.getBoundingClientRect()
    return [top + 1, bottom - 1].every((y) => own.contains(document.elementFromPoint((left + right) / 2, y)))
  })

it.each([
  ['small phone', { width: 390, height: 740 }],
  ['tablet', { width: 820, height: 1180 }],
  ['desktop', { width: 1280, height: 720 }],
])('shows all of the control that gets the focus by Tab: %s', async (size, viewport) => {
  const restaurant = await app.restaurant({ tables })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const floor = await restaurant.owner.ok(api.floor.tables, {})
  const assignments = floor.map(({ id }) => ({ tableId: id, crewMemberId: maya.id }))
  await restaurant.owner.ok(api.floor.assign, { body: { date: today, assignments } })
  await ask(restaurant, ...tables)
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport })
  await page.getByText(/\d not in view/u).waitFor()
  let onTickets = 0
  for (const key of [...Array(50).fill('Tab'), ...Array(40).fill('Shift+Tab')]) {
    await page.keyboard.press(key)
    await expect.poll(() => isFocusInView(page)).not.toBe(false)
    if (await isFocusInView(page)) onTickets += 1
  }
  expect(onTickets).toBeGreaterThan(20)
  await takeScreenshot(page, `crew-focus-${size.replace(' ', '-')}`)
})

it('shows "Mark Complete" on a late ticket as a button that can be pressed', async () => {
  const restaurant = await app.restaurant({ tables })
  await askTwentyMinutesAgo(restaurant, '4')
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\/auth\/user/] })
  await signInToRestaurant(page, app, restaurant)
  await page.goto(`${app.url}/waiter`)
  const late = ticket(page, '4')
  await late.and(page.locator('[data-heat="late"]')).waitFor()
  const groundOf = (name: string) =>
    button(late, name).evaluate((element) => getComputedStyle(element).backgroundColor)
  const ticketGround = await late.evaluate((element) => getComputedStyle(element).backgroundColor)
  expect(await groundOf('Mark Complete')).not.toBe(ticketGround)
  expect(await groundOf('Mark Complete')).not.toBe('rgba(0, 0, 0, 0)')
  const edge = await button(late, 'Mark Complete').evaluate(
    (element) => getComputedStyle(element).borderWidth,
  )
  expect(edge).toBe('1px')
  await takeScreenshots(page, 'crew-late', ['phone', 'desktop'])
})

it.each([
  ['ahead', hourMs],
  ['behind', -hourMs],
])('shows how long guests wait by the server’s clock where the phone is an hour %s', async (_, wrongMs) => {
  const restaurant = await app.restaurant({ tables })
  await askTwentyMinutesAgo(restaurant, '4')
  await ask(restaurant, '7')
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\/auth\/user/] })
  await page.clock.install({ time: Date.now() + wrongMs })
  await signInToRestaurant(page, app, restaurant)
  await page.goto(`${app.url}/waiter`)
  // Whatever the page takes to open, it is much less than the hour.
  await ticket(page, '4')
    .getByText(/^2\dm ago$/u)
    .waitFor()
  await ticket(page, '4').and(page.locator('[data-heat="late"]')).waitFor()
  await ticket(page, '7')
    .getByText(/^(?:\d+s|\dm) ago$/u)
    .waitFor()
})

it.each([
  ['on', hourMs],
  ['back', -hourMs],
])('shows how long guests wait by the server’s clock once the phone’s is set %s', async (_, setMs) => {
  const restaurant = await app.restaurant({ tables })
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\/auth\/user/] })
  await page.clock.install()
  await signInToRestaurant(page, app, restaurant)
  await page.goto(`${app.url}/waiter`)
  await page.getByText('Live', { exact: true }).waitFor()
  await ask(restaurant, '7')
  const age = ticket(page, '7').locator('time')
  await age.waitFor()
  await page.clock.setSystemTime(Date.now() + setMs)
  // As long as a screen stays silent.
  await page.clock.runFor(16_000)
  await expect.poll(() => age.textContent()).toMatch(/^(?:[1-9]\d*s|\dm) ago$/u)
})

it('shows how many messages are new beside the word on a phone on its side', async () => {
  const restaurant = await app.restaurant({ tables })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
  const viewport = { width: 844, height: 390 }
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport })
  const colleague = await connectScreen(restaurant.device, jonas.id)
  await colleague.request({ type: 'send-team-message', targetCrewId: maya.id, messageText: 'Can you help?' })
  const messages = page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('button', { name: /^Messages/u })
  await messages.getByText('1 new').waitFor({ state: 'attached' })
  const gap = (): Promise<number> =>
    messages.evaluate((button) => {
      const word = document.createRange()
      for (const node of button.childNodes) if (node instanceof Text) word.selectNode(node)
      const count = button.querySelector('[aria-hidden].absolute')?.getBoundingClientRect()
      return word.getBoundingClientRect().left - (count?.right ?? Infinity)
    })
  await expect.poll(gap).toBeGreaterThanOrEqual(0)
})

it('asks whether the sound was heard above what it says of alerts', async () => {
  const restaurant = await app.restaurant({ tables })
  await addCrew(restaurant.owner, 'Maya Chen')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  await press(page, 'Start shift')
  const question = section(page, 'Heard it?')
  const alerts = question.getByText(/^Alerts on this phone/u)
  await alerts.waitFor()
  const topOf = async (name: string): Promise<number> =>
    (await button(question, name).boundingBox())?.y ?? Infinity
  await expect
    .poll(
      async () => ((await alerts.boundingBox())?.y ?? 0) > Math.max(await topOf('No'), await topOf('Yes')),
    )
    .toBe(true)
  await takeScreenshots(page, 'crew-heard-it', ['phone', 'desktop'])
})

it('keeps the names whole in large text where one is selected', async () => {
  const restaurant = await app.restaurant({ tables })
  for (const name of ['Bela Nagy', 'Ines Castellanos']) await addCrew(restaurant.owner, name)
  const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
  await setTextSize(page, 32)
  await press(page, 'Select your name')
  const names = page.getByRole('radiogroup')
  await names.waitFor()
  await expect.poll(() => brokenWords(names)).toEqual([])
})

it('makes a name smaller before it breaks a word of it, where names are listed', async () => {
  const restaurant = await app.restaurant({ tables })
  for (const name of ['Maximiliane Featherstone', 'Bartholomew Castellanos', 'Ute'])
    await addCrew(restaurant.owner, name)
  const page = await openCrewScreen(app, restaurant, { name: 'Ute', viewport: smallest })
  await press(page, 'Not now')
  const expectWholeNames = async (list: Locator): Promise<void> => {
    await list.getByText('Maximiliane Featherstone').waitFor()
    for (const textSize of [16, 32]) {
      await setTextSize(page, textSize)
      for (const width of [320, 390]) {
        await page.setViewportSize({ width, height: 1600 })
        const look = async () => ({ width, textSize, broken: await brokenWords(list) })
        await expect.poll(look).toEqual({ width, textSize, broken: [] })
      }
    }
    await setTextSize(page, 16)
  }
  await press(page, 'Messages')
  await expectWholeNames(section(page, 'ALL CONTACTS'))
  await press(page, 'Me')
  await press(page, 'Change name')
  await expectWholeNames(page.getByRole('radiogroup'))
})

it('keeps the words of messages whole in large text on a small phone', async () => {
  const restaurant = await app.restaurant({ tables })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: smallest })
  await press(page, 'Not now')
  const colleague = await connectScreen(restaurant.device, jonas.id)
  await colleague.request({ type: 'send-team-message', targetCrewId: maya.id, messageText: 'Can you help?' })
  await setTextSize(page, 32)
  await page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('button', { name: /^Messages/u })
    .click()
  const contacts = section(page, 'ALL CONTACTS')
  await contacts.getByText('1 new').waitFor()
  await expect.poll(() => brokenWords(contacts)).toEqual([])
  await expect.poll(() => clippedTexts(page)).toEqual([])
  await expect.poll(() => cutPlaceholders(page)).toEqual([])
  await openContact(page, 'Jonas Berg')
  const message = field(page, 'Message')
  await message.fill('Two minutes, then the next table.')
  await message.press('Enter')
  const log = page.getByRole('log')
  await button(log, 'Delete message').waitFor()
  await expect.poll(() => brokenWords(log)).toEqual([])
  await expect.poll(() => clippedTexts(page)).toEqual([])
  await expect.poll(() => cutPlaceholders(page)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
})

it('draws the question mark of an unproven table off the icon in large text on a phone on its side', async () => {
  const restaurant = await app.restaurant({ tables })
  await addCrew(restaurant.owner, 'Maya Chen')
  await ask(restaurant, '4')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: landscape })
  await setTextSize(page, 32)
  const mark = ticket(page, '4').locator('.ticket-question span')
  await mark.waitFor()
  const gap = (): Promise<number> =>
    mark.evaluate((circle) => {
      const icon = circle.closest('.ticket')?.querySelector('.ticket-type svg')?.getBoundingClientRect()
      return circle.getBoundingClientRect().top - (icon?.bottom ?? Infinity)
    })
  await expect.poll(gap).toBeGreaterThanOrEqual(0)
})

it('leaves most of a phone on its side to the requests in large text', async () => {
  const restaurant = await app.restaurant({ tables })
  await addCrew(restaurant.owner, 'Maya Chen')
  await ask(restaurant, ...tables)
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: landscape })
  await press(page, 'Not now')
  await setTextSize(page, 32)
  const height = async (part: string): Promise<number> =>
    (await page.locator(part).boundingBox())?.height ?? Infinity
  await expect
    .poll(async () => (await height('.crew-header')) + (await height('.crew-nav')))
    .toBeLessThan(landscape.height * 0.4)
  // Again with each look: the rail scrolls as a whole only once the large text is drawn.
  await expect
    .poll(async () => {
      await page.evaluate(() => scrollTo(0, 1e6))
      return (await page.locator('.rail-head').boundingBox())?.y
    })
    .toBeLessThan(0)
  expect(await smallTargets(page)).toEqual([])
})

it('draws the icons of drawers as large as their text, and every button around its words', async () => {
  const restaurant = await app.restaurant({ tables })
  await addCrew(restaurant.owner, 'Maya Chen')
  await ask(restaurant, '4')
  const viewport = { ...smallest, height: 1900 }
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport })
  await setTextSize(page, 32)
  await press(page, 'More for table 4')
  const drawer = page.getByRole('dialog')
  await drawer.getByText('Call Waiter').waitFor()
  const iconWidth = () =>
    button(drawer, 'Close')
      .locator('svg')
      .evaluate((icon) => icon.clientWidth)
  await expect.poll(iconWidth).toBe(48)
  const spilling = () =>
    drawer.getByRole('button').evaluateAll((all) =>
      all.flatMap((each) => {
        const words = document.createRange()
        words.selectNodeContents(each)
        return words.getBoundingClientRect().height > each.clientHeight ? [each.textContent] : []
      }),
    )
  await expect.poll(spilling).toEqual([])
})

it('breaks no word of a table’s name that fits a line, in large text too', async () => {
  const names = [
    'The long table by the fountain, terrace',
    'Konstantin’s corner',
    'Garden Room',
    'Séparée 12',
  ]
  const restaurant = await app.restaurant({ tables: names })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
  const floor = await restaurant.owner.ok(api.floor.tables, {})
  const assignments = floor.map(({ id }) => ({ tableId: id, crewMemberId: maya.id }))
  await restaurant.owner.ok(api.floor.assign, { body: { date: today, assignments } })
  await ask(restaurant, ...names)
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: smallest })
  const expectWholeWords = async (part: string): Promise<void> => {
    for (const textSize of [16, 32]) {
      await setTextSize(page, textSize)
      for (const width of [320, 390, 820, 1440]) {
        await page.setViewportSize({ width, height: 3000 })
        const texts = page.locator(part)
        await expect
          .poll(async () => ({ part, width, textSize, broken: await brokenWordsOfAll(texts) }))
          .toEqual({ part, width, textSize, broken: [] })
      }
    }
  }
  await page.locator('.ticket').nth(3).waitFor()
  await expectWholeWords('.ticket h3')
  await expectWholeWords('.my-tables li')
  const colleague = await connectScreen(restaurant.device, jonas.id)
  const { requests } = await pendingRequests(restaurant.device)
  for (const { id } of requests) await colleague.request({ type: 'accept-request', id })
  await page.locator('.accepted-line').nth(3).waitFor()
  await expectWholeWords('.accepted-line h3')
})

it('keeps what a table with a long name asks for in one line, in languages of long words too', async () => {
  const table = 'The long table by the fountain, terrace'
  const restaurant = await app.restaurant({ tables: [table] })
  await ask(restaurant, table)
  const page = await openPage({ viewport: smallest, tolerate: [/\/api\/auth\/user/] })
  await signInToRestaurant(page, app, restaurant)
  for (const language of ['en', 'de', 'fr', 'ar', 'hi']) {
    await page.goto(`${app.url}/waiter`)
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.reload()
    const what = page.locator(`:root[lang="${language}"] .ticket .ticket-type`)
    await what.waitFor()
    for (const width of [360, 390]) {
      await page.setViewportSize({ width, height: 844 })
      const look = async () => ({
        language,
        width,
        isOneLine: ((await what.boundingBox())?.height ?? Infinity) < 36,
        clipped: await clippedTexts(page),
      })
      await expect.poll(look).toEqual({ language, width, isOneLine: true, clipped: [] })
    }
    await takeScreenshots(page, `crew-long-${language}`, ['phone'])
  }
})

it('leaves room for a thumb on each tab and table, in Arabic on a small phone too', async () => {
  const restaurant = await app.restaurant({ tables: ['4', 'Garden Room'] })
  await addCrew(restaurant.owner, 'Maya Chen')
  await ask(restaurant, '4', 'Garden Room')
  const page = await openPage({ viewport: { ...smallest, height: 1900 }, tolerate: [/\/api\/auth\/user/] })
  await signInToRestaurant(page, app, restaurant)
  for (const language of ['en', 'ar']) {
    await page.goto(`${app.url}/waiter`)
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.reload()
    await page.locator(`:root[lang="${language}"] .ticket`).nth(1).waitFor()
    await expect.poll(() => smallTargets(page)).toEqual([])
  }
})

/** The free space between the words of each two tabs, in pixels. */
const gapsBetweenTabs = (page: Page): Promise<number[]> =>
  page.getByRole('tab').evaluateAll((tabs) => {
    const words = tabs.map((tab) => {
      const range = document.createRange()
      range.selectNode([...tab.childNodes].findLast((node) => node.textContent?.trim()) ?? tab)
      return range.getBoundingClientRect()
    })
    return words.slice(1).map(({ left }, index) => Math.round(left - (words[index]?.right ?? Infinity)))
  })

it.each(['de', 'es', 'fr', 'it', 'pt', 'vi'])(
  'keeps words apart and whole on the smallest phone, in large text too: %s',
  async (language) => {
    const restaurant = await app.restaurant({ tables })
    const maya = await addCrew(restaurant.owner, 'Maya Chen')
    const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
    const id = randomUUID()
    await app.browser().ok(api.requests.send, {
      body: { id, restaurantId: restaurant.name, tableNumber: '4', serviceType: 'food' },
    })
    const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: smallest })
    const colleague = await connectScreen(restaurant.device, jonas.id)
    await colleague.request({ type: 'accept-request', id })
    await colleague.request({ type: 'send-team-message', targetCrewId: maya.id, messageText: 'Help?' })
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
    await page.reload()
    const accepted = page.locator(`:root[lang="${language}"] .accepted-line`)
    await accepted.waitFor()
    await expect.poll(async () => Math.min(...(await gapsBetweenTabs(page)))).toBeGreaterThanOrEqual(3)
    await setTextSize(page, 32)
    await expect.poll(() => brokenWords(accepted)).toEqual([])
    await takeScreenshot(page, `crew-smallest-${language}`)
    await page.locator('.crew-nav button').nth(2).click()
    await page.getByRole('button', { name: 'Jonas Berg' }).first().click()
    await page.getByRole('log').waitFor()
    for (const [width, textSize] of [
      [320, 16],
      [320, 32],
      [390, 32],
    ] as const) {
      await page.setViewportSize({ ...smallest, width })
      await setTextSize(page, textSize)
      const look = async () => ({
        width,
        textSize,
        cut: await cutPlaceholders(page),
        wide: await overflowingNow(page),
      })
      await expect.poll(look).toEqual({ width, textSize, cut: [], wide: [] })
    }
  },
)

it('names who works here before the role, from right to left too', async () => {
  const restaurant = await app.restaurant({ tables })
  await addCrew(restaurant.owner, 'Maya Chen')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen' })
  /** Runs in the page. */
  const nameLeftOfRole = (nameAndRole: Element): boolean => {
    const text = nameAndRole.firstChild
    const leftOf = (start: number, end: number): number => {
      const words = document.createRange()
      if (text) words.setStart(text, start)
      if (text) words.setEnd(text, end)
      return words.getBoundingClientRect().left
    }
    const { textContent } = nameAndRole
    const name = textContent.indexOf('Maya Chen')
    const lastLetter = textContent.search(/\p{L}\P{L}*$/u)
    return leftOf(name, name + 'Maya Chen'.length) < leftOf(lastLetter, lastLetter + 1)
  }
  for (const [language, isLeft] of [
    ['en', true],
    ['ar', false],
  ] as const) {
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.reload()
    await page.locator(`:root[lang="${language}"]`).waitFor()
    const nameAndRole = page.locator('.crew-name > span', { hasText: 'Maya Chen' })
    await expect.poll(() => nameAndRole.evaluate(nameLeftOfRole)).toBe(isLeft)
  }
})

async function edgesOf(part: Locator): Promise<{ top: number; bottom: number }> {
  const { y = 0, height = 0 } = (await part.boundingBox()) ?? {}
  return { top: y, bottom: y + height }
}

it('shows the field and the last message above the keyboard of a phone', async () => {
  const restaurant = await app.restaurant({ tables })
  for (const name of ['Maya Chen', 'Jonas Berg']) await addCrew(restaurant.owner, name)
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  await press(page, 'Not now')
  await press(page, 'Messages')
  await openContact(page, 'Jonas Berg')
  const message = field(page, 'Message')
  for (const text of [
    'Table 4 asks for the check.',
    'And 7 for the menu.',
    'I am in the cellar.',
    'Can you go?',
  ]) {
    await message.fill(text)
    await message.press('Enter')
    await page.getByRole('log').getByText(text).waitFor()
  }
  const log = page.getByRole('log')
  for (const height of [500, 844]) {
    await page.setViewportSize({ width: 390, height })
    await expect
      .poll(async () => (await edgesOf(page.locator('.crew-nav'))).top - (await edgesOf(message)).bottom)
      .toBeGreaterThan(0)
    await expect
      .poll(async () => (await edgesOf(log)).bottom - (await edgesOf(log.getByText('Can you go?'))).bottom)
      .toBeGreaterThanOrEqual(0)
  }
})

it('shows the field to write in below a long conversation in large text, without scrolling, while a shift is offered, too', async () => {
  const restaurant = await app.restaurant({ tables })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  const card = page.locator('.shift-card')
  await card.waitFor()
  const colleague = await connectScreen(restaurant.device, jonas.id)
  for (const messageText of [
    'Table 4 asks for the check.',
    'And 7 for the menu.',
    'I am here.',
    'Can you go?',
  ])
    await colleague.request({ type: 'send-team-message', targetCrewId: maya.id, messageText })
  await setTextSize(page, 32)
  const sections = page.getByRole('navigation', { name: 'Sections' })
  const openMessages = (): Promise<void> => sections.getByRole('button', { name: /^Messages/u }).click()
  await openMessages()
  await openContact(page, 'Jonas Berg')
  const log = page.getByRole('log')
  const last = log.getByText('Can you go?')
  const expectInView = async (offer: string): Promise<void> => {
    await last.waitFor()
    for (const height of [844, 740]) {
      await page.setViewportSize({ width: 390, height })
      await page.evaluate(() => scrollTo(0, 0))
      await takeScreenshot(page, `crew-large-conversation-${offer}-${height}`)
      const bar = page.locator('.crew-nav')
      const look = async () => ({
        height,
        hasField: (await edgesOf(bar)).top >= (await edgesOf(field(page, 'Message'))).bottom,
        hasLast: (await edgesOf(log)).bottom >= (await edgesOf(last)).bottom,
      })
      await expect.poll(look).toEqual({ height, hasField: true, hasLast: true })
    }
  }
  await expectInView('offered')
  await sections.getByRole('button', { name: /^Requests/u }).click()
  await card.getByRole('button', { name: 'Not now' }).click()
  await openMessages()
  await expectInView('not-now')
})

it.each(['de', 'tr', 'vi'])(
  'keeps the number of new messages in the line of its word in large text on a phone on its side: %s',
  async (language) => {
    const restaurant = await app.restaurant({ tables })
    const maya = await addCrew(restaurant.owner, 'Maya Chen')
    const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
    const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: landscape })
    const colleague = await connectScreen(restaurant.device, jonas.id)
    await colleague.request({ type: 'send-team-message', targetCrewId: maya.id, messageText: 'Help?' })
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
    await setTextSize(page, 32)
    await page.reload()
    const bar = page.locator('.crew-nav')
    await bar.locator('[aria-hidden].absolute').waitFor()
    const height = async (): Promise<number> => (await bar.boundingBox())?.height ?? Infinity
    await expect.poll(height).toBeLessThan(50)
  },
)

it.each([
  ['phone', viewports.phone],
  ['tablet', { width: 820, height: 1180 }],
])('keeps toasts off the contacts and quick messages: %s', async (size, viewport) => {
  const restaurant = await app.restaurant({ tables })
  for (const name of ['Maya Chen', 'Jonas Berg']) await addCrew(restaurant.owner, name)
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport })
  const sections = page.getByRole('navigation', { name: 'Sections' })
  await press(page, 'Messages')
  await page.getByText('Jonas Berg').waitFor()
  await whenToastsLoad(page)
  const isOverSections = page.waitForFunction(() => {
    const toast = document
      .querySelector('[aria-label="Notifications"] [role="group"]')
      ?.getBoundingClientRect()
    const bar = document.querySelector('.crew-nav')?.getBoundingClientRect()
    return toast && bar && toast.height > 0 && toast.top >= bar.top && toast.bottom <= innerHeight
  })
  await ask(restaurant, '4')
  await isOverSections
  await takeScreenshot(page, `crew-toast-messages-${size}`)
  await expect.poll(() => sections.isVisible()).toBe(true)
})

it('makes the name of whoever works here smaller before it breaks', async () => {
  const restaurant = await app.restaurant({ tables })
  const name = 'Maximilian Konstantinopolitanova'
  await addCrew(restaurant.owner, name)
  const page = await openCrewScreen(app, restaurant, { name })
  for (const [language, width] of [
    ['en', 1440],
    ['fr', 820],
    ['fr', 390],
    ['vi', 390],
    ['zh-Hans', 320],
  ] as const) {
    await page.evaluate((tag) => localStorage.setItem('language', tag), language)
    await page.setViewportSize({ width, height: 844 })
    await page.reload()
    await page.locator(`:root[lang="${language}"]`).waitFor()
    await page.locator('.crew-name', { hasText: name }).waitFor()
    await page.locator('.rail').waitFor()
    const names = page.locator('.crew-name, .crew-side:first-child h2')
    await takeScreenshot(page, `crew-name-${language}-${width}`)
    const spare = (): Promise<number> =>
      page.locator('.crew-name').evaluate((text) => {
        const { top = 0, bottom = 0 } = text.closest('header')?.getBoundingClientRect() ?? {}
        const box = text.getBoundingClientRect()
        return Math.min(box.top - top, bottom - box.bottom)
      })
    const broken = (): Promise<string[]> => brokenWordsOfAll(names)
    const look = async () => ({ language, width, broken: await broken(), isWithin: (await spare()) >= 4 })
    await expect.poll(look).toEqual({ language, width, broken: [], isWithin: true })
  }
})
