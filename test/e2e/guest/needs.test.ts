import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api, type CallInput } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { openAdminPortal } from '../pages/admin-portal.ts'
import { openCrewScreen, ticket } from '../pages/crew-screen.ts'
import { returnToMenu, untilSent, whenFollowing } from '../pages/guest-page.ts'
import {
  brokenWordsOfAll,
  overflowingElements,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../support/accessibility.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { takeScreenshot, takeScreenshots } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false })

const water = {
  id: 'water',
  name: { en: 'Water', de: 'Wasser', ar: 'ماء' },
  icon: 'water',
  targetMs: 60_000,
  choices: [
    { id: 'still', name: { en: 'Still', de: 'Still', ar: 'ماء عادي' } },
    { id: 'bubbles', name: { en: 'Sparkling', de: 'Mit Kohlensäure', ar: 'ماء فوار' } },
  ],
} as const
const allergy = {
  id: 'allergy',
  name: { en: 'Allergy', ar: 'حساسية' },
  icon: 'allergy',
  targetMs: 90_000,
  note: true,
  choices: [
    { id: 'nuts', name: { en: 'Nuts', ar: 'مكسرات' } },
    { id: 'milk', name: { en: 'Milk' } },
  ],
} as const
const needs: CallInput<typeof api.needs.set>['body']['needs'] = [
  {
    id: 'check',
    choices: [
      { id: 'card', name: { en: 'Card' } },
      { id: 'cash', name: { en: 'Cash' } },
    ],
  },
  { id: 'drinks', name: { en: 'Bar', de: 'Theke' } },
  { ...water, choices: [...water.choices] },
  { id: 'general' },
  { ...allergy, choices: [...allergy.choices] },
  { id: 'other' },
  { id: 'food' },
  { id: 'assistance', hidden: true },
]

const phone = (options: PageOptions = {}): Promise<Page> =>
  openPage({ viewport: { width: 390, height: 844 }, ...options })
const tiles = async (page: Page): Promise<string[]> =>
  (await page.locator('.services > button, .services summary').allInnerTexts()).map((text) => text.trim())
const summary = (page: Page, name: string): Locator => page.locator('summary', { hasText: name })
const back = (page: Page): Promise<void> => page.getByRole('heading', { name: 'What do you need?' }).waitFor()

it('shows owners their guests’ buttons with every word whole', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const page = await openAdminPortal(app, restaurant, '/admin-dashboard/needs', 'As guests see it')
  const names = page.locator('.need-preview bdi')
  await expect.poll(() => names.count()).toBe(6)
  for (const textSize of [16, 32]) {
    await setTextSize(page, textSize)
    for (const width of [1440, 390, 375, 320]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await brokenWordsOfAll(names), `at ${width} pixels`).toEqual([])
    }
  }
  expect(await overflowingElements(page)).toEqual([])
})

it('guests whose page cannot load what draws the owner’s needs are offered them as plain buttons', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  await restaurant.owner.ok(api.needs.set, { body: { needs } })
  // The tiles that came with the page give way to plain ones.
  const guest = await phone({ tolerate: [/own-needs-part/, /ERR_FAILED/, /Hydration failed|#418/] })
  await guest.route('**/assets/own-needs-part-*.js', (route) => route.abort())
  const following = whenFollowing(guest)
  await guest.goto(
    `${app.url}/customer?${new URLSearchParams({ r: restaurant.name, t: '1', lang: 'de' }).toString()}`,
  )
  await following
  const shown = [
    'Rechnung',
    'Theke',
    'Wasser',
    'Bedienung rufen',
    'Allergy',
    'Etwas anderes',
    'Essen bestellen',
  ]
  await expect.poll(() => guest.locator('.services > button').allInnerTexts()).toEqual(shown)
  expect(await overflowingElements(guest)).toEqual([])
  const crew = await openCrewScreen(app, restaurant)
  await guest.getByRole('button', { name: 'Wasser' }).click()
  await ticket(crew, '1').getByText('Water').waitFor()
})

it('leads whoever is in a need that the owner hides to the title', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  await owner.ok(api.needs.set, { body: { needs } })
  const guest = await phone()
  const following = whenFollowing(guest)
  await guest.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  await following
  const hasFocus = (element: Locator): Promise<boolean> =>
    element.evaluate((each) => each === document.activeElement)
  const title = guest.getByRole('heading', { name: 'What do you need?' })
  await summary(guest, 'Allergy').click()
  await guest.getByLabel('Note for the crew').focus()
  const withoutAllergy = needs.filter(({ id }) => id !== 'allergy')
  await owner.ok(api.needs.set, { body: { needs: withoutAllergy } })
  await summary(guest, 'Allergy').waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(title)).toBe(true)
  await guest.getByRole('button', { name: 'Bar' }).focus()
  const withoutDrinks = withoutAllergy.map((need) =>
    need.id === 'drinks' ? { ...need, hidden: true } : need,
  )
  await owner.ok(api.needs.set, { body: { needs: withoutDrinks } })
  await guest.getByRole('button', { name: 'Bar' }).waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(title)).toBe(true)
})

