import { globSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { pixelsOfPng } from '../../support/reading/qr-reader.ts'
import { askByButton, keepConfirmations } from '../pages/guest-page.ts'
import { button, heading, phone, setUpGuests } from '../pages/guest-tables.ts'
import {
  brokenWords,
  clippedTexts,
  linesOf,
  overflowingElements,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../support/accessibility.ts'
import { createDrawnCamera } from '../support/camera.ts'
import { takeScreenshot, takeScreenshots } from '../support/screenshots.ts'

const { app, longNamedId, freshTable, linkTo, crewScreen, waiting } = setUpGuests()

it('the page has only fonts that a browser can read', async () => {
  const page = await phone()
  await page.goto(linkTo(freshTable()))
  const files = globSync('*.woff2', { cwd: 'dist/client/assets' })
  const read = await page.evaluate(
    (urls) =>
      Promise.all(urls.map((url) => new FontFace('Any', `url(${url})`).load().then(() => 'read', String))),
    files.map((file) => `/assets/${file}`),
  )
  expect(read).toEqual(files.map(() => 'read'))
  expect(files.length).toBeGreaterThan(0)
})

it('breaks no word of a button at twice the font size, and covers no request', async () => {
  const page = await phone()
  await page.goto(linkTo(freshTable()))
  await askByButton(page, 'Other')
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
  for (const word of ['Drinks', 'Assistance']) {
    const lines = await button(page, word).evaluate((element) => {
      const text = document.createRange()
      text.selectNodeContents(element.lastChild ?? element)
      return text.getClientRects().length
    })
    expect({ word, lines }).toEqual({ word, lines: 1 })
  }
  const cancel = button(page, 'Cancel request')
  await cancel.scrollIntoViewIfNeeded()
  await cancel.click({ trial: true })
  expect(await overflowingElements(page, 390)).toEqual([])
})

it('breaks no German word on the smallest phone with text of twice the size', async () => {
  const { name, owner } = await app.restaurant({ name: 'Kupferkanne', tables: ['1'] })
  const page = await phone({ locale: 'de-DE', viewport: { width: 320, height: 568 } })
  await setTextSize(page, 32)
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  const menuTitle = heading(page, 'Was brauchen Sie?')
  await menuTitle.waitFor()
  const look = () => Promise.all([brokenWords(page.locator('body')), overflowingElements(page, 320, 568)])
  await expect.poll(look).toEqual([[], []])
  for (const need of ['Getränke', 'Rechnung']) {
    await button(page, need).click()
    await heading(page, 'Gesendet').waitFor()
    await button(page, 'Noch etwas anfragen').or(menuTitle).press('Enter')
    await menuTitle.waitFor()
  }
  await expect.poll(look).toEqual([[], []])
  const choices = [{ id: 'firm', name: { de: 'Firmenrechnung' } }]
  await owner.ok(api.needs.set, { body: { needs: [{ id: 'check', choices }] } })
  await page.locator('.services summary').click()
  await button(page, 'Firmenrechnung').waitFor()
  await expect.poll(look).toEqual([[], []])
})

it('shows three requests above the buttons of a phone', async () => {
  const crew = await crewScreen()
  await crew.request({ type: 'set-crew-member-context', crewMemberId: longNamedId() })
  const page = await phone()
  const table = freshTable()
  await page.goto(linkTo(table))
  for (const name of ['Drinks', 'Check/Bill', 'Call Waiter']) await askByButton(page, name)
  await crew.request({ type: 'accept-request', id: (await waiting(table))[0]?.id ?? '' })
  await page.getByText('Marianne is on the way').first().waitFor()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const gap = async (): Promise<number> => {
    const [last, buttons] = await Promise.all([
      page.getByRole('listitem').last().boundingBox(),
      page.locator('.services').boundingBox(),
    ])
    return last && buttons ? buttons.y - last.y - last.height : -Infinity
  }
  await expect.poll(gap).toBeGreaterThanOrEqual(0)
  await takeScreenshot(page, 'guest-three-requests')
})

it('cuts through no line above the buttons, however far a phone is scrolled', async () => {
  await crewScreen()
  const page = await phone()
  await page.goto(linkTo(freshTable()))
  for (const name of ['Drinks', 'Food Order', 'Check/Bill', 'Assistance', 'Other'])
    await askByButton(page, name)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const brightest = async (scrolled: number): Promise<number> => {
    await page.evaluate((top) => scrollTo(0, top), scrolled)
    const { y = 0 } = (await page.locator('.services').boundingBox()) ?? {}
    const strip = await page.screenshot({ clip: { x: 0, y: Math.floor(y) - 2, width: 390, height: 2 } })
    return Math.max(...pixelsOfPng(strip.toString('base64')).data.filter((_, index) => index % 4 < 3))
  }
  const found: number[] = []
  // Further than from one line to the next.
  for (let scrolled = 0; scrolled <= 40; scrolled += 4) found.push(await brightest(scrolled))
  expect(Math.max(...found)).toBeLessThan(60)
})

it('shows the title whole or not at all where guests can write to the manager', async () => {
  const { name, owner, device } = await app.restaurant({ name: 'Kupferkessel', tables: ['1'] })
  await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  const card = { menu: 'https://menu.example.com/', pay: 'https://pay.example.com/' }
  await owner.ok(api.guestCard.set, { body: { ...card, wifiName: 'Guests', wifiPassword: '' } })
  const screen = await device.connect()
  await screen.request({ type: 'listening', sound: true, push: false })
  const page = await phone({ locale: 'de-DE' })
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  const title = heading(page, 'Was brauchen Sie?')
  await title.waitFor()
  await button(page, 'Getränke').tap()
  await button(page, 'Noch etwas anfragen').waitFor()
  const query = { restaurantId: name, tableNumber: '1' }
  const { requests } = await app.browser().ok(api.requests.mine, { query })
  await screen.request({ type: 'requests-seen', ids: requests.map(({ id }) => id) })
  await page.locator('.requests').getByText('Vom Team gesehen').waitFor()
  await button(page, 'Etwas stimmt nicht').waitFor()
  const room = async (): Promise<number> => {
    const [box, menu] = await Promise.all([title.boundingBox(), page.locator('.services').boundingBox()])
    if (!box || !menu) return -Infinity
    return box.width <= 1 ? Infinity : menu.y - box.y - box.height
  }
  await expect.poll(room).toBeGreaterThanOrEqual(12)
})

it('shows all of an answer that nobody hears on a phone in landscape', async () => {
  const { name } = await app.restaurant({ name: 'Stilles Haus', tables: ['1'] })
  const page = await phone({ viewport: { width: 844, height: 390 }, locale: 'de-DE' })
  await keepConfirmations(page)
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  await button(page, 'Bedienung rufen').tap()
  await button(page, 'Noch etwas anfragen').waitFor()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(390)
  await takeScreenshot(page, 'guest-unheard-wide')
})

it.each(['ko', 'ja', 'zh-Hans'])('breaks no word of the large texts: %s', async (locale) => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  await owner.ok(api.restaurant.change, { body: { verifiedOnly: true } })
  const page = await phone({ locale })
  await keepConfirmations(page)
  const words = new Intl.Segmenter(locale, { granularity: 'word' })
  /** The lines that begin within a word, or with the mark that ends a sentence. */
  const brokenLines = async (part: string): Promise<string[]> => {
    const lines = await linesOf(page.locator(part))
    const starts = [...words.segment(lines.join(''))].map(({ index }) => index)
    return lines.filter(
      (text, line) => /^\p{Po}/u.test(text) || !starts.includes(lines.slice(0, line).join('').length),
    )
  }
  const check = async (parts: string[]): Promise<void> => {
    for (const width of [320, 390, 667]) {
      await page.setViewportSize({ width, height: width === 667 ? 375 : 844 })
      for (const part of parts)
        await expect.poll(() => brokenLines(part), { message: `${part} at ${width} pixels` }).toEqual([])
      expect(await overflowingElements(page, width)).toEqual([])
    }
  }
  await page.goto(linkTo(freshTable()))
  expect(await page.locator('html').getAttribute('lang')).toBe(locale)
  await check(['.offline span', '.offline b', 'h1'])
  await page.locator('.services .primary').tap()
  await page.locator('.offline + .sent').waitFor()
  await check(['.offline span', '.offline b', '.sent h1'])
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  await page.locator('.barrier').waitFor()
  await check(['h1'])
})

it('begins no line of a Chinese title with its full stop, at twice the font size', async () => {
  const { name, owner } = await app.restaurant({ name: 'Guarded House', tables: ['1'] })
  await owner.ok(api.restaurant.change, { body: { verifiedOnly: true } })
  const page = await phone({ locale: 'zh-CN', viewport: { width: 320, height: 568 } })
  await setTextSize(page, 32)
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  const title = heading(page, '请扫描您桌上的二维码。')
  await title.waitFor()
  // Room for all but the full stop, even one of half the width, whatever the font.
  await title.evaluate((element) => {
    const all = document.createRange()
    all.selectNodeContents(element)
    element.style.whiteSpace = 'nowrap'
    const { width } = all.getBoundingClientRect()
    element.style.whiteSpace = ''
    element.style.width = `${width * 0.93}px`
  })
  const lines = await linesOf(title)
  expect(lines).toHaveLength(2)
  expect(lines.filter((line) => line.startsWith('。'))).toEqual([])
})

it('begins the hint of an empty field where the lines of the page begin', async () => {
  const page = await phone({ locale: 'ar' })
  await page.goto(linkTo(undefined, { from: freshTable() }))
  const field = page.getByRole('textbox')
  const direction = () => field.evaluate((element) => getComputedStyle(element).direction)
  await expect.poll(direction).toBe('rtl')
  await field.fill('Patio 3')
  await expect.poll(direction).toBe('ltr')
  await field.fill('الحديقة')
  await expect.poll(direction).toBe('rtl')
})

it('breaks no word of a choice, and puts those beside each other that fit', async () => {
  const { name, owner } = await app.restaurant({ name: 'Long Choices', tables: ['1'] })
  const names = ['Cash', 'Card', 'Kreditkartenzahlung']
  const choices = names.map((text) => ({ id: text.toLowerCase().slice(0, 8), name: { en: text } }))
  // It breaks, as no line has room for it.
  const longest = { en: 'Donaudampfschifffahrtsgesellschaft' }
  const long = { id: 'long', name: longest, icon: 'water', targetMs: 60_000, choices } as const
  await owner.ok(api.needs.set, { body: { needs: [{ id: 'check', choices }, long] } })
  const page = await phone()
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  await page.locator('summary', { hasText: 'Check/Bill' }).tap()
  const lines = () => Promise.all(names.map((text) => linesOf(button(page, text).locator('bdi'))))
  await expect.poll(lines).toEqual(names.map((text) => [text]))
  const tops = () => Promise.all(names.map(async (text) => (await button(page, text).boundingBox())?.y))
  await expect.poll(async () => new Set(await tops()).size).toBe(2)
  expect(await overflowingElements(page, 320)).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await clippedTexts(page)).toEqual([])
})

