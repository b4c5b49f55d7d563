import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testCards } from '#contract/billing.ts'
import { futureExpiry } from '../../../src/client/features/owner/cards/card-input.ts'
import { password } from '../../support/app.ts'
import { errorCorrectionLevel, pixelsOfPng, readCode } from '../../support/reading/qr-reader.ts'
import { subscribeInSandbox } from '../../support/stripe/sandbox-subscription.ts'
import { expectAccessible, text, typeCard, pictureOf } from '../pages/owner-pages.ts'
import { expectBeforeSignIn } from '../pages/sign-in-redirect.ts'
import { submitSignUp } from '../pages/sign-in.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { setTextSize } from '../support/accessibility.ts'
import { expectPageError } from '../support/browser.ts'
import {
  button,
  field,
  followLink,
  pathOf,
  press,
  section,
  tabTo,
  toast,
  waitForTitle,
  waitForToast,
  fillFields,
} from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const staff = setUpStaffApp()

describe('a new restaurant', () => {
  it('signs up, subscribes, and gets its QR code', async () => {
    const page = await staff.open('/restaurant-signup')
    await submitSignUp(page, 'Café Ünal', 'owner@cafe.example')
    await waitForTitle(page, 'Select Portal')

    await page.goto(`${staff.app.url}/dashboard`)
    await waitForTitle(page, 'Welcome back')
    await text(page, 'Café Ünal').waitFor()
    await text(page, 'owner@cafe.example').waitFor()
    const status = section(page, 'Subscription Status')
    await status.getByText('Inactive', { exact: true }).waitFor()
    await status.getByText('Subscribe to access QR code features', { exact: true }).waitFor()

    await followLink(page, 'Get Set Up')
    await waitForTitle(page, 'Get Set Up')
    await section(page, 'Subscription Required').waitFor()
    await text(page, 'No QR Code Yet').waitFor()
    await expect.poll(() => button(page, 'Generate QR Code').isDisabled()).toBe(true)
    await text(page, 'You need an active subscription to generate a QR code.').waitFor()

    await followLink(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Choose Your Plan')
    await text(page, 'SANDBOX - no real charges').waitFor()
    const features = (plan: string) => (): Promise<string[]> =>
      section(page, plan).getByRole('listitem').allTextContents()
    await expect
      .poll(features('Monthly Plan'))
      .toEqual([
        'Unlimited QR code access',
        'Real-time service requests',
        'Crew dashboard access',
        'Management portal',
        'Analytics dashboard',
        'Cancel anytime',
      ])
    await expect
      .poll(features('Yearly Plan'))
      .toEqual([
        'Unlimited QR code access',
        'Real-time service requests',
        'Crew dashboard access',
        'Management portal',
        'Analytics dashboard',
        '1 month free',
      ])
    await section(page, 'Monthly Plan').getByText('$100/month', { exact: true }).waitFor()
    await section(page, 'Yearly Plan').getByText('$1,100/year', { exact: true }).waitFor()
    await section(page, 'Yearly Plan').getByText('about $91.67/month').waitFor()
    await section(page, 'Yearly Plan').getByText('1 Month Free', { exact: true }).waitFor()

    await press(page, 'Choose Yearly')
    await section(page, 'Yearly Subscription')
      .getByText('$1,100/year - 1 Month Free', { exact: true })
      .waitFor()
    await button(page, 'Subscribe for $1,100/year').waitFor()
    await press(page, 'Back to Plans')
    await press(page, 'Choose Monthly')
    await section(page, 'Monthly Subscription')
      .getByText('$100/month - Cancel anytime', { exact: true })
      .waitFor()
    await typeCard(page, testCards.ok)
    await press(page, 'Subscribe for $100/month')
    await waitForToast(page, 'Success! Your subscription is now active.')
    await waitForTitle(page, 'Welcome back')
    await expect.poll(() => pathOf(page)).toBe('/dashboard')
    await status.getByText('Active', { exact: true }).waitFor()
    await status.getByText('$100/month subscription', { exact: true }).waitFor()

    await followLink(page, 'Get Set Up')
    await text(page, 'No QR Code Yet').waitFor()
    await expect.poll(() => section(page, 'Subscription Required').count()).toBe(0)
    const posted = page.waitForRequest((request) => request.method() === 'POST')
    await press(page, 'Generate QR Code')
    await waitForToast(page, 'Success', 'QR code generated successfully')
    const { restaurantId, qrCodeDataUrl } = (await posted).postDataJSON()
    expect(restaurantId).toBe('Café Ünal')
    const drawn = pixelsOfPng(qrCodeDataUrl)
    expect([drawn.width, await errorCorrectionLevel(drawn)]).toEqual([300, 'M'])
    expect(await readCode(drawn)).toBe(`${staff.app.url}/customer?r=Caf%C3%A9+%C3%9Cnal`)

    const picture = await pictureOf(page, 'QR code of Café Ünal')
    const link = await readCode(pixelsOfPng(picture))
    expect(link).toMatch(/\/customer\?r=Caf%C3%A9\+%C3%9Cnal&k=1\.[\w-]{22}$/)

    const saving = page.waitForEvent('download')
    await press(page, 'Download QR Code')
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('Café Ünal-qr-code.png')
    const file = await readFile(await saved.path())
    expect(`data:image/png;base64,${file.toString('base64')}`).toBe(picture)

    await page.goto(link)
    await waitForTitle(page, 'Welcome!')
  })

  it('can do all of it with the keyboard', async () => {
    const { page } = await staff.openAsOwner('/dashboard')
    const pressEnter = async (role: 'button' | 'link', name: string) => {
      await tabTo(page, role, name)
      await page.keyboard.press('Enter')
    }
    await waitForTitle(page, 'Welcome back')
    await pressEnter('link', 'Subscribe Now')
    await waitForTitle(page, 'Choose Your Plan')
    await button(page, 'Choose Monthly').waitFor()
    await pressEnter('button', 'Choose Monthly')
    await section(page, 'Monthly Subscription').waitFor()
    await tabTo(page, 'button', 'Back to Plans')
    await page.keyboard.press('Space')
    await pressEnter('button', 'Choose Yearly')
    await section(page, 'Yearly Subscription').waitFor()
    await tabTo(page, 'textbox', 'Card number')
    await page.keyboard.type('4000002500003155')
    await tabTo(page, 'textbox', 'Expiry')
    await page.keyboard.type(futureExpiry().replace('/', ''))
    await tabTo(page, 'textbox', 'CVC')
    await page.keyboard.type('123')
    await expect.poll(() => field(page, 'Card number').inputValue()).toBe('4000 0025 0000 3155')
    await expect.poll(() => field(page, 'Expiry').inputValue()).toBe(futureExpiry())
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await pressEnter('button', 'Approve')
    await waitForTitle(page, 'Welcome back')
    await pressEnter('link', 'Get Set Up')
    await button(page, 'Generate QR Code').waitFor()
    await pressEnter('button', 'Generate QR Code')
    await button(page, 'Regenerate').waitFor()
    await pressEnter('button', 'Regenerate')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await button(page, 'Download QR Code').waitFor()
  })

  it('keeps the keyboard focus in place, even when the pressed button is gone', async () => {
    const { owner } = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, owner)
    const page = await staff.open('/subscribe', owner)
    const enter = async (name: string, within: Page | Locator = page): Promise<void> =>
      await within.getByRole('button', { name, exact: true }).press('Enter')
    const agree = async (name: string): Promise<void> => {
      const dialog = page.getByRole('dialog')
      // After the dialog has taken the focus, it does not move it again.
      await dialog.locator(':focus').waitFor()
      await enter(name, dialog)
    }
    const nextIs = async (name: string): Promise<void> => {
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.waitForFunction(() => document.activeElement !== document.body)
      await page.keyboard.press('Tab')
      await page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
    }
    await enter('Switch to Yearly Plan')
    await agree('Switch to Yearly Plan')
    await waitForToast(page, 'You are on the Yearly Plan now')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.locator('main :focus').waitFor()
    await enter('Cancel Subscription')
    await waitForToast(page, 'Subscription cancelled')
    await nextIs('Resume Subscription')

    await page.goto(`${staff.app.url}/admin`)
    await enter('Generate QR Code')
    await waitForToast(page, 'Success', 'QR code generated successfully')
    await nextIs('Download QR Code')
    await enter('Regenerate')
    await agree('Regenerate')
    await waitForToast(page, 'Success', 'QR code deleted successfully')
    await nextIs('Generate QR Code')
  })
})

