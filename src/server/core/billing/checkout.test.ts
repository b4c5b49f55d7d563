import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { password } from '../../../../test/support/app.ts'
import {
  choosePlan,
  confirmationOf,
  customerOf,
  providers,
  refusedWith,
  type BillingRig,
  subscribe,
  getSubscription,
  setUpRig,
} from '../../../../test/support/stripe/billing-rigs.ts'

const exists = refusedWith(409, 'A subscription already exists')

describe.each(providers)('a subscription at %s', (_, provider, start) => {
  let rig: BillingRig
  setUpRig(start, (started) => (rig = started))
  const signUpOwner = async () => (await rig.app.restaurant()).owner

  it('is active once it is confirmed', async () => {
    const owner = await signUpOwner()
    expect(await getSubscription(owner)).toEqual({
      provider,
      subscriptionStatus: 'inactive',
      actions: ['subscribe'],
      plan: null,
      status: null,
      notice: null,
      nextPlan: null,
      unfinished: null,
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
    })
    const setup = await choosePlan(owner)
    expect(setup.clientSecret).toMatch(/^seti_\w+_secret_\w+$/u)
    expect(await rig.enterCard(owner, setup, 'ok')).toBe('succeeded')
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
    const after = await getSubscription(owner)
    expect(after).toMatchObject({
      subscriptionStatus: 'active',
      status: 'active',
      plan: 'monthly',
      cancelAtPeriodEnd: false,
      notice: null,
      actions: ['cancel', 'change-plan', 'portal'],
    })
    const inDays = ((after.currentPeriodEnd ?? 0) - rig.app.now()) / dayMs
    expect(inDays).toBeGreaterThan(27)
    expect(inDays).toBeLessThan(32)
    expect(await owner.ok(api.accounts.currentUser, {})).toMatchObject({ subscriptionStatus: 'active' })
    expect(await owner.ok(api.managers.currentUser, {})).toMatchObject({
      subscriptionStatus: 'active',
      customerId: expect.stringMatching(/^cus_/u),
    })
  })

  it('can be yearly', async () => {
    const owner = await signUpOwner()
    expect(await subscribe(rig, owner, 'yearly')).toBe('active')
    const { plan, currentPeriodEnd } = await getSubscription(owner)
    expect(plan).toBe('yearly')
    expect(((currentPeriodEnd ?? 0) - rig.app.now()) / dayMs).toBeGreaterThan(364)
  })

  it('is started once, however often the plan is chosen', async () => {
    const { owner, name } = await rig.app.restaurant()
    const [first, again] = [await choosePlan(owner), await choosePlan(owner)]
    expect(again).toEqual(first)
    const other = await choosePlan(owner, 'yearly')
    expect(other.priceId).not.toBe(first.priceId)
    expect(other.clientSecret).not.toBe(first.clientSecret)
    const customer = await customerOf(owner)
    rig.app.advance(23 * 3_600_000)
    await owner.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    expect((await choosePlan(owner)).clientSecret).not.toBe(first.clientSecret)
    expect(await customerOf(owner)).toBe(customer)
  })

  it.each([
    ['declined', 'Your card was declined.'],
    ['insufficient', 'Your card has insufficient funds.'],
  ] as const)(
    'is not created with a card that is %s, but can be created with another card',
    async (card, why) => {
      const owner = await signUpOwner()
      const setup = await choosePlan(owner)
      expect(await rig.enterCard(owner, setup, card)).toBe(why)
      expect(await owner.call(api.billing.confirm, confirmationOf(setup))).toMatchObject(
        refusedWith(409, why),
      )
      expect(await getSubscription(owner)).toMatchObject({ status: null })
      expect(await rig.enterCard(owner, setup, 'ok')).toBe('succeeded')
      expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
    },
  )

  it('waits for the confirmation that the bank requires', async () => {
    const owner = await signUpOwner()
    const setup = await choosePlan(owner)
    expect(await rig.enterCard(owner, setup, 'sca')).toBe('requires_action')
    expect(await owner.call(api.billing.confirm, confirmationOf(setup))).toMatchObject(
      refusedWith(409, 'Your card has not been confirmed yet'),
    )
    expect(await rig.enterCard(owner, setup, 'sca', 'decline')).toContain('unable to authenticate')
    expect((await owner.call(api.billing.confirm, confirmationOf(setup))).status).toBe(409)
    expect(await rig.enterCard(owner, setup, 'sca')).toBe('requires_action')
    expect(await rig.enterCard(owner, setup, 'sca', 'approve')).toBe('succeeded')
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
  })

  it('is incomplete when the first charge fails, and is replaced when another card is used', async () => {
    const owner = await signUpOwner()
    const setup = await choosePlan(owner)
    await rig.enterCard(owner, setup, 'charge_fails')
    const first = await owner.ok(api.billing.confirm, confirmationOf(setup))
    expect(first.status).toBe('incomplete')
    expect(first.clientSecret !== undefined).toBe(provider === 'stripe')
    expect(await getSubscription(owner)).toMatchObject({
      subscriptionStatus: 'inactive',
      status: 'incomplete',
      notice: 'incomplete',
      actions: ['subscribe', 'portal'],
      unfinished: confirmationOf(setup).body,
    })
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual(first)
    expect(await subscribe(rig, owner)).toBe('active')
    expect(await rig.countLive(owner)).toBe(1)
    expect(await getSubscription(owner)).toMatchObject({ status: 'active', unfinished: null })
  })

  it('expires when the first charge is unpaid for 23 hours', async () => {
    const owner = await signUpOwner()
    expect(await subscribe(rig, owner, 'monthly', 'charge_fails')).toBe('incomplete')
    await rig.advance(owner)
    expect(await getSubscription(owner)).toMatchObject({
      status: 'incomplete_expired',
      notice: 'ended',
      actions: ['subscribe'],
    })
    expect(await subscribe(rig, owner)).toBe('active')
  })

  it('is created once, however many confirm it at the same moment', async () => {
    const owner = await signUpOwner()
    const setup = await choosePlan(owner)
    await rig.enterCard(owner, setup, 'ok')
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => owner.call(api.billing.confirm, confirmationOf(setup))),
    )
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 50 }, () => ({ status: 200, body: { status: 'active' } })),
    )
    await rig.whenIdle()
    expect(await rig.countLive(owner)).toBe(1)
  })

  it('is created once when two cards were entered and both are confirmed at the same moment', async () => {
    const owner = await signUpOwner()
    const setups = [await choosePlan(owner, 'monthly'), await choosePlan(owner, 'yearly')]
    for (const setup of setups) await rig.enterCard(owner, setup, 'ok')
    const answers = await Promise.all(
      [...setups, ...setups].map((setup) => owner.call(api.billing.confirm, confirmationOf(setup))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    await rig.whenIdle()
    expect(await rig.countLive(owner)).toBe(1)
  })

  it('has one customer, however many tabs choose a plan at the same moment', async () => {
    const owner = await signUpOwner()
    const setups = await Promise.all(Array.from({ length: 10 }, () => choosePlan(owner)))
    expect(new Set(setups.map(({ clientSecret }) => clientSecret)).size).toBe(1)
  })

  it('is not created beside another one', async () => {
    const owner = await signUpOwner()
    const other = await choosePlan(owner, 'yearly')
    await subscribe(rig, owner)
    expect(await owner.call(api.billing.create, { body: { planType: 'yearly' } })).toMatchObject(exists)
    await rig.enterCard(owner, other, 'ok')
    expect(await owner.call(api.billing.confirm, confirmationOf(other))).toMatchObject(exists)
    await rig.whenIdle()
    expect(await rig.countLive(owner)).toBe(1)
  })

  it('is completed even if the browser never comes back from entering the card', async () => {
    const owner = await signUpOwner()
    await rig.enterCard(owner, await choosePlan(owner), 'ok')
    await rig.whenIdle()
    expect(await getSubscription(owner)).toMatchObject({ status: 'active', plan: 'monthly' })
    expect(await rig.countLive(owner)).toBe(1)
  })

  it('is not created again by a late webhook about an old card', async () => {
    const owner = await signUpOwner()
    const old = await choosePlan(owner, 'yearly')
    await subscribe(rig, owner)
    await owner.ok(api.billing.cancel, {})
    await rig.advance(owner)
    await rig.enterCard(owner, old, 'ok')
    await rig.whenIdle()
    expect(await getSubscription(owner)).toMatchObject({ status: 'canceled' })
    expect(await rig.countLive(owner)).toBe(0)
  })

  it('refuses the setup of another restaurant, and one that does not exist', async () => {
    const [owner, rival] = [await signUpOwner(), await signUpOwner()]
    await choosePlan(owner)
    const theirs = await choosePlan(rival)
    await rig.enterCard(rival, theirs, 'declined')
    const setupNotFound = refusedWith(404, 'Payment setup not found')
    expect(await owner.call(api.billing.confirm, confirmationOf(theirs))).toMatchObject(setupNotFound)
    expect(
      await owner.call(api.billing.confirm, {
        body: { ...confirmationOf(theirs).body, setupIntentId: 'seti_unknown' },
      }),
    ).toMatchObject(setupNotFound)
    expect(await getSubscription(owner)).toMatchObject({ status: null })
    await rig.whenIdle()
    expect([await rig.countLive(owner), await rig.countLive(rival)]).toEqual([0, 0])
  })

  it('refuses the price of the other plan, and an unknown price', async () => {
    const owner = await signUpOwner()
    const [monthly, yearly] = [await choosePlan(owner, 'monthly'), await choosePlan(owner, 'yearly')]
    await rig.enterCard(owner, yearly, 'declined')
    for (const priceId of [monthly.priceId, 'price_cheap']) {
      expect(
        await owner.call(api.billing.confirm, { body: { ...confirmationOf(yearly).body, priceId } }),
      ).toMatchObject(refusedWith(400, 'This is not the price of the plan you chose'))
    }
  })

  it.each([
    [{ planType: 'weekly' }, 'Please choose a plan'],
    [{}, 'Please choose a plan'],
  ])('refuses an unknown plan: %j', async (body, message) => {
    const owner = await signUpOwner()
    expect(await owner.send('POST', '/api/create-subscription', body)).toMatchObject(
      refusedWith(400, message),
    )
  })

  it.each([
    {},
    { setupIntentId: 'seti_1' },
    { setupIntentId: '../x', priceId: 'price_1' },
    { setupIntentId: 'seti_1', priceId: '1' },
  ])('refuses malformed ids: %j', async (body) => {
    const owner = await signUpOwner()
    expect((await owner.send('POST', '/api/confirm-subscription', body)).status).toBe(400)
  })
})