it('shows Call Waiter on a phone in landscape', async () => {
  const page = await phone({ viewport: { width: 667, height: 375 } })
  await crewScreen()
  await page.goto(linkTo(freshTable()))
  const bottom = async (): Promise<number> => {
    const box = await button(page, 'Call Waiter').boundingBox()
    return (box?.y ?? 0) + (box?.height ?? Infinity)
  }
  await expect.poll(bottom).toBeLessThanOrEqual(375)
  await page.locator('summary').tap()
  await button(page, 'Deutsch').waitFor()
  expect(await lastingViolations(page)).toEqual([])
  await button(page, 'العربية').tap()
  await heading(page, 'ماذا تحتاج؟').waitFor()
  expect(await overflowingElements(page, 320)).toEqual([])
})

it('shows the camera and all buttons of the scanner on a phone in landscape', async () => {
  const page = await phone({ viewport: { width: 844, height: 390 } })
  await createDrawnCamera(page)
  await page.goto(`${app.url}/customer`)
  const isWhole = async (name: string): Promise<boolean> => {
    const { y = NaN, height = NaN } = (await button(page, name).boundingBox()) ?? {}
    return y >= 0 && y + height <= 390
  }
  await expect.poll(() => isWhole('Start Scanning')).toBe(true)
  await expect.poll(() => isWhole('Enter Table Number Manually')).toBe(true)
  await button(page, 'Start Scanning').tap()
  await expect.poll(() => isWhole('Cancel')).toBe(true)
  const { y = NaN, height = NaN } = (await page.locator('.camera').boundingBox()) ?? {}
  expect(height).toBeGreaterThan(250)
  expect(y + height).toBeLessThanOrEqual(390)
})

