import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { api, type CallInput } from '#contract/api.ts'
import { keepConfirmations } from '../../e2e/pages/guest-page.ts'
import { brokenParts, overflowingNow, setTextSize } from '../../e2e/support/accessibility.ts'
import { openPage, serverAwayErrors, sharedBrowser } from '../../e2e/support/browser.ts'
import { createDrawnCamera } from '../../e2e/support/camera.ts'
import { takeScreenshot } from '../../e2e/support/screenshots.ts'
import { setUpApp, type TestApp } from '../../support/app.ts'
import { connectScreen } from '../../support/pages/crew-view.ts'

/**
 * Two made-up languages. Each takes every text from whichever of ours has the widest word there: one as measured in the
 * font of most texts, one in that of titles, which has no Cyrillic letters.
 */
const languages = ['uk', 'ru'] as const
const catalogues = mkdtempSync(join(tmpdir(), 'catalogues-'))
const texts = { uk: {}, ru: {} } as Record<(typeof languages)[number], Record<string, Translation>>
type Translation = string | Record<string, string>

const longestForm = (text: Translation): string =>
  typeof text === 'string' ? text : (Object.values(text).toSorted((a, b) => b.length - a.length)[0] ?? '')

/** How wide the widest word of each text is in a font. */
async function measureWords(page: Page, texts: string[], font: string): Promise<number[]> {
  return await page.evaluate(
    async ([texts, font, title]) => {
      const face = await new FontFace('Title', `url(data:font/woff2;base64,${title})`).load()
      document.fonts.add(face)
      const pen = new OffscreenCanvas(1, 1).getContext('2d')
      if (!pen) throw new Error('Nothing to measure with')
      pen.font = `700 100px ${font}`
      return texts.map((text) => {
        const words = text.replaceAll(/\{\w+\}/gu, '').match(/[\p{L}\p{M}\p{N}’']+/gu) ?? []
        return Math.max(0, ...words.map((word) => pen.measureText(word).width))
      })
    },
    [texts, font, titleFont] as const,
  )
}
const titleFont = readFileSync('src/client/ui/fonts/bricolage-guest.woff2', 'base64')

/** Without Japanese and Chinese, which have no spaces and break anywhere. */
const spaced = readdirSync('catalogues/guest').filter((file) => !/^(?:ja|zh)/u.test(file))

beforeAll(async () => {
  const ours = spaced.map((file): { texts: Record<string, Translation> } =>
    JSON.parse(readFileSync(`catalogues/guest/${file}`, 'utf8')),
  )
  const page = await (await sharedBrowser()).newPage()
  mkdirSync(join(catalogues, 'guest'))
  for (const [language, font] of [
    ['uk', 'system-ui'],
    ['ru', 'Title, system-ui'],
  ] as const) {
    const keys = [...new Set(ours.flatMap((catalogue) => Object.keys(catalogue.texts)))]
    const said = keys.map((key): Translation[] => [
      key,
      ...ours.flatMap((catalogue): Translation[] => {
        const text = catalogue.texts[key]
        return text === undefined ? [] : [text]
      }),
    ])
    const widths = await measureWords(page, said.flat().map(longestForm), font)
    for (const [index, key] of keys.entries()) {
      const own = widths.splice(0, said[index]?.length)
      texts[language][key] = said[index]?.[own.indexOf(Math.max(...own))] ?? key
    }
    const file = { language, name: language, reviewed: false, texts: texts[language] }
    writeFileSync(join(catalogues, 'guest', `${language}.json`), JSON.stringify(file))
  }
  await page.close()
})
afterAll(() => rmSync(catalogues, { recursive: true }))

// However long the walk takes, no request waits too long.
const app = setUpApp({ guestLimits: false, scheduler: 'manual', catalogues })

type Restaurant = Awaited<ReturnType<TestApp['restaurant']>>
let heard: Restaurant
let own: Restaurant
let quiet: Restaurant
let closed: Restaurant
let guarded: Restaurant
let seated: Restaurant
let sam: string
let tables = 0
const freshTable = (): string => String(++tables)

const everyday = Array.from({ length: 7 }, () => [{ from: '06:00', to: '06:00' }])
/** Closed now, and open again in three days. */
const otherDays = everyday.map((spans, day) => (day === (new Date().getUTCDay() + 2) % 7 ? spans : []))

const needs: CallInput<typeof api.needs.set>['body']['needs'] = [
  {
    id: 'check',
    choices: [
      { id: 'card', name: { en: 'Card', de: 'Karte' } },
      { id: 'cash', name: { en: 'Cash', de: 'Bargeld' } },
      { id: 'firm', name: { en: 'Company invoice', de: 'Firmenrechnung' } },
    ],
  },
  { id: 'drinks' },
  { id: 'general' },
  {
    id: 'allergy',
    name: { en: 'Allergy', de: 'Allergie' },
    icon: 'allergy',
    targetMs: 90_000,
    note: true,
    choices: [{ id: 'nuts', name: { en: 'Nuts', de: 'Nüsse' } }],
  },
  { id: 'other' },
  { id: 'food' },
]

beforeAll(async () => {
  const names = Array.from({ length: 200 }, (_, index) => String(index + 1))
  heard = await app.restaurant({ name: 'The Copper Pot', tables: names })
  own = await app.restaurant({ name: 'Own Needs', tables: names })
  quiet = await app.restaurant({ name: 'Quiet House', tables: names })
  closed = await app.restaurant({ name: 'Closed House', tables: names })
  guarded = await app.restaurant({ name: 'Guarded House', tables: names })
  seated = await app.restaurant({ name: 'Seated House', tables: names })
  await heard.owner.ok(api.guestCard.set, {
    body: {
      menu: 'https://menu.example.com/tonight.pdf',
      pay: 'https://pay.example.com/copper-pot',
      wifiName: 'Copper Pot Guests',
      wifiPassword: 'soup of the day',
    },
  })
  await heard.owner.ok(api.opening.setHours, { body: { hours: everyday } })
  await heard.owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  await own.owner.ok(api.needs.set, { body: { needs } })
  for (const [serviceType, reason] of [
    ['food', 'kitchen'],
    ['drinks', 'bar'],
    ['check', 'crew'],
  ] as const)
    await quiet.owner.ok(api.opening.pause, { body: { serviceType, minutes: 600, reason } })
  sam = (await quiet.owner.ok(api.crew.add, { body: { name: 'Sam', role: 'Server' } })).id
  await closed.owner.ok(api.opening.setHours, { body: { hours: otherDays } })
  await guarded.owner.ok(api.restaurant.change, { body: { verifiedOnly: true } })
  await seated.owner.ok(api.restaurant.change, { body: { seating: true } })
})

const sizes = [
  [320, 568],
  [390, 844],
  [667, 375],
  [844, 390],
] as const

/** Hyphens and dots are where a word may go on in the next line; addresses have nothing else. */
const word = /[\p{L}\p{M}\p{N}’']+/gu

/** The usual one, and twice that. */
const textSizes = [16, 32] as const

async function problemsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const textSize of textSizes) {
    await setTextSize(page, textSize)
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height })
      await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(width)
      const body = page.locator('body')
      const looks = [overflowingNow(page), brokenParts(body, word), body.evaluate(listTouched)]
      const problems = (await Promise.all(looks)).flat()
      found.push(...problems.map((each) => `${name} at ${width}, text of ${textSize}: ${each}`))
      await takeScreenshot(page, `guest-text-${name}-${width}-${textSize}`, { fullPage: true })
    }
  }
  return found
}