it('the card form has the CVC below the expiry on a phone with large text', async () => {
  const { page } = await staff.openAsOwner('/subscribe')
  await press(page, 'Choose Monthly')
  await page.setViewportSize(viewports.phone)
  const topOf = async (label: string): Promise<number> =>
    (await field(page, label).boundingBox())?.y ?? Number.NaN
  await expect.poll(async () => (await topOf('CVC')) - (await topOf('Expiry'))).toBe(0)
  await setTextSize(page, 32)
  await expect.poll(async () => (await topOf('CVC')) - (await topOf('Expiry'))).toBeGreaterThan(56)
})

it('finds the subscription after the sign-in if the session ended while a card was paying', async () => {
  const { owner, name, page } = await staff.openAsOwner('/subscribe')
  await press(page, 'Choose Monthly')
  await typeCard(page, testCards.ok)
  await page.route('**/api/confirm-subscription', async (route) => {
    await owner.send('GET', '/api/logout')
    await route.continue()
  })
  expectPageError(page, /401.*\/api\/confirm-subscription/)
  await expectBeforeSignIn(
    page,
    () => press(page, 'Subscribe for $100/month'),
    toast(page).getByText('Unauthorized', { exact: true }),
    toast(page).getByText('You are logged out. Logging in again...', { exact: true }),
  )
  await waitForTitle(page, 'Admin Login')
  await fillFields(page, { Username: name, Password: password })
  await press(page, 'Sign In')
  await section(page, 'Premium Restaurant Plan').getByText('Active', { exact: true }).waitFor()
})