it('guests ask for the owner’s needs with a choice or a note, and the crew reads what it is', async () => {
  const restaurant = await app.restaurant({ name: 'The Copper Pot', tables: ['1', '2', '3'] })
  const crew = await openCrewScreen(app, restaurant, { viewport: { width: 390, height: 844 } })
  const link = (table: string) =>
    `${app.url}/customer?${new URLSearchParams({ r: restaurant.name, t: table })}`
  const guest = await phone()
  await guest.goto(link('1'))
  await back(guest)
  await expect.poll(() => tiles(guest)).toContain('Assistance')

  // Both pages are open.
  await restaurant.owner.ok(api.needs.set, { body: { needs } })
  await expect
    .poll(() => tiles(guest))
    .toEqual(['Check/Bill', 'Bar', 'Water', 'Call Waiter', 'Allergy', 'Other', 'Food Order'])
  await takeScreenshot(guest, 'needs-guest-menu')
  await guest.reload()
  await back(guest)
  expect((await tiles(guest)).slice(0, 3)).toEqual(['Check/Bill', 'Bar', 'Water'])

  await summary(guest, 'Check/Bill').focus()
  await guest.keyboard.press('Enter')
  await guest.getByRole('button', { name: 'Card' }).waitFor()
  await takeScreenshot(guest, 'needs-guest-choices')
  await guest.keyboard.press('Escape')
  await expect
    .poll(() => summary(guest, 'Check/Bill').evaluate((each) => each === document.activeElement))
    .toBe(true)
  await guest.keyboard.press('Enter')
  await guest.getByRole('button', { name: 'Back' }).click()
  await expect.poll(() => guest.getByRole('button', { name: 'Card' }).isVisible()).toBe(false)
  await guest.keyboard.press('Enter')
  await untilSent(guest, () => guest.getByRole('button', { name: 'Card' }).click())
  await guest.getByText('Check/Bill · Card').first().waitFor()
  const check = ticket(crew, '1')
  await check.getByText('Check/Bill · Card').waitFor()
  await returnToMenu(guest)

  await summary(guest, 'Check/Bill').click()
  await untilSent(guest, () => guest.getByRole('button', { name: 'Cash' }).click())
  await check.getByText('Check/Bill · Cash').waitFor()
  await check.getByText('asked 2×').waitFor()
  await guest.getByText('Check/Bill · Cash').first().waitFor()
  await returnToMenu(guest)

  await summary(guest, 'Allergy').click()
  await guest.getByRole('radio', { name: 'Nuts' }).check()
  await guest.getByLabel('Note for the crew').fill('Cashews too, she carries a pen')
  await guest.getByText('30 / 140').waitFor()
  await takeScreenshot(guest, 'needs-guest-note')
  expect(await lastingViolations(guest)).toEqual([])
  await untilSent(guest, () => guest.getByRole('button', { name: 'Send' }).click())
  await ticket(crew, '1').getByText('Allergy · Nuts').waitFor()
  await ticket(crew, '1').getByText('Cashews too, she carries a pen').waitFor()
  await returnToMenu(guest)
  await guest.getByText('Cashews too, she carries a pen').waitFor()
  await takeScreenshot(guest, 'needs-guest-asked')
  await takeScreenshots(crew, 'needs-crew', ['phone', 'desktop'])
  await crew.setViewportSize({ width: 320, height: 640 })
  await takeScreenshot(crew, 'needs-crew-320')
  expect(await overflowingElements(crew)).toEqual([])
  expect(await lastingViolations(crew)).toEqual([])

  await summary(guest, 'Allergy').click()
  for (const [name, width, height] of [
    ['320', 320, 640],
    ['wide', 844, 390],
  ] as const) {
    await guest.setViewportSize({ width, height })
    await takeScreenshot(guest, `needs-guest-${name}`, { fullPage: true })
    expect(await overflowingElements(guest, width)).toEqual([])
    expect(await smallTargets(guest)).toEqual([])
  }
  await guest.setViewportSize({ width: 390, height: 844 })
  await setTextSize(guest, 32)
  await takeScreenshot(guest, 'needs-guest-200', { fullPage: true })
  expect(await overflowingElements(guest, 390)).toEqual([])

  // Without JavaScript, in Arabic.
  const plain = await phone({ javaScriptEnabled: false, locale: 'ar' })
  await plain.goto(link('2'))
  await summary(plain, 'حساسية').click()
  await plain.getByRole('radio', { name: 'مكسرات' }).check()
  await plain.getByLabel('ملاحظة لفريق الخدمة').fill('فول سوداني')
  await takeScreenshot(plain, 'needs-guest-ar', { fullPage: true })
  await plain.getByRole('button', { name: 'إرسال' }).click()
  await plain.getByText('حساسية · مكسرات').first().waitFor()
  await ticket(crew, '2').getByText('Allergy · Nuts').waitFor()
  await ticket(crew, '2').getByText('فول سوداني').waitFor()
  await plain.goto(link('2'))
  await summary(plain, 'ماء').click()
  await plain.getByRole('button', { name: 'ماء فوار' }).click()
  await plain.getByText('ماء · ماء فوار').first().waitFor()
  await ticket(crew, '2').getByText('Water · Sparkling').waitFor()

  await restaurant.owner.ok(api.needs.set, { body: { needs: [{ id: 'general', name: { en: 'Wave' } }] } })
  await expect.poll(() => tiles(guest)).toContain('Wave')
})

