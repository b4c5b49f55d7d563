import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { setUpApp } from '../../support/app.ts'
import { connectScreen } from '../../support/pages/crew-view.ts'
import { pixelsOfPng } from '../../support/reading/qr-reader.ts'
import { addCrew, assignTables, type Restaurant, today } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { clippedTexts, countLines, linesOf, setTextSize } from '../support/accessibility.ts'
import { field, press } from '../support/locators.ts'
import { takeScreenshot, viewports } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

const landscape = { width: 844, height: 390 }
const tablet = { width: 820, height: 1180 }
const longTable = 'The long table by the fountain, terrace'

async function ask(
  restaurant: Restaurant,
  tableNumber: string,
  serviceType: ServiceType = 'general',
): Promise<string> {
  const id = randomUUID()
  const body = { id, restaurantId: restaurant.name, tableNumber, serviceType }
  await app.browser().ok(api.requests.send, { body })
  return id
}

async function speak(page: Page, language: string): Promise<void> {
  await page.evaluate((tag) => localStorage.setItem('language', tag), language)
  await page.reload()
  await page.locator(`:root[lang="${language}"] .crew-rail`).waitFor()
}

const boxOf = async (part: Locator) =>
  (await part.boundingBox()) ?? { x: NaN, y: NaN, width: NaN, height: NaN }

/** The dots that have no words behind them in their line. */
const trailingDots = (within: Locator): Promise<number> =>
  within.evaluate((element) => {
    const lines = new Map<number, { x: number; isDot: boolean }>()
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const text = walker.currentNode
      for (const { index, 0: word } of (text.textContent ?? '').matchAll(/\S+/gu)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const { right, bottom } = range.getBoundingClientRect()
        const last = lines.get(Math.round(bottom))
        if (!last || last.x < right) lines.set(Math.round(bottom), { x: right, isDot: word === '·' })
      }
    }
    return [...lines.values()].filter(({ isDot }) => isDot).length
  })

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

it('shows the own tables whole above the bar of a phone on its side while nobody waits', async () => {
  const restaurant = await app.restaurant({ tables: ['4', '12', 'Terrace 1'] })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  await assignTables({ ...restaurant, ids: { Maya: maya.id } }, today, { '4': 'Maya', 'Terrace 1': 'Maya' })
  const page = await openCrewScreen(app, restaurant, { name: maya.name, viewport: landscape })
  await page.evaluate(([id, day]) => localStorage.setItem(`shift_${id}`, day), [maya.id, today] as const)
  for (const language of ['en', 'de', 'vi']) {
    await speak(page, language)
    await page.locator('.nothing-to-do').waitFor()
    const room = async () => {
      const { y, height } = await boxOf(page.locator('.my-tables li').last())
      return { language, isWhole: (await boxOf(page.locator('.crew-nav'))).y >= y + height }
    }
    await expect.poll(room).toEqual({ language, isWhole: true })
  }
})

it('puts the comma of its language between a name and its role', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  await addCrew(restaurant.owner, 'Maya Chen')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.desktop })
  const words = {
    de: 'Maya Chen, Service',
    // A name may run in another direction than the role.
    ar: '\u2068Maya Chen\u2069، \u2068نادل\u2069',
    'zh-Hans': 'Maya Chen，服务员',
  }
  for (const [language, text] of Object.entries(words)) {
    await speak(page, language)
    await page.locator('.crew-name').getByText(text, { exact: true }).waitFor()
  }
})

it('says that nobody waits above the bar of the smallest phone in large text, also in long words', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const viewport = { width: 320, height: 640 }
  const page = await openCrewScreen(app, restaurant, { name: maya.name, viewport })
  await page.evaluate(([id, day]) => localStorage.setItem(`shift_${id}`, day), [maya.id, today] as const)
  const words = page.locator('.nothing-to-do p').first()
  for (const language of ['de', 'fr', 'pt', 'vi']) {
    await speak(page, language)
    await setTextSize(page, 32)
    const room = async () => {
      const { y, height } = await boxOf(words)
      return { language, fits: (await boxOf(page.locator('.crew-nav'))).y >= y + height }
    }
    await expect.poll(room).toEqual({ language, fits: true })
  }
})

