import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp } from '../../../../test/support/app.ts'
import {
  choosePlan,
  confirmationOf,
  providers,
  refusedWith,
  type BillingRig,
  subscribe,
  getSubscription,
} from '../../../../test/support/billing-rigs.ts'

const days = 24 * 3_600_000

describe.each(providers)('a subscription at %s', (_, provider, start) => {
  let rig: BillingRig
  beforeAll(async () => {
    rig = await start()
  })
  afterAll(() => rig.stop())

  const owners = async () => (await rig.app.restaurant()).owner

  it('renews by itself', async () => {
    const owner = await owners()
    await subscribe(rig, owner)
    const before = await getSubscription(owner)
    await rig.advance(owner)
    const after = await getSubscription(owner)
    expect(after).toEqual({ ...before, currentPeriodEnd: expect.any(Number) })
    expect((after.currentPeriodEnd ?? 0) - (before.currentPeriodEnd ?? 0)).toBeGreaterThan(27 * days)
  })

  it('keeps what it gives while a renewal is unpaid, until a better card is put in', async () => {
    const owner = await owners()
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
    const owner = await owners()
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

  it('is cancelled for the end of its period, and may be taken up again until then', async () => {
    const owner = await owners()
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

  it('changes to the yearly plan at once, and back to the monthly one when the year is over', async () => {
    const owner = await owners()
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

  it('stays as it is when the card is refused for the dearer plan', async () => {
    const owner = await owners()
    await subscribe(rig, owner, 'monthly', 'renew_fails')
    const before = await getSubscription(owner)
    expect(await owner.call(api.billing.changePlan, { body: { planType: 'yearly' } })).toMatchObject(
      refusedWith(402, 'Your card was declined.'),
    )
    expect(await getSubscription(owner)).toEqual(before)
  })

  it('cannot be managed before there is one', async () => {
    const owner = await owners()
    for (const call of [api.billing.cancel, api.billing.resume, api.billing.portal])
      expect(await owner.call(call, {})).toMatchObject(refusedWith(409, 'There is no subscription yet'))
  })

  it('is left alone by an owner whose sign-in ended while the provider was asked', async () => {
    const { name, owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const elsewhere = rig.app.browser()
    await elsewhere.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    const { payments } = rig.app.ctx
    const ask = payments.subscriptions.bind(payments)
    const asked = vi.spyOn(payments, 'subscriptions').mockImplementationOnce(async (customer) => {
      await elsewhere.ok(api.sessions.signOutOthers, {})
      return ask(customer)
    })
    expect((await owner.call(api.billing.cancel, {})).status).toBe(401)
    expect(asked).toHaveBeenCalled()
    expect(await getSubscription(elsewhere)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
  })

  it('leads to the portal, and says which provider it is', async () => {
    const owner = await owners()
    await subscribe(rig, owner)
    expect(URL.canParse((await owner.ok(api.billing.portal, {})).url)).toBe(true)
    expect(await owner.ok(api.billing.config, {})).toEqual({
      provider,
      publishableKey: provider === 'stripe' ? 'pk_test_key' : null,
    })
  })

  it('survives a restart of the server', async () => {
    const owner = await owners()
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
