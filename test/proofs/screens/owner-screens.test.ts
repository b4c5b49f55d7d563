import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { expectAccessible, text } from '../../e2e/pages/owner-pages.ts'
import { setUpStaffApp } from '../../e2e/pages/staff-pages.ts'
import { overflowingElements, setTextSize } from '../../e2e/support/accessibility.ts'
import { button, press, waitForTitle } from '../../e2e/support/locators.ts'
import { smallPng } from '../../support/reading/qr-reader.ts'
import { subscribeInSandbox } from '../../support/stripe/sandbox-subscription.ts'

const staff = setUpStaffApp()

it('a new restaurant has accessible screens before it subscribes', async () => {
  const { page } = await staff.openAsOwner('/dashboard')
  await text(page, 'Inactive').waitFor()
  await expectAccessible(page, 'home-inactive')
  await page.goto(`${staff.app.url}/admin`)
  await text(page, 'No QR Code Yet').waitFor()
  await expectAccessible(page, 'set-up-unpaid')
  await page.goto(`${staff.app.url}/subscribe`)
  await button(page, 'Choose Monthly').waitFor()
  await expectAccessible(page, 'plans')
  expect(await overflowOfLargeText(page)).toEqual([])
  await press(page, 'Choose Monthly')
  await button(page, 'Subscribe for $100/month').waitFor()
  await expectAccessible(page, 'payment')
  expect(await overflowOfLargeText(page)).toEqual([])
  await page.goto(`${staff.app.url}/management-dashboard`)
  await page.getByRole('region', { name: 'Manager Access Management' }).waitFor()
  await page.getByRole('region', { name: 'QR Code Management' }).waitFor()
  expect(await overflowOfLargeText(page)).toEqual([])
})

/** What overflows the smallest phone with text twice as large. */
async function overflowOfLargeText(page: Page): Promise<string[]> {
  await setTextSize(page, 32)
  const found = await overflowingElements(page)
  await setTextSize(page, 16)
  return found
}

it('a new restaurant has accessible screens once it has subscribed, and a file name that every system accepts', async () => {
  const { owner, name } = await staff.app.restaurant({ name: 'Pot / Pan: "Best?"' })
  await subscribeInSandbox(staff.app, owner)
  await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
  const page = await staff.open('/dashboard', owner)
  await text(page, '$100/month subscription').waitFor()
  await expectAccessible(page, 'home-active')
  await page.goto(`${staff.app.url}/admin`)
  await button(page, 'Regenerate').waitFor()
  await expectAccessible(page, 'set-up-code')
  const saving = page.waitForEvent('download')
  await press(page, 'Download QR Code')
  expect((await saving).suggestedFilename()).toBe('Pot - Pan- -Best---qr-code.png')
})

it('a restaurant may have a name of 80 letters without a space, which fits on every screen', async () => {
  const name = 'W'.repeat(80)
  const { page } = await staff.openAsOwner('/dashboard', { name })
  for (const [path, screen] of [
    ['/dashboard', 'Welcome back'],
    ['/admin', 'Get Set Up'],
    ['/portal-selection', 'Select Portal'],
    ['/demo-login', 'Admin Login'],
  ] as const) {
    await page.goto(staff.app.url + path)
    await waitForTitle(page, screen)
    await page.getByText(name).waitFor()
    const sideways = [...(await overflowingElements(page)), ...(await overflowingElements(page, 1024))]
    expect(sideways, `sideways on ${path}`).toEqual([])
  }
})
