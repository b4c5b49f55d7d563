import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../support/app.ts'
import { pendingRequests } from '../../support/pages/crew-view.ts'
import { addCrew, type Restaurant, today } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { press } from '../support/locators.ts'
import { takeScreenshot, viewports } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

const numbered = (count: number, name = ''): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index + 1}`)

let asked = 0

async function ask(restaurant: Restaurant, tableNumber: string, guest: TestBrowser = app.browser()) {
  // Requests of the same millisecond are ordered by their ids.
  const id = `${String(++asked).padStart(4, '0')}-${randomUUID()}`
  const body = { id, restaurantId: restaurant.name, tableNumber }
  return (await guest.ok(api.requests.send, { body })).request
}

async function askAtAll(restaurant: Restaurant, tables: readonly string[]): Promise<void> {
  const guest = app.browser()
  for (const table of tables) await ask(restaurant, table, guest)
}

async function seenTables(restaurant: Restaurant): Promise<string[]> {
  const { requests } = await pendingRequests(restaurant.device)
  return requests.filter(({ seen }) => seen > 0).map(({ tableNumber }) => tableNumber)
}

type Reading = {
  /** Tables whose number stands on a ticket that nothing covers, and those wholly named at the edge of the list. */
  tickets: string[]
  names: string[]
  /** What the line at the edge says: how many are not in view, and how many of those it does not name. */
  notInView: number
  notNamed: number
}

/** What a person reads on the crew's screen. */
const read = (page: Page): Promise<Reading> =>
  page.evaluate(() => {
    const isInFront = ({ left, top, right, bottom }: DOMRect, owner: Element | null): boolean =>
      [top + 2, bottom - 2].every((y) =>
        [left + 2, right - 2].every((x) => owner?.contains(document.elementFromPoint(x, y)) ?? false),
      )
    const boxOf = (text: Text, start: number, end: number): DOMRect => {
      const range = document.createRange()
      range.setStart(text, start)
      range.setEnd(text, end)
      return range.getBoundingClientRect()
    }
    const tickets = [...document.querySelectorAll('.ticket-number')].flatMap((number) => {
      const words = number.firstChild
      if (!(words instanceof Text)) return []
      return isInFront(boxOf(words, 0, words.length), number.closest('li')) ? [words.data] : []
    })
    const line = document.querySelector('.not-in-view')
    const names: string[] = []
    const texts = line ? document.createTreeWalker(line, NodeFilter.SHOW_TEXT) : null
    const edge = line?.getBoundingClientRect()
    while (texts?.nextNode()) {
      const words = texts.currentNode
      if (!(words instanceof Text) || words.parentElement?.closest('strong')) continue
      for (const { index, 0: name } of words.data.matchAll(/[^·+]*[^·+\s]/gu)) {
        const start = index + (name.length - name.trimStart().length)
        const box = boxOf(words, start, index + name.length)
        const isInside = edge && box.right <= edge.right && box.bottom <= edge.bottom + 1
        if (words.data[start - 1] !== '+' && isInside && isInFront(box, line)) names.push(name.trim())
      }
    }
    const numberIn = (pattern: RegExp): number => Number(pattern.exec(line?.textContent ?? '')?.[1] ?? 0)
    return {
      tickets,
      names,
      notInView: numberIn(/^(\d+) not in view/u),
      notNamed: numberIn(/\+(\d+)$/u),
    }
  })

/** Waits until what the screen says adds up, and the server knows of exactly what can be read, or was `before`. */
async function expectHonest(
  page: Page,
  restaurant: Restaurant,
  open: number,
  before: string[] = [],
): Promise<Reading> {
  await expect
    .poll(async () => {
      const { tickets, names, notInView, notNamed } = await read(page)
      return { all: tickets.length + notInView, notInView: names.length + notNamed - notInView }
    })
    .toEqual({ all: open, notInView: 0 })
  const reading = await read(page)
  await expect
    .poll(async () => (await seenTables(restaurant)).toSorted())
    .toEqual([...new Set([...reading.tickets, ...reading.names, ...before])].toSorted())
  return reading
}

it('names those that have room where the first has none', async () => {
  const long = 'The long table beside the old fountain 2'
  const tables = [...numbered(4), long, '21', '22']
  const restaurant = await app.restaurant({ tables })
  await askAtAll(restaurant, tables)
  const page = await openCrewScreen(app, restaurant, { viewport: { width: 320, height: 740 } })
  await expect.poll(async () => (await read(page)).names).toEqual(expect.arrayContaining(['21', '22']))
  const { names } = await expectHonest(page, restaurant, tables.length)
  expect(names).not.toContain(long)
})

it('names a ticket beneath the line and the sections as out of view, and counts it as seen by its name', async () => {
  const restaurant = await app.restaurant({ tables: numbered(5) })
  await askAtAll(restaurant, numbered(5))
  const page = await openCrewScreen(app, restaurant, { viewport: { width: 390, height: 740 } })
  const { names } = await expectHonest(page, restaurant, 5)
  expect(names).toContain('5')
  await takeScreenshot(page, 'seen-small-phone')
})

it('counts what the line has no room to name, and as seen only what it names whole', async () => {
  const tables = numbered(15, 'Terrace ')
  const restaurant = await app.restaurant({ tables })
  await askAtAll(restaurant, tables)
  const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
  const { notNamed } = await expectHonest(page, restaurant, 15)
  expect(notNamed).toBeGreaterThan(0)
  await takeScreenshot(page, 'seen-phone')

  // What the line did not name is seen once its ticket comes up.
  await expect
    .poll(async () => {
      // The list grows as its end comes near.
      await page.keyboard.press('End')
      return await seenTables(restaurant)
    })
    .toContain('Terrace 15')
  await takeScreenshot(page, 'seen-phone-end')
})

it('counts a name that is longer than the line, also where it would be the first', async () => {
  const tables = numbered(9, 'The long table beside the old fountain ')
  const restaurant = await app.restaurant({ tables })
  await askAtAll(restaurant, tables)
  const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
  const { names, notNamed } = await expectHonest(page, restaurant, tables.length)
  expect(names).toEqual([])
  expect(notNamed).toBeGreaterThan(0)
})

it('counts a request as seen by the line that it folds to, but not by its table among the own tables', async () => {
  const tables = numbered(24, 'By the river ')
  const restaurant = await app.restaurant({ tables })
  const [maya, jonas] = [
    await addCrew(restaurant.owner, 'Maya Chen'),
    await addCrew(restaurant.owner, 'Jonas Berg'),
  ]
  const floor = await restaurant.owner.ok(api.floor.tables, {})
  const last = floor.find(({ tableNumber }) => tableNumber === 'By the river 24')
  await restaurant.owner.ok(api.floor.assign, {
    body: { date: today, assignments: [{ tableId: last?.id ?? '', crewMemberId: maya.id }] },
  })
  const folded = await ask(restaurant, 'By the river 1')
  const screen = await restaurant.device.connect()
  await screen.request({ type: 'set-crew-member-context', crewMemberId: jonas.id })
  await screen.request({ type: 'accept-request', id: folded.id })
  screen.close()
  expect(await seenTables(restaurant)).toEqual([])

  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.desktop })
  await ticket(page, 'By the river 1').getByText('is on the way').waitFor()
  await expect.poll(() => seenTables(restaurant)).toEqual(['By the river 1'])

  await askAtAll(restaurant, tables.slice(1))
  const { notNamed } = await expectHonest(page, restaurant, 24, ['By the river 1'])
  expect(notNamed).toBeGreaterThan(0)
  const own = page.getByRole('list', { name: 'My tables' }).getByRole('listitem')
  await expect.poll(() => own.allInnerTexts()).toEqual(['By the river 24'])
  await expect.poll(() => own.getAttribute('data-heat')).not.toBe(null)
  expect(await seenTables(restaurant)).not.toContain('By the river 24')
  await takeScreenshot(page, 'seen-desktop')
})

it('what a dialog covers does not count as seen, until it closes', async () => {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  await ask(restaurant, '1')
  const page = await openCrewScreen(app, restaurant, { viewport: viewports.phone })
  await expect.poll(() => seenTables(restaurant)).toEqual(['1'])
  await press(page, 'More for table 1')
  const drawer = page.getByRole('dialog')
  await drawer.waitFor()
  await page.clock.install()
  await ask(restaurant, '2')
  // Behind the dialog, for nobody who listens.
  await page.locator('.ticket').nth(1).waitFor({ state: 'attached' })
  await page.clock.runFor(3_000)
  expect(await seenTables(restaurant)).toEqual(['1'])
  await press(drawer, 'Close')
  await expect
    .poll(async () => {
      await page.clock.runFor(500)
      return (await seenTables(restaurant)).toSorted()
    })
    .toEqual(['1', '2'])
})

it('counts as seen on the wall only what its last place names whole', async () => {
  const tables = numbered(60, 'Long table by the river ')
  const restaurant = await app.restaurant({ tables })
  await askAtAll(restaurant, tables)
  const page = await openCrewScreen(app, restaurant, { path: '/waiter?display', viewport: viewports.desktop })
  const more = page.getByText(/^\+\d+ more$/u)
  await more.waitFor()
  const places = page.getByRole('list', { name: 'Open requests' }).getByRole('listitem')
  const shown = (await places.count()) - 1
  expect(Number.parseInt((await more.innerText()).slice(1))).toBe(60 - shown)
  const named = async () =>
    places.last().evaluate((place) => {
      const box = place.getBoundingClientRect()
      const words = document.createTreeWalker(place, NodeFilter.SHOW_TEXT)
      let count = 0
      while (words.nextNode()) {
        for (const { index, 0: name } of (words.currentNode.nodeValue ?? '').matchAll(
          /Long table by the river \d+/gu,
        )) {
          const range = document.createRange()
          range.setStart(words.currentNode, index)
          range.setEnd(words.currentNode, index + name.length)
          const { left, right, top, bottom } = range.getBoundingClientRect()
          const isInFront = place.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
          const clip = words.currentNode.parentElement?.closest('p')?.getBoundingClientRect() ?? box
          if (isInFront && bottom <= clip.bottom + 1 && right <= clip.right + 1) count += 1
        }
      }
      return count
    })
  await expect.poll(async () => (await seenTables(restaurant)).length - shown - (await named())).toBe(0)
  await takeScreenshot(page, 'seen-wall')
})
