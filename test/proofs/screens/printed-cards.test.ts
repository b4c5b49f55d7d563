import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { expectAccessible } from '../../e2e/pages/owner-pages.ts'
import { setUpStaffApp } from '../../e2e/pages/staff-pages.ts'
import { field, followLink } from '../../e2e/support/locators.ts'
import { dpi, lookAtPages, type Paper, printPage } from '../../e2e/support/printing.ts'
import type { TestBrowser } from '../../support/app.ts'
import { type Pixels, pixelsOfPng, readCode, readCodes } from '../../support/reading/qr-reader.ts'
import { subscribeInSandbox } from '../../support/stripe/sandbox-subscription.ts'

const staff = setUpStaffApp()
const tables = [
  '1',
  'M12',
  'MW1',
  'WWW',
  'طاولة الشرفة ٣',
  '🌿🥂🍕',
  'Patio 3',
  'The long table by the window, upstairs 1',
  'W'.repeat(40),
]
const formats = [
  { label: 'A4 sheet', name: 'sheet', pages: 2, size: [210, 297], faces: 1 },
  { label: 'Table tent', name: 'tent', pages: 9, size: [210, 297], faces: 2 },
  { label: 'US Letter sheet', name: 'letter-sheet', pages: 2, size: [216, 279], faces: 1 },
  { label: 'US Letter table tent', name: 'letter-tent', pages: 9, size: [216, 279], faces: 2 },
  { label: 'Sticker', name: 'sticker', pages: 9, size: [62, 100], faces: 1 },
]
type Format = (typeof formats)[number]

let owner: TestBrowser
beforeAll(async () => {
  const name = 'Wirtshaus zum Goldenen Hirschen am Marktplatz gegenüber der alten Stadtkirche'
  const restaurant = await staff.app.restaurant({ name, tables })
  owner = restaurant.owner
  await subscribeInSandbox(staff.app, owner)
  // Both as long as they may be.
  const wifi = {
    wifiName: 'Gäste-WLAN im Goldenen Hirschen',
    wifiPassword: 'Schnitzel-und-Spaetzle-mit-Rahmsauce-gibt-es-jeden-22.-Samstag!',
  }
  await owner.ok(api.guestCard.set, { body: { menu: '', pay: '', ...wifi } })
})

type Box = { left: number; top: number; right: number; bottom: number }
/** In millimetres from the corner of its page. */
type PrintedCard = { page: number; name: string; frame: Box; code: Box; problems: string[] }

/** Where each card is printed, and which of its texts leave it, run into each other or are too small to read. */
async function layOut(page: Page): Promise<PrintedCard[]> {
  await page.emulateMedia({ media: 'print' })
  // The page is laid out for paper a moment later, and again once the fonts that it asks for have loaded.
  await page.waitForFunction(() => matchMedia('print').matches)
  await page.evaluate(async () => {
    do {
      await document.fonts.ready
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    } while (document.fonts.status === 'loading')
  })
  const cards = await page.locator('.paper').evaluateAll((papers) => {
    const pixelsPerMillimetre = 96 / 25.4
    return papers.flatMap((paper, index) => {
      const corner = paper.getBoundingClientRect()
      const boxOf = ({ left, top, right, bottom }: DOMRect): Box => ({
        left: (left - corner.left) / pixelsPerMillimetre,
        top: (top - corner.top) / pixelsPerMillimetre,
        right: (right - corner.left) / pixelsPerMillimetre,
        bottom: (bottom - corner.top) / pixelsPerMillimetre,
      })
      return [...paper.querySelectorAll('.table-card')].map((card) => {
        const frame = boxOf(card.getBoundingClientRect())
        const code = card.querySelector('.code')
        const parts = [...card.querySelectorAll<HTMLElement>('.words > *, .wifi, .code')]
        const boxes = parts.map((part) => ({ name: part.className, ...boxOf(part.getBoundingClientRect()) }))
        const collisions = boxes.flatMap((a, n) =>
          boxes
            .slice(n + 1)
            .filter(
              (b) =>
                a.left < b.right - 0.1 &&
                b.left < a.right - 0.1 &&
                a.top < b.bottom - 0.1 &&
                b.top < a.bottom - 0.1,
            )
            .map((b) => `${a.name} runs into ${b.name}`),
        )
        const leaving = boxes
          .filter(
            ({ left, top, right, bottom }) =>
              left < frame.left + 2 ||
              top < frame.top + 2 ||
              right > frame.right - 2 ||
              bottom > frame.bottom - 2,
          )
          .map(({ name }) => `${name} leaves the card`)
        const overflowing = parts
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
          .map(({ className }) => `${className} is wider than its place`)
        const size = Number.parseFloat(getComputedStyle(card.querySelector('.table strong') ?? card).fontSize)
        const small: string[] = []
        if (size < 2.5 * pixelsPerMillimetre) small.push('the table is too small to read')
        const wifi = card.querySelector('.wifi')
        const wifiSize = wifi ? Number.parseFloat(getComputedStyle(wifi).fontSize) : Infinity
        // In points.
        if (wifiSize * 0.75 < 6) small.push('the Wi-Fi is too small to read')
        return {
          page: index,
          name: card.getAttribute('aria-label') ?? '',
          frame,
          code: boxOf((code ?? card).getBoundingClientRect()),
          problems: [...collisions, ...leaving, ...overflowing, ...small].map(
            (problem) => `${card.getAttribute('aria-label')}: ${problem}`,
          ),
        }
      })
    })
  })
  await page.emulateMedia({ media: null })
  return cards
}

