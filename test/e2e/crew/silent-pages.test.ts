import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp, type TestBrowser } from '../../support/app.ts'
import { openPageAs } from '../pages/sign-in.ts'
import { brokenWords, setTextSize } from '../support/accessibility.ts'
import { button, press } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const app = setUpApp()

/** Fails if the page logs an error, as browsers do of refused calls. */
async function openSilently(path: string, as: TestBrowser): Promise<Page> {
  const page = await openPageAs(app, path, as, { tolerate: [] })
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  return page
}

it('asks only owners for the owner', async () => {
  const { name, owner, device } = await app.restaurant()
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  const body = { restaurantName: name, username: 'boss', password }
  await manager.ok(api.managers.login, { body })
  for (const path of ['/', '/dashboard', '/portal-selection', '/demo-login', '/admin-dashboard'])
    await openSilently(path, manager)
  for (const path of ['/', '/demo-login', '/restaurant-login']) await openSilently(path, device)
})

it('asks for no codes or cards that a new restaurant cannot have', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  for (const path of ['/admin', '/admin-dashboard/codes', '/management-dashboard'])
    await (await openSilently(path, owner)).getByText('No QR Code Yet').first().waitFor()
  for (const path of ['/admin/cards', '/admin/cards/walk'])
    await (await openSilently(path, owner)).getByText('Subscription Required').waitFor()
})

it('shows owners a crew screen that fills the window and no more', async () => {
  const { owner } = await app.restaurant()
  const page = await openSilently('/waiter', owner)
  await page.setViewportSize(viewports.phone)
  await page.getByRole('navigation', { name: 'Your portals' }).waitFor()
  await page.getByText('No active requests').waitFor()
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
    .toBe(viewports.phone.height)
})

it('keeps the words of a dialog whole on a narrow screen with large text', async () => {
  const { owner } = await app.restaurant()
  const { id } = await owner.ok(api.crew.add, { body: { name: 'Bartholomew Fitzgerald', role: 'Server' } })
  await owner.ok(api.crew.change, { params: { id }, body: { pin: '4711' } })
  const page = await openSilently('/admin-dashboard/crew', owner)
  await page.setViewportSize({ width: 320, height: 640 })
  await setTextSize(page, 32)
  await press(page, 'Remove Bartholomew Fitzgerald')
  const dialog = page.getByRole('dialog')
  await button(dialog, 'Remove').waitFor()
  await expect.poll(() => brokenWords(dialog)).toEqual([])
  await button(dialog, 'Remove').click()
  await dialog.waitFor({ state: 'detached' })
})
