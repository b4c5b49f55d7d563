import { PNG } from 'pngjs'
import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { type Pixels, readCode } from '../../support/reading/qr-reader.ts'
import { askByButton } from '../pages/guest-page.ts'
import {
  brokenParts,
  brokenWordsOfAll,
  countLinesOfAll,
  overflowingElements,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../support/accessibility.ts'
import { openPage, serverAwayErrors } from '../support/browser.ts'
import { press } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ guestLimits: false })
  return () => app.stop()
})

function pixelsOf(png: Buffer): Pixels {
  const { width, height, data } = PNG.sync.read(png)
  return { width, height, data: new Uint8ClampedArray(data) }
}

/** Open now, wherever that is. */
const closedDay = (new Date().getUTCDay() + 2) % 7
const week = Array.from({ length: 7 }, (_, day) =>
  day === closedDay ? [] : [{ from: '06:00', to: '06:00' }],
)

it('leads guests to the menu, the Wi-Fi and the hours, also offline and without a script', async () => {
  const { owner } = await app.restaurant({ name: 'The Copper Pot', tables: ['4'] })
  await owner.ok(api.guestCard.set, {
    body: {
      menu: 'https://menu.example.com/tonight.pdf',
      pay: 'https://pay.example.com/copper-pot',
      wifiName: 'Copper Pot Guests',
      wifiPassword: 'soup; of: the "day"',
    },
  })
  await owner.ok(api.opening.setHours, { body: { hours: week } })
  const water = { id: 'water', name: { en: 'Water' }, icon: 'water', targetMs: 60_000 } as const
  await owner.ok(api.needs.set, { body: { needs: [water, { id: 'drinks' }] } })
  const { guestLink } = await owner.ok(api.restaurant.settings, {})
  const link = `${guestLink.replace(/^https?:\/\/[^/]+/u, app.url)}&t=4`
  const tolerate = [...serverAwayErrors, /\/api\//, /\/customer/, /guest-worker/]
  const options = { viewport: viewports.phone, tolerate, serviceWorkers: 'allow' } as const
  const page = await openPage({ ...options, permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(link)
  const menu = page.getByRole('link', { name: 'Menu menu.example.com' })
  expect(await menu.getAttribute('href')).toBe('https://menu.example.com/tonight.pdf')
  expect([await menu.getAttribute('rel'), await menu.getAttribute('target')]).toEqual(['noopener', '_blank'])
  expect(await lastingViolations(page)).toEqual([])
  await takeScreenshots(page, 'guest-card-links', ['phone', 'desktop'])
  await page.setViewportSize({ width: 320, height: 640 })
  expect([await overflowingElements(page), await smallTargets(page)]).toEqual([[], []])
  await takeScreenshot(page, 'guest-card-links-320', { fullPage: true })
  await page.setViewportSize(viewports.phone)
  // Confirmed, so that the page and what it opens are kept from now on.
  await askByButton(page, 'Drinks')
  const readKept = (): Promise<string[]> =>
    page.evaluate(async () => {
      const names = (await caches.keys()).filter((name) => /^guest-(pages|files)-/u.test(name))
      const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      return kept.flat().map(({ url }) => url)
    })
  // After all its parts.
  await expect.poll(readKept).toContainEqual(expect.stringContaining('/customer?'))
  expect(await readKept()).toContainEqual(expect.stringContaining('own-needs-part'))
  await takeScreenshots(page, 'guest-card-links-asked', ['phone'])
  // In landscape the links stand below the buttons, which begin beside what became of the request.
  await page.setViewportSize({ width: 667, height: 375 })
  const edgesOf = async (part: string): Promise<{ top: number; bottom: number }> => {
    const { y = NaN, height = NaN } = (await page.locator(part).boundingBox()) ?? {}
    return { top: y, bottom: y + height }
  }
  await expect
    .poll(async () => Math.abs((await edgesOf('.services')).top - (await edgesOf('.state')).top))
    .toBeLessThanOrEqual(8)
  await expect
    .poll(async () => (await edgesOf('nav')).top - (await edgesOf('.services')).bottom)
    .toBeGreaterThanOrEqual(0)
  await page.setViewportSize(viewports.phone)

  await page.getByRole('link', { name: 'Wi-Fi' }).click()
  await press(page, 'Copy password')
  await page.getByRole('status').getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('soup; of: the "day"')
  expect(await readCode(pixelsOf(await page.getByRole('img', { name: 'Wi-Fi' }).screenshot()))).toBe(
    String.raw`WIFI:T:WPA;S:Copper Pot Guests;P:soup\; of\: the \"day\";;`,
  )
  expect(await lastingViolations(page)).toEqual([])
  await takeScreenshots(page, 'guest-card', ['phone', 'desktop'], { fullPage: true })
  await page.setViewportSize({ width: 320, height: 640 })
  expect([await overflowingElements(page), await smallTargets(page)]).toEqual([[], []])
  await expect.poll(() => brokenParts(page.locator('table'), /\d+:\d+.AM/gu)).toEqual([])
  await takeScreenshot(page, 'guest-card-320', { fullPage: true })
  await setTextSize(page, 32)
  const mostLines = async (): Promise<number> => Math.max(...(await countLinesOfAll(page.locator('td span'))))
  await expect.poll(mostLines).toBe(2)
  expect(await overflowingElements(page)).toEqual([])
  await setTextSize(page, 16)
  for (const lang of ['de', 'ar']) {
    const own = await openPage({ viewport: { width: 390, height: 844 }, locale: lang })
    await own.goto(link)
    await takeScreenshot(own, `guest-card-links-${lang}`)
    await own.locator('nav a[href*="#hours"]').click()
    await own.locator('#hours').waitFor()
    await takeScreenshot(own, `guest-card-${lang}`, { fullPage: true })
    expect(await overflowingElements(own)).toEqual([])
  }

  await app.pause()
  await page.reload()
  await page.getByText('Copper Pot Guests').waitFor()
  await page.getByRole('link', { name: 'Table 4' }).click()
  await page.getByRole('link', { name: 'Menu' }).waitFor()
  await page.getByRole('link', { name: 'Opening hours' }).click()
  await page.getByRole('row', { name: 'Closed' }).waitFor()
  await app.start()

  const plain = await openPage({ javaScriptEnabled: false })
  await plain.goto(link)
  await plain.getByRole('link', { name: 'Wi-Fi' }).click()
  await plain.getByText('soup; of: the "day"').waitFor()
  expect(await plain.getByRole('button').count()).toBe(0)
})

it('keeps a card that is opened before anything is asked', async () => {
  const { owner } = await app.restaurant({ tables: ['4'] })
  const card = { menu: '', pay: '', wifiName: 'Copper Pot Guests', wifiPassword: 'soup of the day' }
  await owner.ok(api.guestCard.set, { body: card })
  const { guestLink } = await owner.ok(api.restaurant.settings, {})
  const tolerate = [...serverAwayErrors, /\/api\//, /\/customer/, /guest-worker/]
  const page = await openPage({ viewport: viewports.phone, tolerate, serviceWorkers: 'allow' })
  await page.goto(`${guestLink.replace(/^https?:\/\/[^/]+/u, app.url)}&t=4`)
  await page.locator('nav a[href*="#wifi"]').click()
  await page.getByText('soup of the day').waitFor()
  const readKept = (): Promise<string[]> =>
    page.evaluate(async () => {
      const paths: string[] = []
      for (const name of (await caches.keys()).filter((each) => /^guest-(pages-|cards)/u.test(each)))
        for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname)
      return paths.toSorted()
    })
  await expect.poll(readKept).toEqual(['/customer', '/customer/card'])
  await app.pause()
  await page.reload()
  await page.getByText('soup of the day').waitFor()
  await page.getByRole('link', { name: 'Table 4' }).click()
  await page.getByRole('button', { name: 'Drinks', exact: true }).waitFor()
  await app.start()
})

it.each(['en-US', 'ja'])('breaks no word of the Wi-Fi at twice the text size: %s', async (locale) => {
  const { owner } = await app.restaurant({ tables: ['4'] })
  const card = { menu: '', pay: '', wifiName: 'Copper Pot Guests', wifiPassword: 'soup of the day' }
  await owner.ok(api.guestCard.set, { body: card })
  const { guestLink } = await owner.ok(api.restaurant.settings, {})
  const page = await openPage({ viewport: { width: 320, height: 568 }, locale })
  await page.goto(`${guestLink.replace(/^https?:\/\/[^/]+/u, app.url)}&t=4`)
  await page.locator('nav a[href*="#wifi"]').click()
  await page.getByText(card.wifiName).waitFor()
  await setTextSize(page, 32)
  await expect.poll(() => brokenWordsOfAll(page.locator('dd'))).toEqual([])
  expect(await overflowingElements(page, 320, 568)).toEqual([])
})
