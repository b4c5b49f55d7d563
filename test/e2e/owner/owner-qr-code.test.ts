import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { type TestBrowser } from '../../support/app.ts'
import { pixelsOfPng, readCode, smallPng } from '../../support/reading/qr-reader.ts'
import { subscribeInSandbox } from '../../support/stripe/sandbox-subscription.ts'
import { expectAccessible, text, pictureOf } from '../pages/owner-pages.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { brokenParts } from '../support/accessibility.ts'
import { expectPageError } from '../support/browser.ts'
import { button, press, section, waitForToast } from '../support/locators.ts'

const staff = setUpStaffApp()

describe('the QR code', () => {
  const withCode = async (): Promise<{ owner: TestBrowser; name: string; page: Page }> => {
    const { owner, name } = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, owner)
    await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
    return { owner, name, page: await staff.open('/admin', owner) }
  }

  it('is deleted by Regenerate after a confirmation, and the next one carries a new proof', async () => {
    const { name, page } = await withCode()
    const before = await readCode(pixelsOfPng(await pictureOf(page, `QR code of ${name}`)))
    await press(page, 'Regenerate')
    await page.getByRole('dialog', { name: 'Delete this QR code?' }).waitFor()
    await expectAccessible(page, 'regenerate')
    await press(page, 'Keep it')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await press(page, 'Regenerate')
    await page.getByRole('dialog').getByRole('button', { name: 'Regenerate', exact: true }).click()
    await waitForToast(page, 'Success', 'QR code deleted successfully')
    await text(page, 'No QR Code Yet').waitFor()
    await press(page, 'Generate QR Code')
    const after = await readCode(pixelsOfPng(await pictureOf(page, `QR code of ${name}`)))
    expect([before, after].map((link) => new URL(link).searchParams.get('k')?.split('.')[0])).toEqual([
      '1',
      '2',
    ])
  })

  it('reports that it cannot be created', async () => {
    const { owner } = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, owner)
    const page = await staff.open('/admin', owner)
    await text(page, 'No QR Code Yet').waitFor()
    await page.route('**/api/qr-codes', async (route) => await route.fulfill({ status: 500, body: 'Down' }))
    expectPageError(page, /500.*\/api\/qr-codes\)/)
    await press(page, 'Generate QR Code')
    await waitForToast(page, 'Error', 'Failed to generate QR code')
    await page.route('**/api/qr-codes', async (route) => {
      const body = JSON.stringify({ code: 'conflict', message: 'Somebody else is at it' })
      await route.fulfill({ status: 409, contentType: 'application/json', body })
    })
    expectPageError(page, /409.*\/api\/qr-codes\)/)
    await press(page, 'Generate QR Code')
    await waitForToast(page, 'Error', 'Somebody else is at it')
    await expect.poll(() => button(page, 'Generate QR Code').isEnabled()).toBe(true)
  })

  it('stays after the subscription has ended, and says that a new code requires one', async () => {
    const { owner, name } = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, owner)
    await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
    await owner.ok(api.billing.cancel, {})
    await owner.ok(api.billing.advanceSandbox, {})
    const page = await staff.open('/admin', owner)
    await section(page, 'Subscription Required').waitFor()
    await button(page, 'Download QR Code').waitFor()
    await press(page, 'Regenerate')
    await page.getByText('You need an active subscription to generate a new one.').waitFor()
  })

  it('has an address that breaks within no word on a phone', async () => {
    const { owner, name } = await staff.app.restaurant({ name: 'The Blue Lantern 310' })
    await subscribeInSandbox(staff.app, owner)
    await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
    const page = await staff.open('/admin-dashboard', owner)
    const address = page.getByText(/customer\?r=The\+Blue\+Lantern\+310$/u)
    for (const width of [320, 360, 390, 412]) {
      await page.setViewportSize({ width, height: 844 })
      expect({ width, broken: await brokenParts(address, /[\p{L}\p{N}]+/gu) }).toEqual({ width, broken: [] })
    }
  })
})
