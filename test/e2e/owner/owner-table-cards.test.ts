import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { TestBrowser } from '../../support/app.ts'
import { pixelsOfPng, pixelsOfSvg, readCode } from '../../support/reading/qr-reader.ts'
import { readZip } from '../../support/reading/zip-reader.ts'
import { subscribeInSandbox } from '../../support/stripe/sandbox-subscription.ts'
import { expectAccessible } from '../pages/owner-pages.ts'
import { expectBeforeSignIn } from '../pages/sign-in-redirect.ts'
import { openPageAs, signInAs } from '../pages/sign-in.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { openPage } from '../support/browser.ts'
import { createDrawnCamera } from '../support/camera.ts'
import { field, followLink, press, section, toast, waitForTitle } from '../support/locators.ts'
import { printPage } from '../support/printing.ts'

const staff = setUpStaffApp()

const logoSvg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><path d="M0 0h20v10z"/></svg>'

const textSizes = (page: Page): Promise<string> =>
  page
    .locator('.words *')
    .evaluateAll((texts) =>
      texts.map((text) => (text instanceof HTMLElement ? text.style.fontSize : '')).join(),
    )

describe('the table cards', () => {
  const host = (): string => new URL(staff.app.url).host
  let owner: TestBrowser

  beforeAll(async () => {
    const restaurant = await staff.app.restaurant({ name: 'The Copper Pot', tables: ['7', 'Patio 3'] })
    owner = restaurant.owner
    await subscribeInSandbox(staff.app, owner)
  })

  it('are in the language of the screen until another one is chosen', async () => {
    const page = await openPageAs(staff.app, '/admin/cards', owner, { locale: 'de-DE' })
    const language = field(page, 'Sprache der Karten')
    await page.getByText('Scannen und Bedienung rufen', { exact: true }).first().waitFor()
    await expect.poll(() => language.inputValue()).toBe('de')
    await language.selectOption('en')
    await page.reload()
    await page.getByText('Scan to call your waiter', { exact: true }).first().waitFor()
    await expect.poll(() => language.inputValue()).toBe('en')
  })

  it('name the table, print a short link that opens its page, and can be printed for one table', async () => {
    const page = await staff.open('/admin/cards', owner)
    const seven = page.getByRole('article', { name: 'Card of table 7' })
    await seven.waitFor()
    // The whole preview has the proportions of its paper, and is as large as what is on it.
    const preview = async () => {
      const [frame, paper] = await Promise.all(
        ['.paper-frame', '.paper'].map((part) => page.locator(part).first().boundingBox()),
      )
      return { frame, paper }
    }
    const sizeOf = (value = 0): unknown => expect.closeTo(value, 0)
    await expect
      .poll(async () => {
        const { frame } = await preview()
        return (frame?.height ?? 0) / (frame?.width ?? 1)
      })
      .toBeCloseTo(297 / 210, 2)
    const { frame } = await preview()
    await expect
      .poll(async () => (await preview()).paper)
      .toMatchObject({ width: sizeOf(frame?.width), height: sizeOf(frame?.height) })
    const texts = await seven.getByRole('paragraph').allTextContents()
    const address = texts.at(-1) ?? ''
    expect(texts).toEqual([
      'The Copper Pot',
      'Table 7',
      'Scan to call your waiter',
      expect.stringMatching(new RegExp(`^or open ${host()}/t/[2-9A-Y]{4}-[2-9A-Y]{4}$`)),
    ])
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download Codes')])
    expect(file.suggestedFilename()).toBe('The Copper Pot-table-codes.zip')
    const codes = readZip(readFileSync(await file.path()))
    const { cards } = await owner.ok(api.qr.sheet, {})
    for (const { tableNumber, link } of cards) {
      const [svg, png] = [codes.get(`Table ${tableNumber}.svg`), codes.get(`Table ${tableNumber}.png`)]
      expect(await readCode(pixelsOfSvg(svg?.toString() ?? ''))).toBe(link)
      expect(await readCode(pixelsOfPng(png?.toString('base64') ?? ''))).toBe(link)
    }
    const logo = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(logoSvg) }
    await field(page, 'Logo (optional)').setInputFiles(logo)
    const chosen = page.getByRole('img', { name: 'Logo' })
    await chosen.waitFor()
    const leftOf = async (control: Locator) => (await control.boundingBox())?.x ?? Number.NaN
    // Below its own field, and not beside the language.
    await expect
      .poll(async () => (await leftOf(chosen)) - (await leftOf(field(page, 'Logo (optional)'))))
      .toBe(0)
    await field(page, 'Language of the cards').selectOption('Deutsch')
    await page.reload()
    await seven.waitFor()
    const sizeOfLogo = () =>
      seven
        .locator('img.logo')
        .evaluate((picture) =>
          picture instanceof HTMLImageElement ? [picture.naturalWidth, picture.naturalHeight] : [],
        )
    await expect.poll(sizeOfLogo).toEqual([800, 400])
    await seven.getByText('Scannen und Bedienung rufen').waitFor()
    await press(page, 'Remove Logo')
    await page.reload()
    await seven.waitFor()
    await expect.poll(() => page.locator('img.logo').count()).toBe(0)
    await field(page, 'Tables').selectOption('Patio 3')
    await page.getByText('1 card on 1 page.').waitFor()
    expect((await printPage(page)).pages).toEqual([[210, 297]])
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printed', 'yes')
    })
    await press(page, 'Print')
    await expect.poll(() => page.locator('body').getAttribute('data-printed')).toBe('yes')
    const [, path = ''] = /(\/t\/.*)$/.exec(address) ?? []
    await page.goto(`${staff.app.url}${path.toLowerCase()}`)
    await waitForTitle(page, 'What do you need?')
  })

  it('are printed in their final size, however late their fonts arrive', async () => {
    const page = await openPage({})
    await signInAs(page, staff.app, owner)
    const network = Promise.withResolvers<void>()
    await page.route('**/*.woff2', async (route) => {
      await network.promise
      await route.continue()
    })
    // Fonts that are missing keep a page from being loaded whole.
    await page.goto(`${staff.app.url}/admin/cards`, { waitUntil: 'commit' })
    const table = page.getByRole('article', { name: 'Card of table Patio 3' }).locator('.table strong')
    await table.waitFor()
    await page.evaluate(() => {
      window.print = () => {
        const cards = document.querySelectorAll<HTMLElement>('.words *')
        document.body.dataset['printed'] = Array.from(cards, ({ style }) => style.fontSize).join()
      }
    })
    const inFallbackFont = await textSizes(page)
    await press(page, 'Print')
    expect(await page.locator('body').getAttribute('data-printed')).toBeNull()
    network.resolve()
    await page.locator('body[data-printed]').waitFor()
    const printed = await page.locator('body').getAttribute('data-printed')
    expect(printed).not.toBe(inFallbackFont)
    await page.evaluate(async () => void (await document.fonts.ready))
    expect(printed).toBe(await textSizes(page))
  })

  it('are checked on a walk: the camera ticks off every table, and names a wrong code', async () => {
    const page = await staff.open('/', owner)
    const camera = await createDrawnCamera(page)
    await page.goto(`${staff.app.url}/admin/cards/walk`)
    await press(page, 'Start Scanning')
    const { cards } = await owner.ok(api.qr.sheet, {})
    const [first, second] = cards.map(({ link }) => link)
    await camera.show(first)
    await page.getByText('Table 7 is right.').waitFor()
    await camera.show(first?.replace('Copper', 'Silver').replace('k=1', 'k=2'))
    await page.getByText('A code of another restaurant: The Silver Pot').first().waitFor()
    await expectAccessible(page, 'walk')
    await camera.show(second)
    await page.getByText('Every table has its code.').waitFor()
    expect(await camera.isRunning()).toBe(true)
    await press(page, 'Stop')
    await expect.poll(() => camera.isRunning()).toBe(false)
  })

  it('need tables', async () => {
    const restaurant = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, restaurant.owner)
    const page = await staff.open('/admin/cards', restaurant.owner)
    await section(page, 'No Tables Yet').waitFor()
    await expectAccessible(page, 'cards-none')
    await followLink(page, 'Set Up Tables')
    await waitForTitle(page, 'Floor')
  })

  it('need a subscription', async () => {
    const restaurant = await staff.app.restaurant({ tables: ['1'] })
    const page = await staff.open('/admin', restaurant.owner)
    await followLink(page, 'Table Cards')
    await section(page, 'Subscription Required').waitFor()
    await expectAccessible(page, 'cards-unpaid')
  })

  it('are for owners only', async () => {
    const page = await staff.open('/')
    await expectBeforeSignIn(
      page,
      () => page.goto(`${staff.app.url}/admin/cards`, { waitUntil: 'commit' }),
      toast(page).getByText('Unauthorized', { exact: true }),
      toast(page).getByText('You are logged out. Logging in again...', { exact: true }),
    )
    await waitForTitle(page, 'Admin Login')
  })
})