/** Runs in the page: the tiles whose text the hourglass touches. */
function listTouched(body: Element): string[] {
  return [...body.querySelectorAll('.lucide-hourglass')].flatMap((hourglass) => {
    const { left, right, top, bottom } = hourglass.getBoundingClientRect()
    const tile = hourglass.closest('button, summary') ?? hourglass
    const lines: DOMRect[] = []
    for (const texts = document.createTreeWalker(tile, NodeFilter.SHOW_TEXT); texts.nextNode();) {
      const range = document.createRange()
      range.selectNodeContents(texts.currentNode)
      lines.push(...range.getClientRects())
    }
    const isTouched = lines.some(
      (line) => line.left < right && line.right > left && line.top < bottom && line.bottom > top,
    )
    return isTouched ? [`the hourglass touches '${tile.textContent}'`] : []
  })
}

it.each(languages)('breaks no word at either text size, and fits every phone: %s', async (language) => {
  const say = (text: string): string => longestForm(texts[language][text] ?? text)
  const options = {
    viewport: { width: 390, height: 844 },
    locale: language,
    reducedMotion: 'reduce' as const,
    tolerate: [...serverAwayErrors, /status of 4\d\d/, /service-requests/, /\/customer/],
  }
  const page = await openPage(options)
  const found: string[] = []
  const look = async (name: string, at = page): Promise<void> => {
    found.push(...(await problemsOf(at, `${language}-${name}`)))
  }
  const title = (text: string, at = page) =>
    at.getByRole('heading', { name: say(text), exact: true }).waitFor()
  const press = (text: string, at = page) =>
    at
      .getByRole('button', { name: say(text), exact: true })
      .first()
      .click()
  const linkTo = ({ name }: Restaurant, table?: string, more: Record<string, string> = {}): string =>
    `${app.url}/customer?${new URLSearchParams({ r: name, ...(table && { t: table }), ...more }).toString()}`
  const rowOf = (text: string, at = page) => at.getByRole('listitem').getByText(say(text)).first().waitFor()
  /** A staff screen that listens; it is forgotten after some seconds. */
  const listen = async ({ device }: Restaurant): Promise<void> => {
    await (await device.connect()).request({ type: 'listening', sound: true, push: false })
  }

  await createDrawnCamera(page, 'nothing of ours')
  await page.goto(`${app.url}/customer`)
  await title('Scan QR Code')
  await look('scan')
  await press('Start Scanning')
  await page.locator('.scan-box').waitFor()
  await look('scanning')
  await page.goto(linkTo(heard, '9999'))
  await page.getByRole('alert').waitFor()
  await look('entry')
  await page.goto(linkTo(heard, undefined, { from: '7' }))
  await title('Not your table?')
  await look('not-theirs')

  await listen(heard)
  await page.goto(linkTo(heard, freshTable()))
  await title('What do you need?')
  await page.getByRole('button', { name: say('Something is not right') }).waitFor()
  await look('menu')
  await page.locator('.languages summary').click()
  await look('languages')
  await page.keyboard.press('Escape')
  await press('Something is not right')
  await page.getByRole('textbox').fill('…')
  await look('note')
  await press('Send')
  await page.locator('.notice').waitFor()
  await look('noted')
  await page.locator('nav a[href*="#wifi"]').click()
  await page.locator('#wifi').waitFor()
  // Today is written in bold, and any day may be the widest.
  for (const day of await page.locator('#hours tr').all())
    await day.evaluate((row) => row.setAttribute('aria-current', 'date'))
  await look('card')

  const table = freshTable()
  await listen(heard)
  await page.goto(linkTo(heard, table))
  for (const type of ['Drinks', 'Food Order', 'Check/Bill']) {
    await press(type)
    await title('Request Sent!')
    await press('Send Another Request')
  }
  await rowOf('Check/Bill')
  await look('requests')
  app.advance(120_000)
  await listen(heard)
  await page.reload()
  await page
    .getByRole('button', { name: say('Still waiting') })
    .first()
    .waitFor()
  await look('late')
  const crew = await heard.owner.ok(api.crew.add, {
    body: { name: `Maximiliane ${language}`, role: 'Server' },
  })
  const screen = await connectScreen(heard.device, crew.id)
  await screen.request({ type: 'listening', sound: true, push: false })
  const { requests } = await app
    .browser()
    .ok(api.requests.mine, { query: { restaurantId: heard.name, tableNumber: table } })
  const [first, second] = requests.map(({ id }) => id)
  await screen.request({ type: 'requests-seen', ids: [second ?? ''] })
  await rowOf('Seen by the crew')
  await look('seen')
  await screen.request({ type: 'accept-request', id: first ?? '' })
  await page.getByText('Maximiliane').first().waitFor()
  await look('accepted')
  await press('Still waiting')
  await page.getByRole('alert').waitFor()
  await look('reminded')
  await screen.request({ type: 'complete-request', id: first ?? '' })
  await rowOf('Done')
  await look('done')
  screen.close()

  const offline = await openPage(options)
  await offline.goto(linkTo(heard, freshTable()))
  await title('What do you need?', offline)
  await offline.context().setOffline(true)
  await press('Drinks', offline)
  await offline.locator('.offline').waitFor()
  await look('no-network', offline)
  await offline.close()

  const other = await openPage(options)
  await listen(own)
  await other.goto(linkTo(own, freshTable()))
  await title('What do you need?', other)
  await look('own-needs', other)
  for (const need of ['check', 'allergy']) {
    await other
      .locator('.services summary')
      .nth(need === 'check' ? 0 : 1)
      .click()
    await look(`choices-${need}`, other)
    await other.keyboard.press('Escape')
  }

  await other.goto(linkTo(quiet, freshTable()))
  await other.locator('.offline').waitFor()
  await look('unheard-paused', other)
  const muted = freshTable()
  const quietScreen = await connectScreen(quiet.device, sam)
  await quietScreen.request({ type: 'mute-table', tableNumber: muted })
  quietScreen.close()
  await other.goto(linkTo(quiet, muted))
  await other.locator('.barrier').waitFor()
  await look('muted', other)
  await other.goto(linkTo(closed, freshTable()))
  await other.locator('.lead').waitFor()
  await look('closed', other)
  await other.goto(linkTo(guarded, freshTable()))
  await other.locator('.barrier').waitFor()
  await look('code-required', other)
  const shut = freshTable()
  await other.goto(linkTo(seated, shut))
  await other.locator('.barrier').waitFor()
  await look('not-open', other)
  await seated.owner.ok(api.seating.open, { body: { tableNumber: shut } })
  await title('What do you need?', other)
  await seated.owner.ok(api.seating.close, { body: { tableNumber: shut } })
  await title('Session Expired', other)
  await look('ended', other)
  const late = freshTable()
  await other.addInitScript((key) => localStorage.setItem(key, '1000'), `session_The Copper Pot_${late}`)
  await other.goto(linkTo(heard, late))
  await title('Session Expired', other)
  await look('expired', other)
  // Last, because confirmations stay on the page for good.
  await keepConfirmations(other)
  await listen(heard)
  await other.goto(linkTo(heard, freshTable()))
  await press('Call Waiter', other)
  await title('Request Sent!', other)
  await look('sent', other)
  await other.goto(linkTo(quiet, freshTable()))
  await press('Call Waiter', other)
  await title('Sent', other)
  await look('sent-unheard', other)

  const plain = await openPage({ ...options, javaScriptEnabled: false })
  await plain.goto(`${app.url}/customer`)
  await look('plain-scan', plain)
  await plain.goto(linkTo(heard, table, { action: 'word' }))
  await look('plain-note', plain)
  expect(found).toEqual([])
})
