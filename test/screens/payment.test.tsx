// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { testCards } from '#contract/billing.ts'
import { minuteMs } from '#contract/durations.ts'
import { futureExpiry } from '../../src/client/features/owner/cards/card-input.ts'
import { Refusal } from '../../src/server/core/errors.ts'
import { password, setUpApp, type TestBrowser } from '../support/app.ts'
import {
  fill,
  findTitle,
  holdToast,
  openStaffApp,
  press,
  pressWhenReady,
  waitForToast,
} from '../support/pages/staff-app.tsx'
import { subscribeInSandbox, subscriptionStatus } from '../support/stripe/sandbox-subscription.ts'

const app = setUpApp()
let owner: TestBrowser
beforeEach(async () => {
  owner = (await app.restaurant()).owner
})

const openPlans = async (answers = {}) => {
  const opened = openStaffApp('/subscribe', answers, owner)
  await screen.findByRole('button', { name: 'Choose Monthly' })
  return opened
}

const noToast = (): Promise<void> =>
  waitFor(() => expect(screen.getByLabelText('Notifications').textContent).toBe(''))

describe('the sandbox card', () => {
  const openCardForm = async (answers = {}) => {
    const opened = await openPlans(answers)
    press('button', 'Choose Monthly')
    await screen.findByRole('region', { name: 'Monthly Subscription' })
    return opened
  }
  const pay = async (number: string | null): Promise<void> => {
    fill({ 'Card number': number ?? '', Expiry: futureExpiry(), CVC: '123' })
    await pressWhenReady('Subscribe for $100/month')
  }
  const findBankDialog = (): Promise<HTMLElement> => screen.findByRole('dialog', { name: 'Your bank asks' })

  it('can be chosen from the list', async () => {
    await openCardForm()
    fireEvent.click(screen.getByRole('button', { name: /^4242 4242 4242 4242/ }))
    await pressWhenReady('Subscribe for $100/month')
    await findTitle('Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('may be refused, and the reason is given', async () => {
    const { refusals } = await openCardForm()
    for (const [number, reason] of [
      [testCards.declined, 'Your card was declined.'],
      [testCards.insufficient, 'Your card has insufficient funds.'],
    ] as const) {
      await pay(number)
      await waitForToast('Payment Setup Failed', reason)
      expect(refusals.pop()).toMatch(/^402 POST \/api\/sandbox/)
      expect(await subscriptionStatus(owner)).toBeNull()
    }
    await pay(testCards.ok)
    await waitForToast('Success! Your subscription is now active.')
    expect(await subscriptionStatus(owner)).toBe('active')
    await findTitle('Welcome back')
  })

  it('requires an expiry date in the future and a CVC', async () => {
    await openCardForm()
    fill({ 'Card number': testCards.ok ?? '', Expiry: '12/20', CVC: '1' })
    press('button', 'Subscribe for $100/month')
    await screen.findByText('This card has expired')
    await screen.findByText('Please enter 3 digits')
    expect(document.activeElement).toBe(screen.getByLabelText('Expiry'))
  })

  it('says which fields are empty', async () => {
    await openCardForm()
    press('button', 'Subscribe for $100/month')
    await screen.findByText('Please enter the card number')
    expect(screen.getByText('Please enter the expiry date')).toBeTruthy()
    expect(screen.getByText('Please enter the CVC')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByLabelText('Card number'))
  })

  it('clears the last error when it is tried again', async () => {
    await openCardForm()
    await pay(testCards.declined)
    // So that it does not disappear by itself.
    await holdToast('Payment Setup Failed', 'Your card was declined.')
    await pay(testCards.sca)
    await findBankDialog()
    await noToast()
  })

  it('may require the bank’s approval, which is not given if the dialog is declined or closed', async () => {
    const { refusals } = await openCardForm()
    for (const answer of ['Decline', 'Close']) {
      await pay(testCards.sca)
      const dialog = await findBankDialog()
      await noToast()
      await pressWhenReady(answer, dialog)
      await waitForToast('Payment Setup Failed', /^We are unable to authenticate your payment method\./)
      expect(refusals.pop()).toMatch(/^402 POST \/api\/sandbox/)
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
      const button = await screen.findByRole('button', { name: 'Subscribe for $100/month' })
      expect(button.matches(':disabled')).toBe(false)
      expect(await subscriptionStatus(owner)).toBeNull()
    }
  })

  it('is entered once, however often its charge is retried', async () => {
    const confirm = 'POST /api/confirm-subscription'
    // The provider's own message would activate it meanwhile.
    const unpaid = await owner.ok(api.billing.subscription, {})
    const { answers, calls } = await openCardForm({
      [confirm]: [500, 'Down'],
      'GET /api/subscription': [200, unpaid],
    })
    await pay(testCards.ok)
    await waitForToast('Subscription Error', 'Failed to create subscription')
    answers[confirm] = () => {
      throw new TypeError('Failed to fetch')
    }
    await pressWhenReady('Subscribe for $100/month')
    await waitForToast('No connection to the server. Please check the network and try again.')
    delete answers['GET /api/subscription']
    delete answers[confirm]
    await pressWhenReady('Subscribe for $100/month')
    await findTitle('Welcome back')
    expect(calls.filter(([call]) => call.startsWith('POST /api/sandbox/'))).toHaveLength(1)
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('is charged once if the answer to its charge was lost', async () => {
    const confirm = 'POST /api/confirm-subscription'
    const countCharges = async () => {
      const objects = app.ctx.db.reader.selectFrom('sandboxObject').select('id')
      return (await objects.where('kind', '=', 'subscription').execute()).length
    }
    const before = await countCharges()
    const { answers } = await openCardForm()
    answers[confirm] = async (body) => {
      expect((await owner.send('POST', '/api/confirm-subscription', body)).status).toBe(200)
      throw new TypeError('Failed to fetch')
    }
    await pay(testCards.ok)
    await waitForToast('Success! Your subscription is now active.')
    await findTitle('Welcome back')
    expect(await countCharges()).toBe(before + 1)
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('says that the outcome is unknown until the server can be asked again', async () => {
    const [confirm, plans] = ['POST /api/confirm-subscription', 'GET /api/subscription']
    const { answers } = await openCardForm()
    const lost = (): never => {
      throw new TypeError('Failed to fetch')
    }
    answers[confirm] = async (body) => {
      await owner.send('POST', '/api/confirm-subscription', body)
      answers[plans] = lost
      return lost()
    }
    await pay(testCards.ok)
    const notice = await screen.findByRole('alert')
    expect(notice.textContent).toContain('it is not known yet whether your payment went through')
    delete answers[plans]
    await findTitle('Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('says so as well while the provider cannot be asked', async () => {
    const { answers } = await openCardForm()
    const provider = vi.spyOn(app.ctx.payments, 'subscriptions')
    onTestFinished(() => provider.mockRestore())
    answers['POST /api/confirm-subscription'] = (body) => {
      provider.mockRejectedValue(new Refusal('unavailable', 'The provider does not answer'))
      let checks = 0
      answers['GET /api/subscription'] = async () => {
        if (++checks === 1) return undefined
        // The charge was still under way.
        provider.mockRestore()
        await owner.send('POST', '/api/confirm-subscription', body)
        return undefined
      }
      throw new TypeError('Failed to fetch')
    }
    await pay(testCards.ok)
    const notice = await screen.findByRole('alert')
    expect(notice.textContent).toContain('it is not known yet whether your payment went through')
    await findTitle('Welcome back')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('stays on the screen when the owner is asked for the password and does not give it', async () => {
    const { calls } = await openCardForm()
    app.advance(16 * minuteMs)
    await pay(testCards.ok)
    await screen.findByRole('dialog', { name: 'Confirm it’s you' })
    await pressWhenReady('Cancel')
    await waitForToast('Subscription Error', 'Please confirm that it is you to do that')
    await pressWhenReady('Subscribe for $100/month')
    const dialog = await screen.findByRole('dialog', { name: 'Confirm it’s you' })
    fill({ 'Admin Login password of owner@example.com': password })
    await pressWhenReady('Confirm', dialog)
    await findTitle('Welcome back')
    expect(calls.filter(([call]) => call.startsWith('POST /api/sandbox/'))).toHaveLength(1)
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('leads to the sign-in when the session has ended before the password was given', async () => {
    const { navigations } = await openCardForm()
    app.advance(16 * minuteMs)
    await pay(testCards.ok)
    const dialog = await screen.findByRole('dialog', { name: 'Confirm it’s you' })
    await owner.send('GET', '/api/logout')
    fill({ 'Admin Login password of owner@example.com': password })
    await pressWhenReady('Confirm', dialog)
    await waitForToast('Unauthorized', 'You are logged out. Logging in again...')
    await expect.poll(() => navigations).toEqual(['/api/login?returnTo=%2Fsubscribe'])
  })

  it('explains why it was not charged', async () => {
    await openCardForm({
      'POST /api/confirm-subscription': [
        402,
        { code: 'payment_required', message: 'Your card was declined.' },
      ],
    })
    await pay(testCards.ok)
    await waitForToast('Subscription Error', 'Your card was declined.')
    await screen.findByRole('button', { name: 'Choose Monthly' })
  })
})

describe('a plan that cannot be paid', () => {
  const create = 'POST /api/create-subscription'

  it.each([
    [[500, 'Down'], 'Failed to initialize payment. Please try again.'],
    [[200, '{}'], 'Invalid response from server'],
    [[200, 'Hello'], 'Invalid response from server'],
    [[200, { clientSecret: 'seti_1_secret_2', priceId: '' }], 'Invalid response from server'],
    [[503, { code: 'unavailable', message: 'Payments are not set up' }], 'Payments are not set up'],
  ] as const)('shows the plans again, and why: %j', async (answer, reason) => {
    await openPlans({ [create]: [...answer] })
    press('button', 'Choose Monthly')
    await holdToast('Error', reason)
    await screen.findByRole('button', { name: 'Choose Monthly' })
    press('button', 'Dismiss')
    await noToast()
  })

  it('twice: the second screen learns of the subscription of the first', async () => {
    const { refusals } = await openPlans()
    await subscribeInSandbox(app, owner)
    press('button', 'Choose Monthly')
    await waitForToast('Error', 'A subscription already exists')
    expect(refusals).toContain(`409 ${create}`)
    const plan = within(await screen.findByRole('region', { name: 'Premium Restaurant Plan' }))
    await plan.findByText('Active')
  })

  it('leads to the sign-in when the session has ended meanwhile', async () => {
    const { navigations, refusals } = await openPlans()
    await owner.send('GET', '/api/logout')
    press('button', 'Choose Monthly')
    await waitForToast('Unauthorized', 'You are logged out. Logging in again...')
    expect(refusals).toContain(`401 ${create}`)
    await expect.poll(() => navigations).toEqual(['/api/login?returnTo=%2Fsubscribe'])
  })

  it('is not offered where the restaurant is a demo that cannot be paid for, and the page says why', async () => {
    const none = await owner.ok(api.billing.subscription, {})
    openStaffApp('/subscribe', { 'GET /api/subscription': [200, { ...none, actions: [] }] }, owner)
    await findTitle('Choose Your Plan')
    await screen.findAllByText('This is a demo, which is erased soon. Nothing can be bought for it.')
    expect(screen.queryByRole('button', { name: 'Choose Monthly' })).toBeNull()
  })

  it('can be retried when the plans could not be loaded', async () => {
    const plans = 'GET /api/subscription'
    const { answers } = openStaffApp('/subscribe', { [plans]: [500, ''] }, owner)
    await screen.findByRole('button', { name: 'Try again' })
    delete answers[plans]
    press('button', 'Try again')
    await screen.findByRole('button', { name: 'Choose Monthly' })
  })
})

describe('a subscription', () => {
  it('shows no other price until its own is known', async () => {
    await subscribeInSandbox(app, owner)
    await owner.ok(api.billing.changePlan, { body: { planType: 'yearly' } })
    const gate = Promise.withResolvers<void>()
    openStaffApp('/dashboard', { 'GET /api/subscription': () => gate.promise.then(() => undefined) }, owner)
    const status = within(await screen.findByRole('region', { name: 'Subscription Status' }))
    await status.findByText('Active')
    expect(screen.queryByText(/\$/)).toBeNull()
    gate.resolve()
    await screen.findByText('$1,100/year subscription')
  })

  it('that has ended can be taken out again', async () => {
    await subscribeInSandbox(app, owner)
    await owner.ok(api.billing.cancel, {})
    await owner.ok(api.billing.advanceSandbox, {})
    await openPlans()
    await screen.findByText('Your subscription has ended.')
    press('button', 'Choose Monthly')
    await screen.findByRole('region', { name: 'Monthly Subscription' })
    fill({ 'Card number': testCards.ok ?? '', Expiry: futureExpiry(), CVC: '123' })
    await pressWhenReady('Subscribe for $100/month')
    await waitForToast('Success! Your subscription is now active.')
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('that cannot be changed stays as it is, and may be tried again', async () => {
    await subscribeInSandbox(app, owner)
    openStaffApp('/subscribe', { 'POST /api/subscription/cancel': [500, ''] }, owner)
    await screen.findByRole('button', { name: 'Cancel Subscription' })
    press('button', 'Cancel Subscription')
    await waitForToast('Subscription Error', 'Failed to change the subscription. Please try again.')
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Cancel Subscription' }).matches(':disabled')).toBe(false),
    )
    expect(await subscriptionStatus(owner)).toBe('active')
  })

  it('is not said to be cancelled by what was known before, while the provider cannot be asked', async () => {
    await subscribeInSandbox(app, owner)
    const { answers } = openStaffApp('/subscribe', {}, owner)
    await screen.findByRole('button', { name: 'Cancel Subscription' })
    const provider = vi.spyOn(app.ctx.payments, 'subscriptions')
    onTestFinished(() => provider.mockRestore())
    // What is stored may be of an earlier cancellation, which was undone at the provider.
    answers['POST /api/subscription/cancel'] = async () => {
      await owner.ok(api.billing.cancel, {})
      provider.mockRejectedValue(new Refusal('unavailable', 'The provider does not answer'))
      return [503, { code: 'unavailable', message: 'The provider does not answer' }]
    }
    press('button', 'Cancel Subscription')
    await waitForToast('Subscription Error', 'The provider does not answer')
  })
})
