import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testCards } from '#contract/billing.ts'
import { password, type TestBrowser } from '../../support/app.ts'
import { subscriptionStatus } from '../../support/stripe/sandbox-subscription.ts'
import { expectAccessible, text, typeCard } from '../pages/owner-pages.ts'
import { expectBeforeSignIn } from '../pages/sign-in-redirect.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import {
  button,
  followLink,
  pathOf,
  press,
  section,
  toast,
  waitForTitle,
  waitForToast,
  whenToastsLoad,
  fillFields,
} from '../support/locators.ts'

const staff = setUpStaffApp()

describe('the sandbox card', () => {
  /** Opens the card form of the monthly plan. */
  const atForm = async (): Promise<{ owner: TestBrowser; page: Page }> => {
    const { owner, page } = await staff.openAsOwner('/subscribe')
    await press(page, 'Choose Monthly')
    await section(page, 'Monthly Subscription').waitFor()
    return { owner, page }
  }
  const pay = async (page: Page, number: string | null): Promise<void> => {
    await typeCard(page, number)
    await press(page, 'Subscribe for $100/month')
  }

  it('is never a real one, and no digit leaves the browser', async () => {
    const { page } = await atForm()
    await whenToastsLoad(page)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')))
    await pay(page, '5555 5555 5555 4444')
    await waitForToast(page, 'Payment Setup Failed', 'Test cards only. Never type a real card')
    await expectAccessible(page, 'real-card')
    expect(sent).toEqual([])
    await pay(page, testCards.ok)
    await waitForTitle(page, 'Welcome back')
    expect(sent.filter((request) => /4242|5555/.test(request))).toEqual([])
  })

  it('may require the bank’s approval, which it gives', async () => {
    const { owner, page } = await atForm()
    await pay(page, testCards.sca)
    await page.getByRole('dialog', { name: 'Your bank asks' }).waitFor()
    await expect.poll(() => page.getByText('Processing...').count()).toBe(1)
    await expectAccessible(page, 'bank')
    await press(page, 'Approve')
    await waitForTitle(page, 'Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('goes back to the plans with the browser’s Back, and to the page before with another', async () => {
    const { owner, page } = await staff.openAsOwner('/dashboard')
    await page.goto(`${staff.app.url}/subscribe`)
    await press(page, 'Choose Monthly')
    await section(page, 'Monthly Subscription').waitFor()
    await page.goBack()
    await button(page, 'Choose Monthly').waitFor()
    expect(pathOf(page)).toBe('/subscribe')
    await press(page, 'Choose Monthly')
    await pay(page, testCards.sca)
    await press(page, 'Approve')
    await waitForTitle(page, 'Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
    await page.goBack()
    await waitForTitle(page, 'Choose Your Plan')
    await page.goBack()
    await waitForTitle(page, 'Welcome back')
  })

  it('whose first charge fails leaves the subscription unfinished; another card finishes it', async () => {
    const { owner, page } = await atForm()
    await pay(page, testCards.charge_fails)
    await waitForToast(page, 'Subscription Error', 'Subscription not active: incomplete')
    await page.getByText('Your first payment has not gone through.').waitFor()
    expect(await subscriptionStatus(owner)).toBe('incomplete')
    await expectAccessible(page, 'incomplete')
    await press(page, 'Confirm Payment')
    await waitForToast(page, 'Subscription Error', 'Subscription not active: incomplete')
    await press(page, 'Choose Monthly')
    await pay(page, testCards.ok)
    await waitForToast(page, 'Success! Your subscription is now active.')
    await waitForTitle(page, 'Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
  })
})

describe('choosing a plan', () => {
  it('says what it is waiting for', async () => {
    const { page } = await staff.openAsOwner('/subscribe')
    const gate = Promise.withResolvers<void>()
    await page.route('**/api/create-subscription', async (route) => {
      await gate.promise
      await route.continue()
    })
    await press(page, 'Choose Monthly')
    await text(page, 'Setting up your subscription...').waitFor()
    await expectAccessible(page, 'setting-up')
    gate.resolve()
    await section(page, 'Monthly Subscription').waitFor()
  })

  it('without a sign-in: leads to the sign-in, and back afterwards', async () => {
    const { name } = await staff.app.restaurant()
    const page = await staff.open('/subscribe')
    await text(page, 'SANDBOX - no real charges').waitFor()
    await button(page, 'Choose Yearly').waitFor()
    await expectBeforeSignIn(
      page,
      () => press(page, 'Choose Yearly'),
      toast(page).getByText('Unauthorized', { exact: true }),
      toast(page).getByText('You are logged out. Logging in again...', { exact: true }),
    )
    await waitForTitle(page, 'Admin Login')
    await fillFields(page, { Username: name, Password: password })
    await press(page, 'Sign In')
    await waitForTitle(page, 'Choose Your Plan')
    await text(page, 'SANDBOX - no real charges').waitFor()
  })

  it('may be skipped or left with Back', async () => {
    const { page } = await staff.openAsOwner('/admin')
    await followLink(page, 'Subscribe for $100/month')
    await press(page, 'Back')
    await waitForTitle(page, 'Get Set Up')
    await followLink(page, 'Subscribe for $100/month')
    await followLink(page, 'Skip for now')
    await waitForTitle(page, 'Welcome back')
    await expect.poll(() => pathOf(page)).toBe('/dashboard')
  })
})
