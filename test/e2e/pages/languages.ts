import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { api } from '#contract/api.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { isRightToLeft } from '#contract/texts/languages.ts'
import { isolated } from '../../../src/client/lib/texts/isolated.ts'
import { setUpApp, type TestApp } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { viewports } from '../support/screenshots.ts'
import { signInToRestaurant } from './sign-in.ts'

/** A server that offers Esperanto: every text in marks, so that whatever has none was not looked up. */
export function setUpAppWithEsperanto(): TestApp {
  const catalogues = mkdtempSync(join(tmpdir(), 'catalogues-'))
  const { texts: germanTexts }: { texts: Record<string, string | object> } = JSON.parse(
    readFileSync('catalogues/staff/de.json', 'utf8'),
  )
  const texts = Object.fromEntries(
    Object.entries(germanTexts).map(([key, german]) => [
      key,
      typeof german === 'string' ? `⟦${key}⟧` : { other: `⟦${key}⟧` },
    ]),
  )
  writeFileSync(
    join(catalogues, 'eo.json'),
    JSON.stringify({ language: 'eo', name: 'Esperanto', reviewed: false, texts }),
  )
  afterAll(() => rmSync(catalogues, { recursive: true }))
  return setUpApp({ guestLimits: false, catalogues })
}

type Texts = Record<string, string | Record<string, string>>

/** Looks up what the crew's screens say in a language. */
export function crewTexts(language: string) {
  const texts: Texts =
    language === 'en' ? {} : JSON.parse(readFileSync(`catalogues/staff/${language}.json`, 'utf8')).texts
  const forms = new Intl.PluralRules(language)
  const isolate = isRightToLeft(language) ? isolated : String
  return (english: string, values: Record<string, string | number> = {}): string => {
    const found = texts[english] ?? english
    const text = typeof found === 'string' ? found : (found[forms.select(Number(values['count']))] ?? english)
    return text.replaceAll(/\{(\w+)\}/gu, (placeholder, name: string) =>
      name in values ? isolate(String(values[name])) : placeholder,
    )
  }
}

export async function openRestaurant(app: TestApp): Promise<Restaurant> {
  const restaurant = await app.restaurant({ tables: ['4', '7', 'Terrasse am Fluss', '12'] })
  for (const [name, role] of [
    ['Maya Lindqvist', 'Server'],
    ['Karim Haddad', 'Server'],
    ['Sam Keller', 'Busser'],
  ] as const)
    await restaurant.owner.ok(api.crew.add, { body: { name, role } })
  return restaurant
}

export const ask = (app: TestApp, restaurant: Restaurant, tableNumber: string, serviceType: ServiceType) =>
  app.browser().ok(api.requests.send, { body: { restaurantId: restaurant.name, tableNumber, serviceType } })

export async function screenOf(
  app: TestApp,
  { name, device }: Restaurant,
  member: string,
  chooseName: string,
  options: PageOptions = {},
): Promise<Page> {
  const page = await openPage({
    viewport: viewports.phone,
    tolerate: [/\/api\/auth\/user/],
    ...options,
  })
  await signInToRestaurant(page, app, { name, device })
  await page.goto(`${app.url}/waiter`)
  await page.getByRole('button', { name: chooseName }).first().click()
  await page.getByRole('radio', { name: member }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return page
}