it('a note that is being written stays when a tap from before the script is answered', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  await restaurant.owner.ok(api.needs.set, { body: { needs } })
  const guest = await phone()
  const script = Promise.withResolvers<void>()
  await guest.route('**/assets/guest-*.js', async (route) => {
    await script.promise
    await route.continue()
  })
  const answer = Promise.withResolvers<void>()
  await guest.route('**/api/service-requests', async (route) => {
    await answer.promise
    await route.continue()
  })
  const address = new URLSearchParams({ r: restaurant.name, t: '1' })
  await guest.goto(`${app.url}/customer?${address}`, { waitUntil: 'commit' })
  await guest.getByRole('button', { name: 'Call Waiter' }).click()
  await summary(guest, 'Allergy').click()
  const note = guest.getByLabel('Note for the crew')
  await note.fill('Sesame')
  answer.resolve()
  await guest.locator('[data-tapped=sent]').waitFor()
  script.resolve()
  await guest.getByRole('alert').waitFor()
  await expect.poll(() => note.inputValue()).toBe('Sesame')
  await expect.poll(() => note.isVisible()).toBe(true)
})

it('the owner drags a need to another place, and sees the guests’ tiles', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const page = await openAdminPortal(app, restaurant, '/admin-dashboard/needs', 'As guests see it')
  const card = page.getByRole('region', { name: 'Needs', exact: true })
  const names = (where: string): Promise<string[]> => card.locator(`${where} bdi`).allInnerTexts()
  // Once it stands still.
  await page.locator('[data-handle="check"]').hover({ position: { x: 5, y: 20 } })
  const handle = await page.locator('[data-handle="check"]').boundingBox()
  const target = await page.locator('[data-need="drinks"]').boundingBox()
  if (!handle || !target) throw new Error('no rows')
  await page.mouse.down()
  await page.mouse.move(handle.x + 5, target.y + 10, { steps: 10 })
  await page.mouse.up()
  await card.getByText('Check/Bill: place 2 of 6').waitFor()
  const moved = ['Call Waiter', 'Check/Bill', 'Drinks', 'Food Order', 'Assistance', 'Other']
  await expect.poll(() => names('[data-need]')).toEqual(moved)
  await expect.poll(() => names('[data-theme="dark"]')).toEqual([...moved.slice(1), 'Call Waiter'])
  await takeScreenshots(page, 'needs-editor', ['phone', 'desktop'])
})
