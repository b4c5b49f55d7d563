import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { type TestBrowser } from '../support/app.ts'
import { subscribeInSandbox } from '../support/sandbox-subscription.ts'
import { pixelsOfPng, readCode, readCodes } from '../support/qr-reader.ts'
import { expectAccessible, text } from './support/owner-pages.ts'
import { expectPageError } from './support/browser.ts'
import { field, followLink, press, section, waitForTitle, waitForToast } from './support/locators.ts'
import { printPage } from './support/printing.ts'
import { setUpStaffApp } from './support/staff-pages.ts'

const staff = setUpStaffApp()

describe('the table cards', () => {
  const tables = [
    ...Array.from({ length: 7 }, (_, index) => String(index + 1)),
    'Patio 3',
    'The long table by the window, upstairs 1',
  ]
  const host = (): string => new URL(staff.app.url).host
  let owner: TestBrowser

  beforeAll(async () => {
    const restaurant = await staff.app.restaurant({ name: 'The Copper Pot', tables })
    owner = restaurant.owner
    await subscribeInSandbox(staff.app, owner)
  })

  /** Reads the codes in the print layout; used if no program can render the PDF. */
  async function codesOnScreen(page: Page): Promise<string[]> {
    await page.emulateMedia({ media: 'print' })
    const codes = page.getByRole('img', { name: /^QR code of table/, includeHidden: true })
    const read: string[] = []
    for (const code of await codes.all()) {
      const picture = await code.screenshot()
      read.push(await readCode(pixelsOfPng(`data:image/png;base64,${picture.toString('base64')}`)))
    }
    return read
  }

  const linksOf = async (): Promise<string[]> =>
    (await owner.ok(api.qr.sheet, {})).cards.map(({ link }) => link)

  it.each([
    ['A4 sheet', 'sheet', 2, [210, 297], 1],
    ['Table tent', 'tent', 9, [210, 297], 2],
    ['Sticker', 'sticker', 9, [62, 100], 1],
  ] as const)('print as %s, and every code decodes', async (label, name, pages, size, faces) => {
    const page = await staff.open('/admin', owner)
    await followLink(page, 'Table Cards')
    await field(page, 'Format').selectOption(label)
    const cards = page.locator('.table-card')
    expect(await cards.count()).toBe(tables.length * faces)
    await page.getByText(`9 cards on ${pages} pages.`).waitFor()
    await expectAccessible(page, `cards-${name}`)

    const { pages: sizes, pictures } = await printPage(page)
    expect(sizes).toEqual(Array.from({ length: pages }, () => [...size]))
    const expected = (await linksOf()).flatMap((link) => Array.from({ length: faces }, () => link))
    const found = pictures ? (await Promise.all(pictures.map(readCodes))).flat() : await codesOnScreen(page)
    expect(found.toSorted()).toEqual(expected.toSorted())
  })

  it('name the table and print its link as text', async () => {
    const page = await staff.open('/admin/cards', owner)
    const seven = page.getByRole('article', { name: 'Card of table 7' })
    await seven.waitFor()
    expect(await seven.getByRole('paragraph').allTextContents()).toEqual([
      'The Copper Pot',
      'Table 7',
      'Scan to call your waiter',
      `or open ${host()}/customer?r=The+Copper+Pot&t=7`,
    ])
    await page.goto(`${staff.app.url}/customer?r=The+Copper+Pot&t=7`)
    await waitForTitle(page, 'What do you need?')
  })

  it('fit on their paper, however long the names', async () => {
    const longest = await staff.app.restaurant({
      name: 'Wirtshaus zum Goldenen Hirschen am Marktplatz gegenüber der alten Stadtkirche',
      tables: ['7', 'Gartenmöbel', 'W'.repeat(40), 'An der großen Fensterbank hinten, oben 12'.slice(0, 40)],
    })
    await subscribeInSandbox(staff.app, longest.owner)
    const page = await staff.open('/admin/cards', longest.owner)
    for (const format of ['A4 sheet', 'Table tent', 'Sticker']) {
      await field(page, 'Format').selectOption(format)
      await page.emulateMedia({ media: 'print' })
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('.table-card')].flatMap((card) => {
          const edge = card.getBoundingClientRect()
          return [...card.querySelectorAll('.table, .table strong, .restaurant, .invitation, .address')]
            .filter((words) => {
              const { top, right, bottom, left } = words.getBoundingClientRect()
              const inside = top >= edge.top && bottom <= edge.bottom && left >= edge.left
              return !inside || right > edge.right + 0.5 || words.scrollWidth > words.clientWidth + 1
            })
            .map((words) => `${words.className} of ${card.getAttribute('aria-label')}`)
        }),
      )
      expect(cut, `cut off on ${format}`).toEqual([])
      await page.emulateMedia({ media: 'screen' })
    }
  })

  it('can be printed for one table', async () => {
    const page = await staff.open('/admin/cards', owner)
    await field(page, 'Tables').selectOption('Patio 3')
    await page.getByText('1 card on 1 page.').waitFor()
    expect((await printPage(page)).pages).toEqual([[210, 297]])
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printed', 'yes')
    })
    await press(page, 'Print')
    expect(await page.locator('body').getAttribute('data-printed')).toBe('yes')
  })

  it('need tables', async () => {
    const restaurant = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, restaurant.owner)
    const page = await staff.open('/admin/cards', restaurant.owner)
    await section(page, 'No Tables Yet').waitFor()
    await expectAccessible(page, 'cards-none')
    await followLink(page, 'Set Up Tables')
    await waitForTitle(page, 'Admin Portal')
  })

  it('need a subscription', async () => {
    const restaurant = await staff.app.restaurant({ tables: ['1'] })
    const page = await staff.open('/admin', restaurant.owner)
    expectPageError(page, /402.*\/api\/qr-codes\/sheet/)
    await followLink(page, 'Table Cards')
    await section(page, 'Subscription Required').waitFor()
    await expectAccessible(page, 'cards-unpaid')
  })

  it('report that they cannot be loaded', async () => {
    const page = await staff.open('/admin', owner)
    await page.route('**/api/qr-codes/sheet', async (route) => await route.fulfill({ status: 500, body: '' }))
    expectPageError(page, /500.*\/api\/qr-codes\/sheet/)
    await followLink(page, 'Table Cards')
    await text(page, 'The table cards could not be loaded.').waitFor()
    await page.unroute('**/api/qr-codes/sheet')
    await press(page, 'Try again')
    await page.getByText('9 cards on 2 pages.').waitFor()
  })

  it('are for owners only', async () => {
    const page = await staff.open('/')
    // The text is shown for only half a second.
    await page.goto(`${staff.app.url}/admin/cards`, { waitUntil: 'commit' })
    await waitForToast(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
  })
})