/** The strips along the inside of a box, from one distance to another in millimetres. */
const stripsIn = ({ left, top, right, bottom }: Box, from: number, to: number): Box[] => [
  { left: left + from, top: top + from, right: right - from, bottom: top + to },
  { left: left + from, top: bottom - to, right: right - from, bottom: bottom - from },
  { left: left + from, top: top + from, right: left + to, bottom: bottom - from },
  { left: right - to, top: top + from, right: right - from, bottom: bottom - from },
]

const pixel = (millimetres: number): number => Math.round((millimetres / 25.4) * dpi)

function hasInk({ width, grey }: Paper, box: Box): boolean {
  for (let y = pixel(box.top); y < pixel(box.bottom); y += 1)
    if (grey.subarray(y * width + pixel(box.left), y * width + pixel(box.right)).some((value) => value < 200))
      return true
  return false
}

function cut({ width, grey }: Paper, box: Box): Pixels {
  const [left, top, right, bottom] = [pixel(box.left), pixel(box.top), pixel(box.right), pixel(box.bottom)]
  const data = new Uint8ClampedArray(4 * (right - left) * (bottom - top))
  for (let y = top, at = 0; y < bottom; y += 1)
    for (let x = left; x < right; x += 1, at += 4) {
      data.fill(grey[y * width + x] ?? 255, at, at + 3)
      data[at + 3] = 255
    }
  return { width: right - left, height: bottom - top, data }
}

/** Reads the codes in the print layout; used if no program can render the PDF. */
async function codesOnScreen(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: 'print' })
  const codes = page.locator('.code')
  const read: string[] = []
  for (const code of await codes.all()) {
    const picture = await code.screenshot()
    read.push(await readCode(pixelsOfPng(`data:image/png;base64,${picture.toString('base64')}`)))
  }
  await page.emulateMedia({ media: null })
  return read
}

/** Once they are laid out before as they are after: a font or a logo that has just loaded moves what is on them. */
async function printCards(page: Page) {
  for (let before = await layOut(page); ;) {
    const printed = await printPage(page)
    const cards = await layOut(page)
    if (isDeepStrictEqual(cards, before)) return { cards, printed }
    before = cards
  }
}

async function expectPrinted(page: Page, { label, pages, size }: Format): Promise<void> {
  const { cards, printed } = await printCards(page)
  expect(printed.pages, `pages as ${label}`).toEqual(Array.from({ length: pages }, () => size))
  const sheet = await owner.ok(api.qr.sheet, {})
  const links = new Map(sheet.cards.map(({ tableNumber, link }) => [`Card of table ${tableNumber}`, link]))
  const found: string[] = []
  const smudged: string[] = []
  const isRendered = await lookAtPages(printed, async (paper, index) => {
    for (const { name, frame, code } of cards.filter((card) => card.page === index)) {
      // The cut may miss by two millimetres. The dashed line itself is thinner than half a millimetre.
      if (stripsIn(frame, 0.5, 2).some((strip) => hasInk(paper, strip))) smudged.push(`edge of ${name}`)
      if (stripsIn(code, 0, 2).some((strip) => hasInk(paper, strip))) smudged.push(`code of ${name}`)
      // Where there is no code, looking for one takes seconds.
      if (smudged.length === 0) found.push(...(await readCodes(cut(paper, code))))
    }
  })
  expect(smudged, `ink as ${label}`).toEqual([])
  const read = isRendered ? found : await codesOnScreen(page)
  expect(read, `codes as ${label}`).toEqual(cards.map(({ name }) => links.get(name)))
}

/** Chooses the format, and expects that everything fits. */
async function choose(page: Page, { label, pages, faces }: Format): Promise<void> {
  await field(page, 'Format').selectOption(label)
  await page.getByText(`9 cards on ${pages} pages.`).waitFor()
  const countCards = (): Promise<number> => page.locator('.table-card').count()
  await expect.poll(countCards, { message: `cards as ${label}` }).toBe(tables.length * faces)
  await expectFitting(page, `as ${label}`)
}

async function chooseLanguage(page: Page, { label }: Format, language: string): Promise<void> {
  await field(page, 'Language of the cards').selectOption(language)
  await expectFitting(page, `in ${language} as ${label}`)
}

async function expectFitting(page: Page, message: string): Promise<void> {
  // Texts are measured again once their fonts have loaded.
  const listProblems = async (): Promise<string[]> => (await layOut(page)).flatMap(({ problems }) => problems)
  await expect.poll(listProblems, { message }).toEqual([])
}

function drawLogo(): Buffer {
  const logo = new PNG({ width: 300, height: 100 })
  for (let at = 0; at < logo.data.length; at += 4) logo.data.set([120, 40, 20, 255], at)
  return PNG.sync.write(logo)
}

// A4 is printed without what may be added, the others with all of it.
it.each(formats.map((format, index) => ({ ...format, index })))(
  'cards print as $label, in a size that guests can read, and every code decodes',
  async ({ index, ...format }) => {
    const isPlain = format.size[0] === 210
    const page = await staff.open('/admin', owner)
    await followLink(page, 'Table Cards')
    await choose(page, format)
    await expectAccessible(page, `cards-${format.name}`)
    if (isPlain) await expectPrinted(page, format)
    await field(page, 'Logo (optional)').setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: drawLogo(),
    })
    await page.getByRole('button', { name: 'Remove Logo' }).waitFor()
    await page.getByLabel('Print the Wi-Fi').check()
    await expectFitting(page, `with all that may be added as ${format.label}`)
    if (!isPlain) await expectPrinted(page, format)
    const languages = await field(page, 'Language of the cards').getByRole('option').allTextContents()
    // Each language somewhere, and the longest words everywhere.
    for (const language of [...languages.filter((_, at) => at % formats.length === index), 'Русский'])
      await chooseLanguage(page, format, language)
  },
)