describe('without billing', () => {
  const free = setUpStaffApp({}, { billing: false })

  it('everything is included and no plan is shown', async () => {
    const { page } = await free.openAsOwner('/dashboard')
    await text(page, 'Everything is included').waitFor()
    await section(page, 'Subscription Status').getByText('Active', { exact: true }).waitFor()
    expect(await page.getByText('$').count()).toBe(0)
    await page.goto(`${free.app.url}/subscribe`)
    await text(page, 'Everything is included here: this installation takes no payments.').waitFor()
    expect(await page.getByText(/\$|SANDBOX|Choose/).count()).toBe(0)
    await expectAccessible(page, 'no-billing')
    await page.goto(`${free.app.url}/admin`)
    await press(page, 'Generate QR Code')
    await waitForToast(page, 'Success', 'QR code generated successfully')
  })

  it('no plan is shown to somebody signed out either', async () => {
    const page = await free.open('/subscribe')
    await text(page, 'Everything is included here: this installation takes no payments.').waitFor()
    expect(await page.getByText(/\$|SANDBOX|Choose/).count()).toBe(0)
  })
})

describe('the crew screen of an owner', () => {
  it('fills the window below the navigation, and does not scroll while the list is short', async () => {
    const { page } = await staff.openAsOwner('/waiter', { tables: ['1'] })
    await page.getByRole('navigation', { name: 'Your portals' }).waitFor()
    await text(page, 'No active requests').waitFor()
    for (const viewport of [viewports.desktop, viewports.tablet]) {
      await page.setViewportSize(viewport)
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
        .toBe(viewport.height)
    }
  })
})

it('shows beside each first step on a phone what can be done about it', async () => {
  const { page } = await staff.openAsOwner('/portal-selection', { tables: ['1'] })
  await page.setViewportSize(viewports.phone)
  const [title, change] = [
    page.getByRole('heading', { name: 'Tables', exact: true }),
    page.getByRole('link', { name: 'Change: Tables', exact: true }),
  ]
  await change.waitFor()
  const isBeside = async (): Promise<boolean> => {
    const [first, second] = await Promise.all([title.boundingBox(), change.boundingBox()])
    return first !== null && second !== null && second.y < first.y + first.height
  }
  await expect.poll(isBeside).toBe(true)
})