it('draws the icon of a call beside the first line of its words', async () => {
  const restaurant = await app.restaurant({ tables: ['21'] })
  await addCrew(restaurant.owner, 'Maya Chen')
  const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  const colleague = await connectScreen(restaurant.device, jonas.id)
  const messageKey = 'TABLE_READY_TO_CLEAR'
  await colleague.request({ type: 'send-role-message', role: 'Server', messageKey, tableNumber: '21' })
  await speak(page, 'de')
  const what = page.locator('.role-call .ticket-type')
  const words = what.locator('span')
  for (const [viewport, textSize] of [
    [viewports.phone, 16],
    [landscape, 32],
  ] as const) {
    await page.setViewportSize(viewport)
    await setTextSize(page, textSize)
    await expect.poll(() => countLines(words)).toBe(2)
    /** How far the middles of the icon and of the first of two lines are apart. */
    const gap = async (): Promise<number> => {
      const [icon, text] = [await boxOf(what.locator('svg')), await boxOf(words)]
      return Math.abs(icon.y + icon.height / 2 - (text.y + text.height / 4))
    }
    await expect.poll(gap).toBeLessThan(3)
  }
})

it('mutes the number of a tab where nobody waits, so that the others stand out', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  await ask(restaurant, '4', 'assistance')
  const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
  const colorOf = (part: Locator): Promise<string> =>
    part.evaluate((element) => getComputedStyle(element).color)
  const isMuted = async (name: string): Promise<boolean> => {
    const tab = page.getByRole('tab', { name, exact: true })
    return (await colorOf(tab.locator('b'))) === (await colorOf(tab.locator('span')))
  }
  const muted = async () => ({ help: await isMuted('Help'), food: await isMuted('Food') })
  await expect.poll(muted).toEqual({ help: false, food: true })
  await press(page, 'Mark Complete')
  await expect.poll(muted).toEqual({ help: true, food: true })
})

it.each(['en', 'de', 'ar', 'hi', 'vi'])(
  'says in %s what the question mark means where a ticket says nothing else, in one line',
  async (language) => {
    const restaurant = await app.restaurant({ tables: ['Oak', 'Elm'] })
    const maya = await addCrew(restaurant.owner, 'Maya Chen')
    await assignTables({ ...restaurant, ids: { Maya: maya.id } }, today, { Elm: 'Maya' })
    for (const table of ['Oak', 'Elm']) await ask(restaurant, table, 'drinks')
    const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
    await ticket(page, 'Elm').getByText('Maya’s table').waitFor()
    const look = async (table: string) => {
      const meta = page.locator('.ticket').filter({ hasText: table }).locator('.ticket-meta')
      const { width } = await boxOf(meta.locator('.ticket-question'))
      return { hasWord: width > 60, lines: Math.round((await boxOf(meta)).height / 24) }
    }
    await speak(page, language)
    for (const width of [320, viewports.phone.width, tablet.width, viewports.desktop.width]) {
      await page.setViewportSize({ width, height: 844 })
      const shown = async () => ({
        width,
        alone: await look('Oak'),
        beside: await look('Elm'),
        clipped: await clippedTexts(page),
      })
      await expect.poll(shown).toEqual({
        width,
        alone: { hasWord: true, lines: 1 },
        beside: { hasWord: false, lines: 1 },
        clipped: [],
      })
    }
  },
)

it('draws the question mark of an unproven table in a circle, in large text too', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  await ask(restaurant, '4')
  const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
  const mark = ticket(page, '4').locator('.ticket-question span')
  for (const textSize of [16, 32])
    for (const viewport of [viewports.phone, landscape]) {
      await page.setViewportSize(viewport)
      await setTextSize(page, textSize)
      const ratio = async (): Promise<number> => {
        const { width, height } = await boxOf(mark)
        return width / height
      }
      await expect.poll(ratio).toBeCloseTo(1, 1)
    }
})

