import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { seedDemo } from '../../../src/server/seed.ts'
import type { TestBrowser } from '../../support/app.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import {
  brokenWords,
  clippedTexts,
  cutPlaceholders,
  overflowingElements,
  setTextSize,
  lastingViolations,
} from '../support/accessibility.ts'
import { takeScreenshots, viewports } from '../support/screenshots.ts'

const staff = setUpStaffApp({ locale: 'de-DE', viewport: viewports.phone })
let demoManager: TestBrowser
let demoOwner: TestBrowser

beforeAll(async () => {
  const seeded = await seedDemo(staff.app.ctx)
  const password = seeded?.logins.find(({ who }) => who === 'Management Login')?.password ?? ''
  demoManager = staff.app.browser()
  const body = { restaurantName: 'The Copper Pot', username: 'manager', password }
  await demoManager.ok(api.managers.login, { body })
  const owner = seeded?.logins.find(({ who }) => who === 'Restaurant and Admin Login')
  demoOwner = staff.app.browser()
  await demoOwner.ok(api.accounts.ownerLogin, {
    body: { username: 'The Copper Pot', password: owner?.password ?? '' },
  })
})

/** In German, of which the words are longer than in English: nothing is cut on a phone or on a large screen. */
async function look(page: Page, heading: string, picture: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
  await takeScreenshots(page, `german-${picture}`, ['phone', 'desktop'], { fullPage: true })
  expect([await cutTexts(page), await overflowingElements(page), await lastingViolations(page)]).toEqual([
    [],
    [],
    [],
  ])
}

/** But for the quiet buttons of a row, which reach beyond it to stand in line. */
const cutTexts = (page: Page): Promise<string[]> => clippedTexts(page, /^flex flex-wrap items-center/)

describe('in German, nothing is cut', () => {
  it('of the figures and the search on the Admin Portal', async () => {
    // With more than twelve tables there is a search.
    await demoOwner.ok(api.floor.addTable, { body: { tableNumber: 'Terrasse' } })
    const page = await staff.open('/admin-dashboard', demoOwner)
    await page.setViewportSize({ width: 320, height: 568 })
    const figures = page.locator('dl', { hasText: 'Reaktion im Schnitt' })
    await figures.getByText(/^\d+,\d\smin$/u).waitFor()
    const tooWide = (): Promise<(string | null)[]> =>
      figures
        .locator(':scope > div')
        .evaluateAll((all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth).map(({ textContent }) => textContent),
        )
    await expect.poll(tooWide).toEqual([])
    await takeScreenshots(page, 'german-admin', ['smallPhone'])
    await page.setViewportSize(viewports.phone)
    await setTextSize(page, 32)
    await page.getByRole('searchbox', { name: 'Tische suchen' }).waitFor()
    await expect.poll(tooWide).toEqual([])
    await expect.poll(() => cutPlaceholders(page)).toEqual([])
  })

  it('on the Management Portal', async () => {
    const page = await staff.open('/management-dashboard', demoManager)
    await page.getByText('Zugänge der Leitung').waitFor()
    await page.getByText(/am längsten/).waitFor()
    await look(page, 'Management-Portal', 'management')
    for (const [card, more] of [
      ['Anfragen gesamt', 'Anfragen von heute'],
      ['Reaktionszeit', 'Reaktionszeiten einzeln'],
      ['Aktive Tische', 'Anfragen je Tisch'],
    ] as const) {
      await page.getByRole('button', { name: card, exact: true }).click()
      const dialog = page.getByRole('dialog')
      await takeScreenshots(page, `german-${card}`, ['phone'])
      await dialog.getByRole('button', { name: more }).click()
      await takeScreenshots(page, `german-${more}`, ['phone'])
      expect(await cutTexts(page)).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByRole('link', { name: 'Auswertung', exact: true }).click()
    await page.getByText('Differenz').waitFor()
    const figures = page.getByRole('table', { name: 'Verglichen mit anderen Tagen' })
    expect(await brokenWords(figures.locator('tbody'))).toEqual([])
    await look(page, 'Management-Portal', 'management-analytics')
    for (const [view, title] of [
      ['Zeiten', 'Wartezeit nach Tag'],
      ['Anliegen', 'Anfragen nach Art'],
      ['Tische', 'Wartezeit nach Tisch'],
      ['Team', 'Meiste zugleich'],
    ] as const) {
      await page.getByRole('tab', { name: view, exact: true }).click()
      await page.getByText(title).first().waitFor()
      await look(page, 'Management-Portal', `management-${view}`)
    }
    await page.getByRole('link', { name: 'Wochenbericht', exact: true }).click()
    await page.getByRole('heading', { name: 'Wartezeit nach Tisch' }).waitFor()
    await look(page, 'Management-Portal', 'management-report')
  })

  it('on the owner’s screens', async () => {
    const { owner } = await staff.app.restaurant({ tables: ['1', '2', 'Terrasse'] })
    const page = await staff.open('/dashboard', owner)
    await look(page, 'Willkommen zurück', 'home')
    for (const [path, heading] of [
      ['/subscribe', 'Wählen Sie Ihren Tarif'],
      ['/admin', 'Einrichten'],
      ['/security', 'Sicherheit'],
      ['/restaurants', 'Ihre Restaurants'],
    ] as const) {
      await page.goto(staff.app.url + path)
      await page.getByRole('status').filter({ hasText: /Lädt/ }).waitFor({ state: 'detached' })
      await look(page, heading, path.slice(1).replace('/', '-'))
    }
  })

  it('on sign-up and the ways in', async () => {
    const page = await staff.open('/')
    for (const [path, heading] of [
      ['/', 'Service-Management für Restaurants'],
      ['/restaurant-signup', 'Konto anlegen'],
      ['/demo-login', 'Verwaltungs-Anmeldung'],
      ['/management-login', 'Management-Anmeldung'],
      ['/forgot-password', 'Passwort vergessen'],
      ['/reset-password#x', 'Passwort zurücksetzen'],
    ] as const) {
      await page.goto(staff.app.url + path)
      await look(page, heading, path === '/' ? 'landing' : path.slice(1).replace('#x', ''))
    }
  })
})
