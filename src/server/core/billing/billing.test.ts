import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { password, startTestApp } from '../../../../test/support/app.ts'
import {
  type BillingRig,
  choosePlan,
  confirmationOf,
  getSubscription,
  providers,
  refusedWith,
  subscribe,
  setUpRig,
} from '../../../../test/support/stripe/billing-rigs.ts'
import { Refusal } from '../errors.ts'

describe.each(providers)('a subscription at %s', (_, provider, start) => {
  let rig: BillingRig
  setUpRig(start, (started) => (rig = started))
  const signUpOwner = async () => (await rig.app.restaurant()).owner

  it('renews automatically', async () => {
    const owner = await signUpOwner()
    await subscribe(rig, owner)
    const before = await getSubscription(owner)
    await rig.advance(owner)
    const after = await getSubscription(owner)
    expect(after).toEqual({ ...before, currentPeriodEnd: expect.any(Number) })
    expect((after.currentPeriodEnd ?? 0) - (before.currentPeriodEnd ?? 0)).toBeGreaterThan(27 * dayMs)
  })

  it('is past due while a renewal is unpaid, until a valid card is entered', async () => {
    const owner = await signUpOwner()
    expect(await subscribe(rig, owner, 'monthly', 'renew_fails')).toBe('active')
    await rig.advance(owner)
    expect(await getSubscription(owner)).toMatchObject({
      subscriptionStatus: 'inactive',
      status: 'past_due',
      notice: 'past_due',
      actions: ['cancel', 'portal'],
    })
    expect(await owner.call(api.billing.create, { body: { planType: 'monthly' } })).toMatchObject(
      refusedWith(409, 'A subscription already exists'),
    )
    await rig.changeCard(owner)
    expect(await owner.ok(api.billing.subscription, { query: { fresh: 'true' } })).toMatchObject({
      status: 'active',
      notice: null,
    })
    await rig.whenIdle()
    expect(await getSubscription(owner)).toMatchObject({ status: 'active', notice: null })
    await rig.advance(owner)
    expect(await getSubscription(owner)).toMatchObject({ status: 'active' })
  })

  it('ends when a renewal stays unpaid, and can be bought again', async () => {
    const owner = await signUpOwner()
    await subscribe(rig, owner, 'monthly', 'renew_fails')
    await rig.advance(owner)
    await rig.advance(owner)
    expect(await getSubscription(owner)).toMatchObject({
      status: 'canceled',
      notice: 'ended',
      actions: ['subscribe'],
    })
    expect(await subscribe(rig, owner, 'yearly')).toBe('active')
    expect(await getSubscription(owner)).toMatchObject({ status: 'active', plan: 'yearly' })
  })

  it('is cancelled at the end of its period, and can be resumed until then', async () => {
    const owner = await signUpOwner()
    await subscribe(rig, owner)
    const cancelled = await owner.ok(api.billing.cancel, {})
    expect(cancelled).toMatchObject({
      subscriptionStatus: 'active',
      status: 'active',
      cancelAtPeriodEnd: true,
      actions: ['resume', 'portal'],
    })
    expect(await owner.ok(api.billing.cancel, {})).toEqual(cancelled)
    const change = { body: { planType: 'yearly' } } as const
    expect((await owner.call(api.billing.changePlan, change)).status).toBe(409)
    expect(await owner.ok(api.billing.resume, {})).toMatchObject({
      cancelAtPeriodEnd: false,
      actions: ['cancel', 'change-plan', 'portal'],
    })
    expect(await owner.ok(api.billing.resume, {})).toMatchObject({ cancelAtPeriodEnd: false })
    await owner.ok(api.billing.cancel, {})
    await rig.advance(owner)
    expect(await getSubscription(owner)).toMatchObject({ status: 'canceled', notice: 'ended' })
    expect((await owner.call(api.billing.cancel, {})).status).toBe(409)
    expect((await owner.call(api.billing.resume, {})).status).toBe(409)
    expect(await subscribe(rig, owner)).toBe('active')
  })

  it('changes to the yearly plan at once, and back to the monthly plan when the year is over', async () => {
    const owner = await signUpOwner()
    await subscribe(rig, owner)
    const change = (planType: 'monthly' | 'yearly') =>
      owner.ok(api.billing.changePlan, { body: { planType } })
    expect(await change('yearly')).toMatchObject({ plan: 'yearly', nextPlan: null, status: 'active' })
    expect(await change('monthly')).toMatchObject({ plan: 'yearly', nextPlan: 'monthly' })
    expect(await change('monthly')).toMatchObject({ plan: 'yearly', nextPlan: 'monthly' })
    expect(await change('yearly')).toMatchObject({ plan: 'yearly', nextPlan: null })
    await change('monthly')
    expect(await owner.ok(api.billing.cancel, {})).toMatchObject({ nextPlan: null, cancelAtPeriodEnd: true })
    await owner.ok(api.billing.resume, {})
    await change('monthly')
    await rig.advance(owner)
    expect(await getSubscription(owner)).toMatchObject({ plan: 'monthly', nextPlan: null, status: 'active' })
    expect(await rig.countLive(owner)).toBe(1)
  })

  it('does not change when the card is refused for the more expensive plan', async () => {
    const owner = await signUpOwner()
    await subscribe(rig, owner, 'monthly', 'renew_fails')
    const before = await getSubscription(owner)
    expect(await owner.call(api.billing.changePlan, { body: { planType: 'yearly' } })).toMatchObject(
      refusedWith(402, 'Your card was declined.'),
    )
    expect(await getSubscription(owner)).toEqual(before)
  })

  it('cannot be managed before there is one', async () => {
    const owner = await signUpOwner()
    for (const call of [api.billing.cancel, api.billing.resume, api.billing.portal])
      expect(await owner.call(call, {})).toMatchObject(refusedWith(409, 'There is no subscription yet'))
  })

  it('is not changed when the owner is signed out while the provider is asked', async () => {
    const { name, owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const otherBrowser = rig.app.browser()
    await otherBrowser.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    const { payments } = rig.app.ctx
    const listSubscriptions = payments.subscriptions.bind(payments)
    const spy = vi.spyOn(payments, 'subscriptions').mockImplementationOnce(async (customer) => {
      await otherBrowser.ok(api.sessions.signOutOthers, {})
      return listSubscriptions(customer)
    })
    expect((await owner.call(api.billing.cancel, {})).status).toBe(401)
    expect(spy).toHaveBeenCalled()
    expect(await getSubscription(otherBrowser)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
  })

  it('is said to be out of date when it is to be fresh and the provider does not answer', async () => {
    const owner = await signUpOwner()
    const fresh = () => owner.ok(api.billing.subscription, { query: { fresh: 'true' } })
    const provider = vi.spyOn(rig.app.ctx.payments, 'subscriptions')
    onTestFinished(() => provider.mockRestore())
    const failOnce = () => provider.mockRejectedValueOnce(new Refusal('unavailable', 'Please try again'))
    expect(await fresh()).not.toHaveProperty('outOfDate')
    const setup = await choosePlan(owner)
    // Whether the first payment went through is known to nobody else until its answer is stored.
    failOnce()
    expect(await fresh()).toMatchObject({ subscriptionStatus: 'inactive', outOfDate: true })
    await rig.enterCard(owner, setup, 'ok')
    await owner.ok(api.billing.confirm, confirmationOf(setup))
    await rig.whenIdle()
    failOnce()
    expect(await fresh()).toMatchObject({ subscriptionStatus: 'active', outOfDate: true })
    expect(await fresh()).not.toHaveProperty('outOfDate')
  })

  it('links to the portal and names its provider', async () => {
    const owner = await signUpOwner()
    await subscribe(rig, owner)
    expect(URL.canParse((await owner.ok(api.billing.portal, {})).url)).toBe(true)
    expect(await owner.ok(api.billing.config, {})).toEqual({
      provider,
      publishableKey: provider === 'stripe' ? 'pk_test_key' : null,
    })
  })

  it('survives a restart of the server', async () => {
    const owner = await signUpOwner()
    const setup = await choosePlan(owner)
    await rig.app.restart()
    await rig.enterCard(owner, setup, 'ok')
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
    await rig.whenIdle()
  })
})

describe('without billing', () => {
  it('every restaurant is active and nothing can be bought', async () => {
    const app = await startTestApp({ billing: false })
    const { owner } = await app.restaurant()
    expect(await owner.ok(api.accounts.currentUser, {})).toMatchObject({ subscriptionStatus: 'active' })
    expect(await owner.ok(api.billing.config, {})).toEqual({ provider: 'off', publishableKey: null })
    expect(await owner.ok(api.billing.subscription, {})).toMatchObject({
      provider: 'off',
      subscriptionStatus: 'active',
      actions: [],
    })
    const body = { planType: 'monthly' } as const
    const answers = [
      await owner.call(api.billing.create, { body }),
      await owner.call(api.billing.confirm, { body: { setupIntentId: 'seti_1', priceId: 'price_1' } }),
      await owner.call(api.billing.cancel, {}),
      await owner.call(api.billing.resume, {}),
      await owner.call(api.billing.changePlan, { body }),
      await owner.call(api.billing.portal, {}),
      await owner.call(api.billing.advanceSandbox, {}),
    ]
    for (const answer of answers) expect(answer).toMatchObject(refusedWith(404, 'Billing is off'))
    expect((await owner.send('POST', '/api/webhooks/stripe', {})).status).toBe(404)
    await app.stop()
  })
})