it('names a table with a long name in two lines where a colleague is on the way, no higher than others', async () => {
  const restaurant = await app.restaurant({ tables: ['4', 'Konstantin’s corner', longTable] })
  await addCrew(restaurant.owner, 'Maya Chen')
  const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  await press(page, 'Not now')
  const colleague = await connectScreen(restaurant.device, jonas.id)
  for (const table of ['4', 'Konstantin’s corner', longTable])
    await colleague.request({ type: 'accept-request', id: await ask(restaurant, table) })
  await expect.poll(() => page.locator('.accepted-line').count()).toBe(3)
  for (const language of ['en', 'de', 'ar']) {
    await speak(page, language)
    for (const viewport of [viewports.smallPhone, viewports.phone, tablet, viewports.desktop]) {
      await page.setViewportSize(viewport)
      const lines = page.locator('.accepted-line')
      const look = async () => {
        const [usual, ...others] = await lines.evaluateAll((all) => all.map((each) => each.clientHeight))
        const name = lines.filter({ hasText: longTable }).locator('.ticket-number')
        return {
          language,
          width: viewport.width,
          isHigher: others.some((height) => height > (usual ?? 0)),
          isShort: (await countLines(name)) <= 2,
          clipped: await clippedTexts(page),
        }
      }
      const expected = { language, width: viewport.width, isHigher: false, isShort: true, clipped: [] }
      await expect.poll(look).toEqual(expected)
    }
  }
})

it('leaves the age of a ticket with a long name beside its buttons, in large text on a phone on its side', async () => {
  const table = 'The long table by the fountain, terrace.'
  const restaurant = await app.restaurant({ tables: [table] })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  await ask(restaurant, table, 'drinks')
  const page = await openCrewScreen(app, restaurant, { name: maya.name })
  await press(page, 'On my way')
  await page.getByRole('button', { name: 'Release' }).waitFor()
  await page.setViewportSize(landscape)
  await setTextSize(page, 32)
  const gap = async (): Promise<number> => {
    const [age, actions] = await Promise.all(
      ['.ticket-age', '.ticket-actions'].map((part) => boxOf(page.locator('.ticket').locator(part))),
    )
    return age && actions ? actions.x - (age.x + age.width) : NaN
  }
  await expect.poll(gap).toBeGreaterThanOrEqual(0)
})

it('leaves room around the long name of an own table', async () => {
  const restaurant = await app.restaurant({ tables: ['4', longTable] })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const ids = { 'Maya Chen': maya.id }
  await assignTables({ ...restaurant, ids }, today, { '4': 'Maya Chen', [longTable]: 'Maya Chen' })
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  const chip = page.locator('.my-tables li').filter({ hasText: longTable })
  for (const viewport of [viewports.smallPhone, viewports.phone, tablet, viewports.desktop]) {
    await page.setViewportSize(viewport)
    /** Between its words and its edges, above and below. */
    const room = (): Promise<number> =>
      chip.evaluate((item) => {
        const words = document.createRange()
        words.selectNodeContents(item)
        const [inner, outer] = [words.getBoundingClientRect(), item.getBoundingClientRect()]
        return Math.min(inner.top - outer.top, outer.bottom - inner.bottom)
      })
    await expect.poll(room).toBeGreaterThanOrEqual(7)
    await expect.poll(() => countLines(chip)).toBeLessThanOrEqual(2)
  }
})

it('ends no line with the dot between who completed a request and when', async () => {
  const restaurant = await app.restaurant({ tables: ['4', '7'] })
  await addCrew(restaurant.owner, 'Maya Chen')
  const jonas = await addCrew(restaurant.owner, 'Jonas Winter')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.desktop })
  const colleague = await connectScreen(restaurant.device, jonas.id)
  await colleague.request({ type: 'complete-request', id: await ask(restaurant, '4') })
  const more = page.locator('section.recent .recent-more')
  await more.waitFor()
  await expect.poll(() => countLines(more)).toBeGreaterThan(1)
  await expect.poll(() => trailingDots(more)).toBe(0)
})

