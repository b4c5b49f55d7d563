import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { ask, openRestaurant, screenOf, setUpAppWithEsperanto } from '../pages/languages.ts'
import { openContact } from '../pages/message-screens.ts'
import { signInAs } from '../pages/sign-in.ts'
import {
  clippedTexts,
  overflowingElements,
  setTextSize,
  lastingViolations,
} from '../support/accessibility.ts'
import { openPage, serverAwayErrors } from '../support/browser.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'

const app = setUpAppWithEsperanto()

const german = {
  chooseName: 'Namen wählen',
  onMyWay: 'Bin unterwegs',
  start: 'Schicht starten',
  messages: 'Nachrichten',
}
const arabic = {
  chooseName: 'اختر اسمك',
  onMyWay: 'أنا في الطريق',
  start: 'بدء الوردية',
  messages: 'الرسائل',
}

const root = (page: Page): Locator => page.locator('html')
const languageOf = (page: Page): Promise<(string | null)[]> =>
  Promise.all([root(page).getAttribute('lang'), root(page).getAttribute('dir')])
const section = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation').getByRole('button', { name }).first().click()

describe('two devices in different languages', () => {
  it('work on the same requests, and read each other', async () => {
    const restaurant = await openRestaurant(app)
    await ask(app, restaurant, '4', 'drinks')
    const maya = await screenOf(app, restaurant, 'Maya Lindqvist', 'Select your name')
    const karim = await screenOf(app, restaurant, 'Karim Haddad', arabic.chooseName, { locale: 'ar-EG' })
    await expect.poll(() => languageOf(maya)).toEqual(['en', null])
    await expect.poll(() => languageOf(karim)).toEqual(['ar', 'rtl'])

    await karim.getByText('مشروبات').last().waitFor()
    await karim.getByRole('button', { name: arabic.onMyWay }).click()
    await maya.getByText('Karim is on the way').waitFor()
    await takeScreenshots(karim, 'language-ar-requests', ['phone', 'tablet', 'desktop'])
    expect(await lastingViolations(karim)).toEqual([])

    await section(maya, 'Messages')
    await openContact(maya, 'Karim Haddad')
    await maya.getByRole('button', { name: 'Quick messages' }).click()
    await maya.getByRole('button', { name: 'Food ready for pickup' }).click()
    await maya.getByPlaceholder('Type a message...').fill('Behind you')
    await maya.getByPlaceholder('Type a message...').press('Enter')

    await section(karim, arabic.messages)
    await karim.getByRole('button', { name: 'Maya Lindqvist' }).first().click()
    const log = karim.getByRole('log')
    await log.getByText('الطعام جاهز للاستلام').waitFor()
    await log.getByText('الإنجليزية').waitFor()
    const text = log.getByText('Behind you')
    expect([await text.getAttribute('lang'), await text.getAttribute('dir')]).toEqual(['en', 'auto'])
    await takeScreenshots(karim, 'language-ar-messages', ['phone'])
    await karim.getByPlaceholder('اكتب رسالة…').fill('شكرا')
    await karim.getByPlaceholder('اكتب رسالة…').press('Enter')
    const answer = maya.getByRole('log').getByText('شكرا')
    await answer.waitFor()
    await expect.poll(() => answer.getAttribute('lang')).toBe('ar')
    await maya.getByRole('log').getByText('Arabic').waitFor()
    expect(await lastingViolations(karim)).toEqual([])
    expect(await lastingViolations(maya)).toEqual([])
  })
})