it('leaves room around a table’s long name, and above what a late guest can press', async () => {
  const table = 'The long table by the fountain, terrace'
  const { name, device } = await app.restaurant({ name: 'The Long Table', tables: [table] })
  const crew = await device.connect()
  onTestFinished(() => crew.close())
  await crew.request({ type: 'listening', sound: true, push: false })
  await crew.request({ type: 'get-pending-requests' })
  const page = await phone()
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: table }).toString()}`)
  // Late after 30 and 45 seconds.
  for (const need of ['Assistance', 'Check/Bill']) await askByButton(page, need)
  app.advance(50_000)
  await page.reload()
  const late = button(page, 'Still waiting')
  await late.nth(1).waitFor()
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 })
    /** Between the name and the edge that is drawn around it. */
    const room = (): Promise<number> =>
      page.locator('.badge').evaluate((badge) => {
        const words = document.createRange()
        words.selectNodeContents(badge)
        const { top, bottom } = words.getBoundingClientRect()
        const edge = badge.getBoundingClientRect().top + badge.clientTop
        return Math.min(top - edge, edge + badge.clientHeight - bottom)
      })
    await expect.poll(room).toBeGreaterThanOrEqual(4)
    const gap = async (): Promise<number> => {
      const words = await page.locator('.requests li').nth(1).locator('small').boundingBox()
      return ((await late.nth(1).boundingBox())?.y ?? NaN) - (words ? words.y + words.height : NaN)
    }
    await expect.poll(gap).toBeGreaterThanOrEqual(4)
  }
})

describe('every step', () => {
  type Step = [name: string, open: (page: Page) => Promise<void>]
  const go = async (page: Page, url: string): Promise<void> => void (await page.goto(url))
  const steps: Step[] = [
    ['scan', (page) => go(page, `${app.url}/customer`)],
    [
      'scanning',
      async (page) => {
        await createDrawnCamera(page, 'nothing of ours')
        await go(page, `${app.url}/customer`)
        await button(page, 'Start Scanning').tap()
        await page.getByRole('alert').getByText('Invalid QR Code').waitFor()
      },
    ],
    ['entry', (page) => go(page, `${app.url}/customer?r=Nowhere&t=3`)],
    [
      'menu',
      async (page) => {
        await crewScreen()
        await go(page, linkTo(freshTable()))
      },
    ],
    [
      'requests',
      async (page) => {
        const table = freshTable()
        const crew = await crewScreen()
        await go(page, linkTo(table))
        for (const name of ['Call Waiter', 'Check/Bill', 'Drinks']) await askByButton(page, name)
        const requests = await waiting(table)
        await crew.request({ type: 'accept-request', id: requests[0]?.id ?? '' })
        await crew.request({ type: 'requests-seen', ids: [requests[1]?.id ?? ''] })
        await page.getByRole('listitem').getByText('Seen by the crew').waitFor()
        app.advance(50_000)
        await page.reload()
        await button(page, 'Still waiting').first().waitFor()
      },
    ],
    [
      'expired',
      async (page) => {
        const table = freshTable()
        await page.addInitScript(
          (key) => localStorage.setItem(key, '1000'),
          `session_The Copper Pot_${table}`,
        )
        await page.goto(linkTo(table))
        await heading(page, 'Session Expired').waitFor()
      },
    ],
    [
      'offline',
      async (page) => {
        await app.restaurant({ name: 'Empty House', tables: ['Patio Garden 3'] })
        await go(page, `${app.url}/customer?r=Empty+House&t=Patio+Garden+3`)
      },
    ],
    // Last, because confirmations stay on the page for good.
    [
      'sent',
      async (page) => {
        await crewScreen()
        await keepConfirmations(page)
        await go(page, linkTo(freshTable()))
        await button(page, 'Call Waiter').tap()
        await heading(page, 'Request Sent!').waitFor()
      },
    ],
  ]

  it('is accessible and fits small screens', async () => {
    const page = await phone()
    const size = page.viewportSize() ?? { width: 0, height: 0 }
    for (const [name, open] of steps) {
      await open(page)
      await takeScreenshots(page, `guest-${name}`, ['phone'])
      const problems = [
        ...(await lastingViolations(page)),
        ...(await smallTargets(page, 56)),
        ...(await overflowingElements(page, 320)),
        // As at 200 %.
        ...(await overflowingElements(page, 195)),
      ]
      expect({ name, problems }).toEqual({ name, problems: [] })
      await page.setViewportSize({ width: 320, height: 568 })
      await takeScreenshot(page, `guest-${name}-small`, { fullPage: true })
      await page.setViewportSize(size)
    }
  })
})