it('ends no line of the tables that have no room on the wall with a dot', async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => String(index + 101))
  const restaurant = await app.restaurant({ tables: numbers })
  for (const table of numbers) await ask(restaurant, table)
  const viewport = viewports.desktop
  const page = await openCrewScreen(app, restaurant, { path: '/waiter?display', viewport })
  const names = page.locator('.wall-more-names')
  await expect.poll(() => countLines(names)).toBeGreaterThan(1)
  await expect.poll(() => trailingDots(names)).toBe(0)
})

it('writes the long name of a table on the wall to be read from afar', async () => {
  const numbers = Array.from({ length: 12 }, (_, index) => String(index + 1))
  const restaurant = await app.restaurant({ tables: [...numbers, 'Wintergarten-Ecke am Kamin', longTable] })
  const jonas = await addCrew(restaurant.owner, 'Jonas Berg')
  const colleague = await connectScreen(restaurant.device, jonas.id)
  await colleague.request({ type: 'accept-request', id: await ask(restaurant, longTable) })
  for (const table of ['Wintergarten-Ecke am Kamin', ...numbers]) await ask(restaurant, table)
  const viewport = viewports.desktop
  const page = await openCrewScreen(app, restaurant, { path: '/waiter?display', viewport })
  for (const [place, table] of [
    ['.wall-ticket', 'Wintergarten-Ecke am Kamin'],
    ['.wall-line', longTable],
  ] as const) {
    const name = page.locator(place).filter({ hasText: table }).locator('.wall-number')
    const size = (): Promise<number> =>
      name.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize))
    for (const [width, height, least] of [
      [1920, 1080, 18],
      [1440, 900, 18],
      [1024, 768, 14],
      [390, 844, 12],
    ] as const) {
      await page.setViewportSize({ width, height })
      if (place === '.wall-ticket' && width < 1440) continue
      const look = async () => ({ place, width, isLarge: (await size()) >= least })
      await expect.poll(look).toEqual({ place, width, isLarge: true })
      const cut = () =>
        page
          .locator('.wall-ticket, .wall-line')
          .evaluateAll((all) => all.filter((each) => each.scrollHeight > each.clientHeight).length)
      await expect.poll(cut).toBe(0)
    }
  }
})

it('says in one line what a shift turns on, on the smallest phone', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  await addCrew(restaurant.owner, 'Maya Chen')
  const viewport = { width: 320, height: 640 }
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport })
  const words = page.locator('.shift-offer p').first()
  for (const language of ['en', 'ar', 'de', 'es', 'fr', 'hi', 'it', 'pt', 'tr', 'vi', 'zh-Hans']) {
    await speak(page, language)
    await words.waitFor()
    const look = async () => ({ language, lines: await countLines(words) })
    await expect.poll(look).toEqual({ language, lines: 1 })
  }
  await takeScreenshot(page, 'shift-offer-smallest')
})

