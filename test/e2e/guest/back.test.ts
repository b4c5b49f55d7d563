import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { signInToRestaurant } from '../pages/sign-in.ts'
import { openPage } from '../support/browser.ts'
import { pathOf, press, waitForTitle } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const app = setUpApp()

it('closes what is open on the Crew Dashboard with Back before leaving it', async () => {
  const { name, owner, device } = await app.restaurant()
  for (const member of ['Maya Chen', 'Jonas Berg'])
    await owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
  const page = await openPage({ viewport: viewports.desktop, tolerate: [/\/api\/auth\/user/] })
  await signInToRestaurant(page, app, { name, device })
  await page.goto(`${app.url}/portal-selection`)
  await page.getByRole('link', { name: /Crew/u }).click()
  await page.getByText('Live', { exact: true }).waitFor()

  /** Waits until the browser is at the history entry of something open, or of nothing. */
  const whenOnLayer = async (isOnLayer: boolean): Promise<void> =>
    await expect.poll(() => page.evaluate(() => typeof history.state?.layer === 'string')).toBe(isOnLayer)
  const names = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Select your name' }).first().click()
  await names.waitFor()
  await whenOnLayer(true)
  await page.goBack()
  await names.waitFor({ state: 'detached' })
  await expect.poll(() => pathOf(page)).toBe('/waiter')

  // Forward does not reopen a dialog, and one that was closed directly leaves no history entry.
  await page.goForward()
  expect([pathOf(page), await names.count()]).toEqual(['/waiter', 0])
  await page.goBack()
  await whenOnLayer(false)
  await page.getByRole('button', { name: 'Select your name' }).first().click()
  await page.getByRole('radio', { name: 'Maya Chen' }).click()
  await names.waitFor({ state: 'detached' })
  await whenOnLayer(false)

  const contacts = page.getByRole('region', { name: 'ALL CONTACTS' })
  const talk = async (): Promise<void> => {
    await contacts.getByRole('button', { name: 'Jonas Berg' }).click()
    await contacts.waitFor({ state: 'detached' })
    await whenOnLayer(true)
  }
  await talk()
  await page.goBack()
  await contacts.waitFor()
  await expect.poll(() => pathOf(page)).toBe('/waiter')

  // Nor does a conversation that was left by going to another page.
  await talk()
  await press(page, 'Home')
  await page.waitForURL('**/portal-selection')
  await page.goBack()
  await contacts.waitFor()
  await page.goBack()
  await page.waitForURL('**/portal-selection')
  await page.goForward()
  await contacts.waitFor()
  await waitForTitle(page, 'Crew Dashboard')
  await page.goForward()
  await page.waitForURL('**/portal-selection')
})
