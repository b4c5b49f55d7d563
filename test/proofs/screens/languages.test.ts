import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ask, openRestaurant, screenOf, setUpAppWithEsperanto } from '../../e2e/pages/languages.ts'
import { clippedTexts, setTextSize } from '../../e2e/support/accessibility.ts'
import { takeScreenshots, viewports } from '../../e2e/support/screenshots.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'

const app = setUpAppWithEsperanto()

/** Visible words that stand in no marks. */
const unmarkedWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    // Marks may begin and end in other elements of the same sentence.
    const sentences = new Map<Element, string>()
    while (texts.nextNode()) {
      const { parentElement, textContent } = texts.currentNode
      if (!parentElement || parentElement.closest('script, noscript, option, style')) continue
      const block = parentElement.closest('p, li, h1, h2, h3, button') ?? parentElement
      sentences.set(block, (sentences.get(block) ?? '') + textContent)
    }
    const found = [...sentences.values()]
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]'))
      for (const name of ['aria-label', 'title', 'placeholder']) found.push(element.getAttribute(name) ?? '')
    const names =
      /Maya Lindqvist|Karim Haddad|Sam Keller|Terrasse am Fluss|Blue Door \d+|Maya|Karim|KH|SK|ML|Tableside|[AP]M/g
    const innermost = /⟦[^⟦⟧]*⟧/g
    return found
      .map((text) => text.replaceAll(names, ''))
      .map((text) => text.replaceAll(innermost, '').replaceAll(innermost, '').replaceAll(innermost, ''))
      .filter((text) => /\p{L}{2}/u.test(text))
  })

/** Opens what a crew member can open, one after the other. */
async function walk(page: Page, look: (screen: string) => Promise<void>): Promise<void> {
  const closeDialog = async (): Promise<void> => {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const sections = page.getByRole('navigation').first().getByRole('button')
  await sections.nth(1).click()
  await page.locator('.ticket').first().waitFor()
  await look('requests')
  await page.locator('.ticket-more').first().click()
  await page.getByRole('dialog').getByRole('heading', { level: 3 }).first().waitFor()
  await look('table')
  await closeDialog()
  await sections.nth(0).click()
  await look('me')
  const buttons = page.locator('.crew-side-actions button[aria-haspopup="dialog"]')
  // Those of the shift, the name and the alerts.
  await buttons.nth(3).waitFor()
  for (const index of Array.from({ length: await buttons.count() }).keys()) {
    await buttons.nth(index).click()
    await page.getByRole('dialog').waitFor()
    await look(`me-${index}`)
    await closeDialog()
  }
  await sections.nth(2).click()
  await page.getByRole('heading', { level: 3 }).last().waitFor()
  await look('messages')
  await page.getByRole('button', { name: 'Sam Keller' }).first().click()
  await page.getByRole('log').waitFor()
  await look('conversation')
  await page.locator('form + button').click()
  await page.getByRole('dialog').waitFor()
  await look('quick-messages')
  await closeDialog()
}

async function fillRail(restaurant: Restaurant): Promise<void> {
  for (const [table, type] of [
    ['4', 'drinks'],
    ['7', 'check'],
    ['Terrasse am Fluss', 'assistance'],
    ['12', 'general'],
  ] as const)
    await ask(app, restaurant, table, type)
}

describe('every screen of the crew', () => {
  it('says nothing that is in no catalogue, in a language that an installation added', async () => {
    const restaurant = await openRestaurant(app)
    await fillRail(restaurant)
    const page = await screenOf(app, restaurant, 'Maya Lindqvist', '⟦Select your name⟧', { locale: 'eo' })
    const found: string[] = []
    await walk(page, async (screen) => {
      found.push(...(await unmarkedWords(page)).map((words) => `${screen}: ${words}`))
    })
    await page.goto(`${app.url}/waiter?display`)
    await page.getByText('⟦Still').or(page.getByText('⟦Drinks⟧')).first().waitFor()
    found.push(...(await unmarkedWords(page)).map((words) => `wall: ${words}`))
    expect(found).toEqual([])
  })

  it.each([
    ['de', 'Namen wählen'],
    ['fr', 'Choisir mon nom'],
    ['ar', 'اختر اسمك'],
    ['tr', 'Adını seç'],
    ['hi', 'नाम चुनें'],
    ['vi', 'Chọn tên'],
    ['zh-Hans', '选择姓名'],
  ])('has room for %s', async (locale, chooseName) => {
    const restaurant = await openRestaurant(app)
    await fillRail(restaurant)
    const page = await screenOf(app, restaurant, 'Maya Lindqvist', chooseName, { locale })
    const found: string[] = []
    await walk(page, async (screen) => {
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 })
        found.push(...(await clippedTexts(page)).map((text) => `${screen} at ${width}: ${text}`))
      }
      await page.setViewportSize(viewports.phone)
      if (screen === 'requests') {
        await setTextSize(page, 32)
        found.push(...(await clippedTexts(page)).map((text) => `${screen} with large text: ${text}`))
        await setTextSize(page, 16)
      }
      await takeScreenshots(page, `language-${locale}-${screen}`, ['phone'])
    })
    expect(found).toEqual([])
  })
})
