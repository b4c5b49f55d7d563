import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testCards } from '#contract/billing.ts'
import { password, type TestBrowser } from '../support/app.ts'
import { subscribeInSandbox, subscriptionStatus } from '../support/sandbox-subscription.ts'
import { expectAccessible, text, typeCard } from './support/owner-pages.ts'
import { expectPageError } from './support/browser.ts'
import {
  button,
  followLink,
  pathOf,
  press,
  section,
  toast,
  waitForTitle,
  waitForToast,
  fillFields,
} from './support/locators.ts'
import { setUpStaffApp } from './support/staff-pages.ts'

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

  it.each([
    [testCards.declined, 'Your card was declined.'],
    [testCards.insufficient, 'Your card has insufficient funds.'],
  ])('%s is refused: %s', async (number, reason) => {
    const { owner, page } = await atForm()
    expectPageError(page, /402.*\/api\/sandbox/)
    await pay(page, number)
    await waitForToast(page, 'Payment Setup Failed', reason)
    expect(await subscriptionStatus(owner)).toBeNull()
    await pay(page, testCards.ok)
    await waitForToast(page, 'Success! Your subscription is now active.')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('is never a real one, and no digit leaves the browser', async () => {
    const { page } = await atForm()
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

  it('requires an expiry date in the future and a CVC', async () => {
    const { page } = await atForm()
    await fillFields(page, { 'Card number': testCards.ok, Expiry: '12/20', CVC: '1' })
    await press(page, 'Subscribe for $100/month')
    await text(page, 'This card has expired').waitFor()
    await text(page, 'Please enter 3 digits').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('expiry')
  })

  it('can be chosen from the list', async () => {
    const { owner, page } = await atForm()
    await page.getByRole('button', { name: '4242 4242 4242 4242' }).click()
    await press(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('clears the last error when it is tried again', async () => {
    const { page } = await atForm()
    expectPageError(page, /402.*\/api\/sandbox/)
    await pay(page, testCards.declined)
    await waitForToast(page, 'Payment Setup Failed', 'Your card was declined.')
    await pay(page, testCards.sca)
    await page.getByRole('dialog').waitFor()
    // Sooner than the toast would disappear by itself.
    await toast(page).waitFor({ state: 'detached', timeout: 2_000 })
  })

  it('may require the bank’s approval, which it gives', async () => {
    const { owner, page } = await atForm()
    await pay(page, testCards.sca)
    await page.getByRole('dialog', { name: 'Your bank asks' }).waitFor()
    expect(await page.getByText('Processing...').count()).toBe(1)
    await expectAccessible(page, 'bank')
    await press(page, 'Approve')
    await waitForTitle(page, 'Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it.each(['Decline', 'Close'])('may require the bank’s approval, which it refuses: %s', async (answer) => {
    const { owner, page } = await atForm()
    expectPageError(page, /402.*\/api\/sandbox/)
    await pay(page, testCards.sca)
    await page.getByRole('dialog', { name: 'Your bank asks' }).waitFor()
    await press(page, answer)
    await waitForToast(page, 'Payment Setup Failed')
    await toast(page).getByText('We are unable to authenticate your payment method.').waitFor()
    await expect.poll(() => button(page, 'Subscribe for $100/month').isEnabled()).toBe(true)
    expect(await subscriptionStatus(owner)).toBeNull()
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

  it('is entered once, however often its charge is retried', async () => {
    const { owner, page } = await atForm()
    let confirmations = 0
    page.on('request', (request) => {
      if (request.url().includes('/api/sandbox/')) confirmations += 1
    })
    await page.route('**/api/confirm-subscription', async (route) => {
      await route.fulfill({ status: 500, body: 'Down' })
    })
    expectPageError(page, /500.*\/api\/confirm-subscription/)
    await pay(page, testCards.ok)
    await waitForToast(page, 'Subscription Error', 'Failed to create subscription')
    await page.route('**/api/confirm-subscription', async (route) => await route.abort())
    expectPageError(page, /confirm-subscription net::ERR_FAILED/)
    expectPageError(page, /ERR_FAILED.*confirm-subscription/)
    await press(page, 'Subscribe for $100/month')
    await waitForToast(page, 'No connection to the server. Please check the network and try again.')
    await page.unroute('**/api/confirm-subscription')
    await press(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Welcome back')
    expect([confirmations, await subscriptionStatus(owner)]).toEqual([1, 'active'])
  })

  it('stays in the form while the server is unavailable, and is charged when it is back', async () => {
    const { owner, page } = await atForm()
    for (const gone of [/ERR_INTERNET_DISCONNECTED.*\/api\//, /\/api\/.*ERR_INTERNET_DISCONNECTED/])
      expectPageError(page, gone)
    await page.route(
      '**/api/confirm-subscription',
      async (route) => {
        await page.context().setOffline(true)
        await route.continue()
      },
      { times: 1 },
    )
    await pay(page, testCards.ok)
    await waitForToast(page, 'No connection to the server. Please check the network and try again.')
    await page.waitForLoadState('networkidle')
    await page.context().setOffline(false)
    await press(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('explains why it was not charged', async () => {
    const { page } = await atForm()
    // As if the card had been accepted; the server does not know of it, so no subscription results.
    await page.route('**/api/sandbox/**', async (route) => {
      await route.fulfill({ contentType: 'application/json', body: '{"status":"succeeded"}' })
    })
    await page.route('**/api/confirm-subscription', async (route) => {
      const body = JSON.stringify({ code: 'payment_required', message: 'Your card was declined.' })
      await route.fulfill({ status: 402, contentType: 'application/json', body })
    })
    expectPageError(page, /402.*\/api\/confirm-subscription/)
    await pay(page, testCards.ok)
    await waitForToast(page, 'Subscription Error', 'Your card was declined.')
    await button(page, 'Choose Monthly').waitFor()
  })
})

describe('a plan that cannot be paid', () => {
  const problems: [what: string, answer: { status: number; body: string }, said: string][] = [
    ['the server fails', { status: 500, body: 'Down' }, 'Failed to initialize payment. Please try again.'],
    ['the answer is none', { status: 200, body: '{}' }, 'Invalid response from server'],
    ['the answer is no JSON', { status: 200, body: 'Hello' }, 'Invalid response from server'],
    [
      'the price is missing',
      { status: 200, body: '{"clientSecret":"seti_1_secret_2","priceId":""}' },
      'Invalid response from server',
    ],
    [
      'the server says why',
      { status: 503, body: '{"code":"unavailable","message":"Payments are not set up"}' },
      'Payments are not set up',
    ],
  ]

  it.each(problems)('because %s: shows the plans again', async (_, answer, said) => {
    const { page } = await staff.openAsOwner('/subscribe')
    await page.route('**/api/create-subscription', async (route) => await route.fulfill(answer))
    if (answer.status !== 200) expectPageError(page, /\/api\/create-subscription/)
    await press(page, 'Choose Monthly')
    await waitForToast(page, 'Error', said)
    await button(page, 'Choose Monthly').waitFor()
  })

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
    await press(page, 'Choose Yearly')
    await waitForToast(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
    await fillFields(page, { Username: name, Password: password })
    await press(page, 'Sign In')
    await waitForTitle(page, 'Choose Your Plan')
    await text(page, 'SANDBOX - no real charges').waitFor()
  })

  it('after the session ended meanwhile: the same', async () => {
    const { owner, page } = await staff.openAsOwner('/subscribe')
    await button(page, 'Choose Monthly').waitFor()
    await owner.send('GET', '/api/logout')
    expectPageError(page, /401.*\/api\/create-subscription/)
    await press(page, 'Choose Monthly')
    await waitForToast(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
  })

  it('twice: the second screen learns of the subscription of the first', async () => {
    const { owner, page } = await staff.openAsOwner('/subscribe')
    await button(page, 'Choose Monthly').waitFor()
    await subscribeInSandbox(staff.app, owner)
    expectPageError(page, /409.*\/api\/create-subscription/)
    await press(page, 'Choose Monthly')
    await waitForToast(page, 'Error', 'A subscription already exists')
    await section(page, 'Premium Restaurant Plan').getByText('Active', { exact: true }).waitFor()
  })

  it('may be skipped or left with Back', async () => {
    const { page } = await staff.openAsOwner('/admin')
    await followLink(page, 'Subscribe for $100/month')
    await press(page, 'Back')
    await waitForTitle(page, 'Get Set Up')
    await followLink(page, 'Subscribe for $100/month')
    await followLink(page, 'Skip for now')
    await waitForTitle(page, 'Welcome back')
    expect(pathOf(page)).toBe('/dashboard')
  })

  it('can be retried when the plans could not be loaded', async () => {
    const { page } = await staff.openAsOwner('/')
    await page.route('**/api/subscription?*', async (route) => await route.fulfill({ status: 500, body: '' }))
    expectPageError(page, /500.*\/api\/subscription/)
    await page.goto(`${staff.app.url}/subscribe`)
    await button(page, 'Try again').waitFor()
    await page.unroute('**/api/subscription?*')
    await press(page, 'Try again')
    await button(page, 'Choose Monthly').waitFor()
  })
})