it('shows no bright slice of the next ticket above the foot of a tablet’s list', async () => {
  const tables = Array.from({ length: 24 }, (_, index) => `${index + 1}`)
  const restaurant = await app.restaurant({ tables })
  for (const table of tables) await ask(restaurant, table)
  const page = await openCrewScreen(app, restaurant, { viewport: tablet })
  await page.locator('.not-in-view').waitFor()
  const first = await boxOf(page.locator('.ticket').first())
  const foot = async (): Promise<number> => Math.round((await boxOf(page.locator('.not-in-view'))).y)
  /** What is to be seen of the first ticket that is cut off. */
  const slice = async (): Promise<number> => {
    const tops = await page
      .locator('.ticket')
      .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)))
    const edge = await foot()
    return edge - Math.max(...tops.filter((top) => top < edge))
  }
  const thin = 7
  await page.setViewportSize({ ...tablet, height: tablet.height + thin - (await slice()) })
  await expect.poll(slice).toBe(thin)
  /** Of each line of pixels there, from the lowest up. */
  const brightness = async (y: number, height: number): Promise<number[]> => {
    const picture = await page.screenshot({ clip: { x: first.x + 150, y, width: 1, height } })
    const { data } = pixelsOfPng(picture.toString('base64'))
    return Array.from({ length: height }, (_, line) => data[4 * line] ?? NaN).toReversed()
  }
  const edge = await foot()
  /** How bright its three lowest lines are, between the ground (0) and a ticket (1). */
  const look = async (): Promise<number> => {
    const [plate = NaN] = await brightness(first.y + 2, 1)
    const [ground = NaN] = await brightness(edge - thin - 3, 1)
    const lowest = (await brightness(edge - thin, thin)).slice(0, 3)
    return (Math.max(...lowest) - ground) / (plate - ground)
  }
  await expect.poll(look).toBeLessThan(0.5)
})

it('lists each table that can be opened or closed by its name, and below it since when it is', async () => {
  const restaurant = await app.restaurant({ tables: ['4', longTable] })
  await restaurant.owner.ok(api.restaurant.change, { body: { seating: true } })
  await restaurant.owner.ok(api.seating.open, { body: { tableNumber: '4' } })
  await addCrew(restaurant.owner, 'Maya Chen')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  await press(page, 'Me')
  await press(page, 'Seat tables')
  const rows = page.getByRole('dialog').getByRole('listitem')
  await rows.nth(1).waitFor()
  for (const row of await rows.all()) {
    const [name, state] = [row.locator('strong'), row.locator('p span')]
    const gap = async (): Promise<number> => {
      const [above, below] = [await boxOf(name), await boxOf(state)]
      return below.y - (above.y + above.height)
    }
    await expect.poll(gap).toBeGreaterThanOrEqual(0)
    await expect.poll(() => countLines(state)).toBe(1)
  }
})

it('shows the eye of a PIN within its field on a phone on its side, in large text too', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  await restaurant.owner.ok(api.crew.change, { params: { id: maya.id }, body: { pin: '4711' } })
  const page = await openCrewScreen(app, restaurant, { viewport: landscape })
  await press(page, 'Select your name')
  await page.getByRole('radio', { name: 'Maya Chen' }).click()
  const dialog = page.getByRole('dialog', { name: 'PIN of Maya' })
  const eye = dialog.getByRole('button', { name: 'Show password' }).locator('svg')
  for (const textSize of [16, 32]) {
    await setTextSize(page, textSize)
    /** Between the eye and the nearest edge of the field. */
    const room = async (): Promise<number> => {
      const [outer, inner] = [await boxOf(dialog.getByLabel('PIN', { exact: true })), await boxOf(eye)]
      const [right, bottom] = [inner.x + inner.width, inner.y + inner.height]
      const beyond = [outer.x + outer.width - right, outer.y + outer.height - bottom]
      return Math.min(inner.x - outer.x, inner.y - outer.y, ...beyond)
    }
    await expect.poll(room).toBeGreaterThanOrEqual(3)
  }
})

it('leaves no table’s number alone on the last line of what a move will do', async () => {
  const restaurant = await app.restaurant({ tables: ['4', '7'] })
  await addCrew(restaurant.owner, 'Maya Chen')
  await ask(restaurant, '4')
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.phone })
  await ticket(page, '4').getByRole('button', { name: 'More for table 4' }).click()
  await press(page, 'Move to another table')
  await field(page, 'Move table 4 to table').fill('7')
  const summary = page.getByText('One open request and one phone go to table 7.')
  for (let width = 320; width <= 440; width += 10) {
    await page.setViewportSize({ width, height: 844 })
    const look = async () => ({ width, isAlone: (await linesOf(summary)).at(-1)?.trim() === '7.' })
    await expect.poll(look).toEqual({ width, isAlone: false })
  }
})