describe('the language of a device', () => {
  it('is chosen by the languages’ own names, stays, and is there without the server', async () => {
    const restaurant = await openRestaurant(app)
    await ask(app, restaurant, '7', 'check')
    const page = await screenOf(app, restaurant, 'Maya Lindqvist', 'Select your name', {
      serviceWorkers: 'allow',
      tolerate: [...serverAwayErrors, /\/api\//, /\/waiter/, /service-worker/],
    })
    await section(page, 'Me')
    await page.getByRole('button', { name: 'Alerts on this phone' }).click()
    const choice = page.getByRole('dialog').getByLabel('Language')
    await expect
      .poll(() => choice.locator('option').allInnerTexts())
      .toEqual(expect.arrayContaining(['English', 'Deutsch', 'العربية', '简体中文', 'Esperanto']))
    await choice.selectOption('Deutsch')
    await page.getByRole('button', { name: german.onMyWay }).waitFor()
    await expect.poll(() => languageOf(page)).toEqual(['de', 'ltr'])
    await page.getByText('Maya Lindqvist, Service').waitFor()

    await expect
      .poll(() => page.evaluate(async () => (await caches.keys()).toSorted()))
      .toEqual([expect.stringMatching(/^crew-page-/), 'staff-catalogue'])
    await expect.poll(() => page.evaluate(async () => Boolean(await caches.match('/waiter')))).toBe(true)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('last-list'))).not.toBeNull()
    await app.pause()
    await page.reload()
    await expect.poll(() => languageOf(page)).toEqual(['de', 'ltr'])
    await page.getByText('Neue Anfragen fehlen hier. Deine Eingaben bleiben gespeichert.').waitFor()
    await app.start()
    await page.getByText('Live', { exact: true }).waitFor()

    await section(page, 'Ich')
    await page.getByRole('button', { name: 'Meldungen auf diesem Telefon' }).click()
    await page.getByRole('dialog').getByLabel('Sprache').selectOption('English')
    await page.getByRole('button', { name: 'On my way' }).waitFor()
    await expect.poll(() => page.evaluate(() => caches.keys())).not.toContain('staff-catalogue')

    await page.evaluate(() => caches.open('staff-catalogue'))
    await page.reload()
    await expect.poll(() => page.evaluate(() => caches.keys())).not.toContain('staff-catalogue')
  })

  it('is offered where people sign in', async () => {
    const page = await openPage({
      viewport: viewports.phone,
      locale: 'de-DE',
      tolerate: [/\/api\/auth\/user/],
    })
    await page.goto(`${app.url}/restaurant-login`)
    await page.getByRole('heading', { name: 'Restaurant-Anmeldung' }).waitFor()
    expect(await lastingViolations(page)).toEqual([])
    expect(await overflowingElements(page)).toEqual([])
    await takeScreenshots(page, 'language-de-login', ['phone'])
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByRole('alert').getByText('Bitte den Namen des Restaurants eingeben').waitFor()
    await page.getByRole('link', { name: 'Registrieren' }).click()
    await page.waitForURL(/restaurant-signup/)
    await expect.poll(() => languageOf(page)).toEqual(['de', 'ltr'])
    await page.goto(`${app.url}/waiter-login`)
    await page.getByLabel('Sprache').selectOption('Türkçe')
    await page.getByRole('heading', { name: 'Ekip Girişi' }).waitFor()
    await expect.poll(() => languageOf(page)).toEqual(['tr', 'ltr'])
    // The portals are there in fewer languages, the next of the browser's own among them.
    await page.goto(`${app.url}/demo-login`)
    await page.getByLabel('Sprache').waitFor()
    await expect
      .poll(() => page.getByLabel('Sprache').locator('option').allInnerTexts())
      .toEqual(['Deutsch', 'English'])
  })
})

/** The links to the sections of the page scroll sideways, and so does a table of large text. */
const clippedInPage = (page: Page): Promise<string[]> =>
  clippedTexts(page, /^ '(Überblick|Tische|QR-Code|Abo|Zugänge|Einstellungen|Portale)'$|\(Sekunden\)'$/)

describe('the Admin Portal in German', () => {
  it('has room for it, says refusals in it, and becomes English at the foot of the page', async () => {
    const restaurant = await app.restaurant({ tables: ['4', '7', 'Terrasse am Fluss', '12'] })
    const { owner } = restaurant
    await owner.ok(api.crew.add, { body: { name: 'Maya Lindqvist', role: 'Server' } })
    await owner.ok(api.crew.add, { body: { name: 'Sam Keller', role: 'Host' } })
    await owner.ok(api.sections.add, { body: { name: 'Terrasse' } })
    const page = await openPage({
      viewport: viewports.phone,
      locale: 'de-DE',
      tolerate: [/409.*\/api\/tables/],
    })
    await signInAs(page, app, owner)
    await page.goto(`${app.url}/admin-dashboard`)
    await page.getByRole('heading', { name: 'Verwaltung', level: 1 }).waitFor()
    expect(await languageOf(page)).toEqual(['de', 'ltr'])
    await page.goto(`${app.url}/admin-dashboard/floor`)
    await page.getByRole('heading', { name: 'Gastraum', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Tischknöpfe' }).click()
    await page.getByRole('heading', { name: 'Tischknöpfe' }).waitFor()
    expect(await lastingViolations(page)).toEqual([])
    expect(await overflowingElements(page)).toEqual([])
    const clipped: string[] = []
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      clipped.push(...(await clippedInPage(page)).map((text) => `at ${width}: ${text}`))
    }
    expect(clipped).toEqual([])
    await takeScreenshots(page, 'language-de-admin', ['phone', 'desktop'], { fullPage: true })

    await page.getByRole('textbox', { name: 'Tischnummer' }).fill('x'.repeat(41))
    await page.getByRole('button', { name: 'Tisch hinzufügen' }).click()
    await page.getByText('Bitte höchstens 40 Zeichen').first().waitFor()

    await page.goto(`${app.url}/admin-dashboard`)
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('heading', { name: 'Admin Portal', level: 1 }).waitFor()
  })

  it('has room for text of double size', async () => {
    const { owner } = await app.restaurant({ tables: ['4', 'Terrasse am Fluss'] })
    const page = await openPage({
      viewport: viewports.phone,
      locale: 'de-DE',
    })
    await setTextSize(page, 32)
    await signInAs(page, app, owner)
    await page.goto(`${app.url}/admin-dashboard/alerts`)
    await page.getByRole('heading', { name: 'Wenn niemand reagiert' }).waitFor()
    expect(await clippedInPage(page)).toEqual([])
    await takeScreenshot(page, 'language-de-admin-large', { fullPage: true })
  })
})
