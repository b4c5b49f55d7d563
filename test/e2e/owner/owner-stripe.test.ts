import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStripeRig, type StripeBillingRig } from '../../support/stripe/billing-rigs.ts'
import { signInAs } from '../pages/sign-in.ts'
import { expectPageError, openPage } from '../support/browser.ts'
import { serveFakeStripeJs } from '../support/fake-stripe-js.ts'
import {
  lastingProblems,
  button,
  field,
  followLink,
  pathOf,
  press,
  section,
  toast,
  waitForTitle,
  waitForToast,
} from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

/** Stripe's own script is not reachable from tests, so a fake records our calls of it. Everything else is real. */
describe('with Stripe', () => {
  let rig: StripeBillingRig
  beforeAll(async () => {
    rig = await createStripeRig()
  })
  afterAll(() => rig.stop())

  type Bank = Parameters<typeof serveFakeStripeJs>[1]
  const charged = 'Success! Your subscription is now active.'

  const stripeBank =
    (approve = true): Bank =>
    (what, name) => {
      const [, kind, id = ''] = /^(setup|charge) (\w+)$/.exec(what) ?? []
      if (kind === 'charge') {
        if (!approve) return { problem: 'Your bank said no.' }
        rig.fake.payFirstCharge(id.replace(/^pi_(\w+)_secret_x$/, '$1'))
        return {}
      }
      try {
        const failing = name === 'redirect declined'
        const put = name.startsWith('redirect') ? 'sca' : (name as 'ok')
        const step = name.startsWith('redirect') ? (failing ? 'decline' : 'approve') : undefined
        return { status: rig.fake.enterCard(id, put, step) }
      } catch (error) {
        return { problem: error instanceof Error ? error.message : '' }
      }
    }

  async function open(path: string, bank = stripeBank()) {
    const { owner } = await rig.app.restaurant()
    const page = await openPage({
      viewport: viewports.tablet,
    })
    await signInAs(page, rig.app, owner)
    const script = await serveFakeStripeJs(page, bank)
    await page.goto(rig.app.url + path)
    const documents: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest()) documents.push(new URL(request.url()).pathname)
    })
    return { owner, page, documents, script }
  }

  const payWith = async (page: Page, name: string): Promise<void> => {
    await field(page, 'Card at Stripe').fill(name)
    await press(page, 'Subscribe for $100/month')
  }

  it('loads its script on a separate document, and nowhere else', async () => {
    const { owner, page, documents, script } = await open('/dashboard')
    await followLink(page, 'Subscribe Now')
    await button(page, 'Choose Monthly').waitFor()
    await expect.poll(() => [documents, script.loads]).toEqual([['/subscribe'], []])
    expect(await page.getByText('SANDBOX').count()).toBe(0)
    await press(page, 'Choose Monthly')
    await field(page, 'Card at Stripe').waitFor()
    expect(script.loads).toEqual(['/subscribe'])
    expect(await lastingProblems(page)).toEqual([])
    await payWith(page, 'ok')
    await waitForToast(page, charged)
    await waitForTitle(page, 'Welcome back')
    await expect.poll(() => [documents, pathOf(page)]).toEqual([['/subscribe', '/dashboard'], '/dashboard'])
    expect(await page.evaluate('typeof Stripe')).toBe('undefined')
    await section(page, 'Subscription Status').getByText('Active', { exact: true }).waitFor()
    expect(await rig.countLive(owner)).toBe(1)
    await page.goBack()
    await waitForTitle(page, 'Choose Your Plan')
    await page.goBack()
    await waitForTitle(page, 'Welcome back')
  })

  it('receives what the current Stripe.js requires', async () => {
    const { page } = await open('/subscribe')
    await press(page, 'Choose Monthly')
    await payWith(page, 'declined')
    await waitForToast(page, 'Payment Setup Failed', 'Your card was declined.')
    const seen = await page.evaluate('stripeSeen')
    const price = `${rig.app.url}/subscribe?price=price_fake_monthly`
    expect(seen).toEqual([
      ['elements', 'pk_test_key', ['clientSecret', 'appearance']],
      ['create', 'payment'],
      ['confirmSetup', 'if_required', { return_url: price }],
    ])
    await payWith(page, 'ok')
    await waitForTitle(page, 'Welcome back')
  })

  it('comes back from a bank that uses a separate page', async () => {
    const { owner, page } = await open('/subscribe')
    await press(page, 'Choose Monthly')
    await payWith(page, 'redirect')
    await waitForToast(page, charged)
    await waitForTitle(page, 'Welcome back')
    await expect.poll(async () => [pathOf(page), await rig.countLive(owner)]).toEqual(['/dashboard', 1])
  })

  it('comes back from a bank that refused, and clears the address', async () => {
    const { owner, page } = await open('/subscribe')
    await press(page, 'Choose Monthly')
    expectPageError(page, /409.*\/api\/confirm-subscription/)
    await payWith(page, 'redirect declined')
    await waitForToast(page, 'Payment Setup Failed')
    await toast(page).getByText('We are unable to authenticate your payment method.').waitFor()
    await button(page, 'Choose Monthly').waitFor()
    await expect.poll(() => page.url()).toBe(`${rig.app.url}/subscribe`)
    expect(await rig.countLive(owner)).toBe(0)
  })

  it('completes the bank’s step of the first charge, then asks once more', async () => {
    const { owner, page } = await open('/subscribe')
    await press(page, 'Choose Monthly')
    await payWith(page, 'charge_fails')
    await waitForToast(page, charged)
    await waitForTitle(page, 'Welcome back')
    expect(await rig.countLive(owner)).toBe(1)
  })

  it('shows the bank’s message about the first charge, which may be confirmed later', async () => {
    let approves = false
    const { page } = await open('/subscribe', (what, name) => stripeBank(approves)(what, name))
    await press(page, 'Choose Monthly')
    await payWith(page, 'charge_fails')
    await waitForToast(page, 'Payment Setup Failed', 'Your bank said no.')
    await page.getByText('Your first payment has not gone through.').waitFor()
    approves = true
    await press(page, 'Confirm Payment')
    await waitForToast(page, charged)
    await waitForTitle(page, 'Welcome back')
  })

  it('shows the plans again when its script cannot be loaded', async () => {
    const { page } = await open('/subscribe')
    const isWaiting = Promise.withResolvers<void>()
    await page.context().route('https://js.stripe.com/**', async (route) => {
      await isWaiting.promise
      await route.abort()
    })
    expectPageError(page, /js\.stripe\.com/)
    const asked = page.waitForRequest('https://js.stripe.com/**')
    await press(page, 'Choose Monthly')
    await asked
    await page.getByText('Setting up your subscription...', { exact: true }).waitFor()
    isWaiting.resolve()
    await waitForToast(page, 'Error', 'Failed to initialize payment. Please try again.')
    await button(page, 'Choose Monthly').waitFor()
  })
})
