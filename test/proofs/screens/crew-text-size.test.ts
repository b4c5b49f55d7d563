import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { crewTexts } from '../../e2e/pages/languages.ts'
import { signInToRestaurant } from '../../e2e/pages/sign-in.ts'
import { setTextSize, unreachableControls, lastingViolations } from '../../e2e/support/accessibility.ts'
import { openPage, serverAwayErrors } from '../../e2e/support/browser.ts'
import { fillFields, press, waitForTitle } from '../../e2e/support/locators.ts'
import { takeScreenshots, viewports } from '../../e2e/support/screenshots.ts'
import { setUpApp } from '../../support/app.ts'
import { isLongRun } from '../../support/long-run.ts'
import { connectScreen } from '../../support/pages/crew-view.ts'

// However long the walk takes, no request waits too long.
const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

const others: [string, number][] = [
  ['en', 32],
  ['ar', 16],
]

it.each([
  ['en', 16],
  // From right to left.
  ['ar', 32],
  ...(isLongRun ? others : []),
])('finds no violation on any screen of the crew, in "%s" with text of %i px', async (locale, textSize) => {
  const t = crewTexts(locale)
  const restaurant = await app.restaurant({ tables: ['4', '7', 'Patio 3'] })
  const login = { username: `maya-${locale}-${textSize}`, password: 'copper-lantern-42' }
  const hire = (name: string) => restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })
  const [maya, leo] = [await hire('Maya'), await hire('Leo')]
  await restaurant.owner.ok(api.crew.change, { params: { id: maya.id }, body: login })
  await restaurant.owner.ok(api.restaurant.change, { body: { seating: true } })
  for (const tableNumber of ['4', '7', 'Patio 3'])
    await restaurant.owner.ok(api.seating.open, { body: { tableNumber } })
  for (const tableNumber of ['4', '7', 'Patio 3'])
    await app.browser().ok(api.requests.send, {
      body: { id: randomUUID(), restaurantId: restaurant.name, tableNumber, serviceType: 'drinks' },
    })
  const page = await openPage({
    locale,
    // So high that nothing is half behind the bar at the foot.
    viewport: { ...viewports.phone, height: 6000 },
    reducedMotion: 'reduce',
    tolerate: serverAwayErrors,
  })
  await signInToRestaurant(page, app, restaurant)
  await setTextSize(page, textSize)
  await page.addInitScript((id) => localStorage.setItem('crew-member-id', id), maya.id)
  const colleague = await connectScreen(restaurant.device, leo.id)
  await colleague.request({ type: 'mute-table', tableNumber: '7' })
  await colleague.request({
    type: 'send-role-message',
    role: 'Server',
    messageKey: 'TABLE_READY_TO_CLEAR',
    tableNumber: 'Patio 3',
  })
  const check = async (screen: string): Promise<void> => {
    if (locale === 'ar') await page.locator(':root[lang="ar"][dir="rtl"]').waitFor()
    const found = await lastingViolations(page)
    // What the keyboard reaches does not depend on the size of the text.
    if (textSize === 16) found.push(...(await unreachableControls(page)))
    expect({ screen, found }).toEqual({ screen, found: [] })
    await takeScreenshots(
      page,
      `text-${locale}-${textSize}-${screen.toLowerCase().replaceAll(/\W+/g, '-')}`,
      ['phone'],
    )
  }
  const checkDialog = async (name: string): Promise<void> => {
    const dialog = page.getByRole('dialog', { name: t(name) })
    await dialog.waitFor()
    await check(name)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }

  await page.goto(`${app.url}/waiter`)
  await page.getByRole('region', { name: t('Ready to serve?') }).waitFor()
  await page.getByText(t('{count} Active', { count: 3 })).waitFor()
  await page.getByRole('region', { name: t('Muted tables') }).waitFor()
  await page.getByRole('button', { name: t("I'll do it") }).waitFor()
  await check('Ready to serve?')
  await press(page, t('Start shift'))
  await page.getByRole('region', { name: t('Heard it?') }).waitFor()
  await check('Heard it?')
  await press(page, t('Yes'))
  await page
    .getByRole('button', { name: t('On my way') })
    .first()
    .click()
  await page.getByText(t('You’re on it')).waitFor()
  await press(page, t('More for table {table}', { table: '4' }))
  await page.getByText(t('Seated since {time}').replace('{time}', '').trim()).waitFor()
  await check('Table 4')
  await press(page, t('Move to another table'))
  await checkDialog('Move the party')
  await page.keyboard.press('?')
  await checkDialog('Keyboard shortcuts')

  await press(page, t('Me'))
  await page.getByRole('button', { name: t('Going on break') }).waitFor()
  await check('Me')
  const dialogs = {
    'Going on break': 'Going on break',
    'Move a party': 'Move a party',
    'Seat tables': 'Seat tables',
    'Change name': 'Select your name',
    'Alerts on this phone off': 'This screen',
    'End shift': 'You are still on the way',
  }
  for (const [name, dialog] of Object.entries(dialogs)) {
    await press(page, t(name))
    await checkDialog(dialog)
  }

  await press(page, t('Messages'))
  await page.getByRole('button', { name: 'Leo' }).click()
  await page.getByRole('log').waitFor()
  await check('Messages')
  await press(page, t('Quick messages'))
  await checkDialog('Quick messages')

  await page.goto(`${app.url}/waiter?display`)
  await page.getByText(t('On the way'), { exact: true }).waitFor()
  await page.setViewportSize({ width: 1280, height: 720 })
  await check('Wall display')

  await page.setViewportSize({ ...viewports.phone, height: 6000 })
  await page.goto(`${app.url}/portal-selection`)
  await page.getByRole('link', { name: t('Crew Portal') }).waitFor()
  await check('Select Portal')
  await page.context().clearCookies()
  for (const [path, title] of [
    ['/restaurant-login', 'Restaurant Login'],
    ['/device', 'Sign in this device'],
    ['/waiter-login', 'Crew Login'],
  ] as const) {
    await page.goto(app.url + path)
    await waitForTitle(page, t(title))
    await check(title)
  }
  await fillFields(page, { [t('Username')]: login.username, [t('Password')]: login.password })
  await press(page, t('Sign In'))
  await press(page, t('Me'))
  await press(page, t('My figures'))
  await page
    .getByRole('dialog', { name: t('My figures') })
    .getByText(t('By type'))
    .waitFor()
  await checkDialog('My figures')
  await press(page, t('Requests'))
  await app.pause()
  await page.getByText(t('Reconnecting…')).waitFor()
  await page
    .getByRole('button', { name: t('Mark Complete') })
    .first()
    .click()
  await page.getByText(`${t('Complete')} · ${t('waits to send')}`).waitFor()
  await check('Reconnecting…')
  await app.start()
})
