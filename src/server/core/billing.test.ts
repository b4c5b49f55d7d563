import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp, type TestBrowser } from '../../../test/app.ts'
import {
  confirmationOf,
  customerOf,
  type Rig,
  sandboxRig,
  stripeRig,
  subscribe,
} from '../../../test/billing-rigs.ts'

const days = 24 * 3_600_000
const refused = (status: number, message: string) => ({ status, body: { message } })
const exists = refused(409, 'A subscription already exists')

/** What both providers must do alike. */
describe.each([
  ['the sandbox', 'sandbox', sandboxRig],
  ['Stripe', 'stripe', stripeRig],
] as const)('a subscription at %s', (_, provider, start) => {
  let rig: Rig
  beforeAll(async () => {
    rig = await start()
  })
  afterAll(() => rig.stop())

  const owners = async () => (await rig.app.restaurant()).owner
  const view = (owner: TestBrowser) => owner.ok(api.billing.subscription, {})
  const create = (owner: TestBrowser, planType: 'monthly' | 'yearly' = 'monthly') =>
    owner.ok(api.billing.create, { body: { planType } })

  it('is there from the moment it is confirmed', async () => {
    const owner = await owners()
    expect(await view(owner)).toEqual({
      provider,
      subscriptionStatus: 'inactive',
      status: null,
      plan: null,
      nextPlan: null,
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
      notice: null,
      actions: ['subscribe'],
      unfinished: null,
    })
    const setup = await create(owner)
    expect(setup.clientSecret).toMatch(/^seti_\w+_secret_\w+$/u)
    expect(await rig.putCard(owner, setup, 'ok')).toBe('succeeded')
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
    const after = await view(owner)
    expect(after).toMatchObject({
      subscriptionStatus: 'active',
      status: 'active',
      plan: 'monthly',
      cancelAtPeriodEnd: false,
      notice: null,
      actions: ['cancel', 'change-plan', 'portal'],
    })
    const inDays = ((after.currentPeriodEnd ?? 0) - rig.app.now()) / days
    expect(inDays).toBeGreaterThan(27)
    expect(inDays).toBeLessThan(32)
    expect(await owner.ok(api.accounts.currentUser, {})).toMatchObject({ subscriptionStatus: 'active' })
    expect(await owner.ok(api.managers.currentUser, {})).toMatchObject({
      subscriptionStatus: 'active',
      customerId: expect.stringMatching(/^cus_/u),
    })
  })

  it('may be yearly', async () => {
    const owner = await owners()
    expect(await subscribe(rig, owner, 'yearly')).toBe('active')
    const { plan, currentPeriodEnd } = await view(owner)
    expect(plan).toBe('yearly')
    expect(((currentPeriodEnd ?? 0) - rig.app.now()) / days).toBeGreaterThan(364)
  })

  it('is begun once, however often a plan is chosen', async () => {
    const { owner, name } = await rig.app.restaurant()
    const [first, again] = [await create(owner), await create(owner)]
    expect(again).toEqual(first)
    const other = await create(owner, 'yearly')
    expect(other.priceId).not.toBe(first.priceId)
    expect(other.clientSecret).not.toBe(first.clientSecret)
    const customer = await customerOf(owner)
    rig.app.advance(23 * 3_600_000)
    await owner.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    expect((await create(owner)).clientSecret).not.toBe(first.clientSecret)
    expect(await customerOf(owner)).toBe(customer)
  })

  it.each([
    ['declined', 'Your card was declined.'],
    ['insufficient', 'Your card has insufficient funds.'],
  ] as const)('is not made with a card that is %s, and can be made with another one', async (card, why) => {
    const owner = await owners()
    const setup = await create(owner)
    expect(await rig.putCard(owner, setup, card)).toBe(why)
    expect(await owner.call(api.billing.confirm, confirmationOf(setup))).toMatchObject(refused(409, why))
    expect(await view(owner)).toMatchObject({ status: null })
    expect(await rig.putCard(owner, setup, 'ok')).toBe('succeeded')
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
  })

  it('waits for the step that the bank asks for', async () => {
    const owner = await owners()
    const setup = await create(owner)
    expect(await rig.putCard(owner, setup, 'sca')).toBe('requires_action')
    expect(await owner.call(api.billing.confirm, confirmationOf(setup))).toMatchObject(
      refused(409, 'Your card has not been confirmed yet'),
    )
    expect(await rig.putCard(owner, setup, 'sca', 'decline')).toContain('unable to authenticate')
    expect((await owner.call(api.billing.confirm, confirmationOf(setup))).status).toBe(409)
    expect(await rig.putCard(owner, setup, 'sca')).toBe('requires_action')
    expect(await rig.putCard(owner, setup, 'sca', 'approve')).toBe('succeeded')
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
  })

  it('is incomplete when the first charge fails, and gives way to one with another card', async () => {
    const owner = await owners()
    const setup = await create(owner)
    await rig.putCard(owner, setup, 'charge_fails')
    const first = await owner.ok(api.billing.confirm, confirmationOf(setup))
    expect(first.status).toBe('incomplete')
    expect(first.clientSecret !== undefined).toBe(provider === 'stripe')
    expect(await view(owner)).toMatchObject({
      subscriptionStatus: 'inactive',
      status: 'incomplete',
      notice: 'incomplete',
      actions: ['subscribe', 'portal'],
      unfinished: confirmationOf(setup).body,
    })
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual(first)
    expect(await subscribe(rig, owner)).toBe('active')
    expect(await rig.live(owner)).toBe(1)
    expect(await view(owner)).toMatchObject({ status: 'active', unfinished: null })
  })

  it('is given up when the first charge stays unpaid for 23 hours', async () => {
    const owner = await owners()
    expect(await subscribe(rig, owner, 'monthly', 'charge_fails')).toBe('incomplete')
    await rig.advance(owner)
    expect(await view(owner)).toMatchObject({
      status: 'incomplete_expired',
      notice: 'ended',
      actions: ['subscribe'],
    })
    expect(await subscribe(rig, owner)).toBe('active')
  })

  it('renews by itself', async () => {
    const owner = await owners()
    await subscribe(rig, owner)
    const before = await view(owner)
    await rig.advance(owner)
    const after = await view(owner)
    expect(after).toEqual({ ...before, currentPeriodEnd: expect.any(Number) })
    expect((after.currentPeriodEnd ?? 0) - (before.currentPeriodEnd ?? 0)).toBeGreaterThan(27 * days)
  })

  it('keeps what it gives while a renewal is unpaid, until a better card is put in', async () => {
    const owner = await owners()
    expect(await subscribe(rig, owner, 'monthly', 'renew_fails')).toBe('active')
    await rig.advance(owner)
    expect(await view(owner)).toMatchObject({
      subscriptionStatus: 'inactive',
      status: 'past_due',
      notice: 'past_due',
      actions: ['cancel', 'portal'],
    })
    expect(await owner.call(api.billing.create, { body: { planType: 'monthly' } })).toMatchObject(exists)
    await rig.changeCard(owner)
    expect(await owner.ok(api.billing.subscription, { query: { fresh: 'true' } })).toMatchObject({
      status: 'active',
      notice: null,
    })
    await rig.settled()
    expect(await view(owner)).toMatchObject({ status: 'active', notice: null })
    await rig.advance(owner)
    expect(await view(owner)).toMatchObject({ status: 'active' })
  })

  it('ends when a renewal stays unpaid, and can be bought again', async () => {
    const owner = await owners()
    await subscribe(rig, owner, 'monthly', 'renew_fails')
    await rig.advance(owner)
    await rig.advance(owner)
    expect(await view(owner)).toMatchObject({ status: 'canceled', notice: 'ended', actions: ['subscribe'] })
    expect(await subscribe(rig, owner, 'yearly')).toBe('active')
    expect(await view(owner)).toMatchObject({ status: 'active', plan: 'yearly' })
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
    expect(await view(owner)).toMatchObject({ status: 'canceled', notice: 'ended' })
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
    expect(await view(owner)).toMatchObject({ plan: 'monthly', nextPlan: null, status: 'active' })
    expect(await rig.live(owner)).toBe(1)
  })

  it('stays as it is when the card is refused for the dearer plan', async () => {
    const owner = await owners()
    await subscribe(rig, owner, 'monthly', 'renew_fails')
    const before = await view(owner)
    expect(await owner.call(api.billing.changePlan, { body: { planType: 'yearly' } })).toMatchObject(
      refused(402, 'Your card was declined.'),
    )
    expect(await view(owner)).toEqual(before)
  })

  it('is one, however many confirm it at the same moment', async () => {
    const owner = await owners()
    const setup = await create(owner)
    await rig.putCard(owner, setup, 'ok')
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => owner.call(api.billing.confirm, confirmationOf(setup))),
    )
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 50 }, () => ({ status: 200, body: { status: 'active' } })),
    )
    await rig.settled()
    expect(await rig.live(owner)).toBe(1)
  })

  it('is one, when two cards were put in and both are confirmed at once', async () => {
    const owner = await owners()
    const setups = [await create(owner, 'monthly'), await create(owner, 'yearly')]
    for (const setup of setups) await rig.putCard(owner, setup, 'ok')
    const answers = await Promise.all(
      [...setups, ...setups].map((setup) => owner.call(api.billing.confirm, confirmationOf(setup))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    await rig.settled()
    expect(await rig.live(owner)).toBe(1)
  })

  it('is one customer, however many tabs choose a plan at the same moment', async () => {
    const owner = await owners()
    const made = await Promise.all(Array.from({ length: 10 }, () => create(owner)))
    expect(new Set(made.map(({ clientSecret }) => clientSecret)).size).toBe(1)
  })

  it('is not begun beside another one', async () => {
    const owner = await owners()
    const other = await create(owner, 'yearly')
    await subscribe(rig, owner)
    expect(await owner.call(api.billing.create, { body: { planType: 'yearly' } })).toMatchObject(exists)
    await rig.putCard(owner, other, 'ok')
    expect(await owner.call(api.billing.confirm, confirmationOf(other))).toMatchObject(exists)
    await rig.settled()
    expect(await rig.live(owner)).toBe(1)
  })

  it('is finished when the browser never comes back from putting in the card', async () => {
    const owner = await owners()
    await rig.putCard(owner, await create(owner), 'ok')
    await rig.settled()
    expect(await view(owner)).toMatchObject({ status: 'active', plan: 'monthly' })
    expect(await rig.live(owner)).toBe(1)
  })

  it('is not brought back by a late word about an old card', async () => {
    const owner = await owners()
    const old = await create(owner, 'yearly')
    await subscribe(rig, owner)
    await owner.ok(api.billing.cancel, {})
    await rig.advance(owner)
    await rig.putCard(owner, old, 'ok')
    await rig.settled()
    expect(await view(owner)).toMatchObject({ status: 'canceled' })
    expect(await rig.live(owner)).toBe(0)
  })

  it('refuses the setup of another restaurant, and one that does not exist', async () => {
    const [owner, rival] = [await owners(), await owners()]
    await create(owner)
    const theirs = await create(rival)
    await rig.putCard(rival, theirs, 'declined')
    const none = refused(404, 'Payment setup not found')
    expect(await owner.call(api.billing.confirm, confirmationOf(theirs))).toMatchObject(none)
    expect(
      await owner.call(api.billing.confirm, {
        body: { ...confirmationOf(theirs).body, setupIntentId: 'seti_unknown' },
      }),
    ).toMatchObject(none)
    expect(await view(owner)).toMatchObject({ status: null })
    await rig.settled()
    expect([await rig.live(owner), await rig.live(rival)]).toEqual([0, 0])
  })

  it('refuses the price of the other plan, and one that is none', async () => {
    const owner = await owners()
    const [monthly, yearly] = [await create(owner, 'monthly'), await create(owner, 'yearly')]
    await rig.putCard(owner, yearly, 'declined')
    for (const priceId of [monthly.priceId, 'price_cheap']) {
      expect(
        await owner.call(api.billing.confirm, { body: { ...confirmationOf(yearly).body, priceId } }),
      ).toMatchObject(refused(400, 'This is not the price of the plan you chose'))
    }
  })

  it.each([
    [{ planType: 'weekly' }, 'Please choose a plan'],
    [{}, 'Please choose a plan'],
  ])('refuses a plan that there is not: %j', async (body, message) => {
    const owner = await owners()
    expect(await owner.send('POST', '/api/create-subscription', body)).toMatchObject(refused(400, message))
  })

  it.each([
    {},
    { setupIntentId: 'seti_1' },
    { setupIntentId: '../x', priceId: 'price_1' },
    { setupIntentId: 'seti_1', priceId: '1' },
  ])('refuses ids that are none: %j', async (body) => {
    const owner = await owners()
    expect((await owner.send('POST', '/api/confirm-subscription', body)).status).toBe(400)
  })

  it('cannot be managed before there is one', async () => {
    const owner = await owners()
    for (const call of [api.billing.cancel, api.billing.resume, api.billing.portal])
      expect(await owner.call(call, {})).toMatchObject(refused(409, 'There is no subscription yet'))
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
    const setup = await create(owner)
    await rig.app.restart()
    await rig.putCard(owner, setup, 'ok')
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
    await rig.settled()
  })
})

describe('the sandbox', () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await sandboxRig()
  })
  afterAll(() => rig.stop())

  it('takes test cards by name and never a number', async () => {
    const { owner } = await rig.app.restaurant()
    const { clientSecret } = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
    const path = `/api/sandbox/setup-intents/${clientSecret.split('_secret_')[0]}/confirm`
    for (const testCard of ['4242424242424242', '4242 4242 4242 4242', 4242424242424242, 'visa', '', null]) {
      expect(await owner.send('POST', path, { clientSecret, testCard })).toMatchObject({ status: 400 })
    }
    expect(await owner.send('POST', path, { clientSecret: 'guessed', testCard: 'ok' })).toMatchObject({
      status: 404,
    })
    expect(rig.app.lines.some((line) => line.includes('4242'))).toBe(false)
  })

  it("is moved on by its owner only, and moves nobody else's time", async () => {
    const [{ owner }, { owner: other }] = [await rig.app.restaurant(), await rig.app.restaurant()]
    await subscribe(rig, owner)
    await subscribe(rig, other)
    const before = await other.ok(api.billing.subscription, {})
    await rig.advance(owner)
    expect(await other.ok(api.billing.subscription, {})).toEqual(before)
  })

  it('refuses events that it has not signed itself', async () => {
    const event = new TextEncoder().encode('{"id":"evt_1","type":"invoice.paid"}')
    for (const signature of ['', 't=1,v1=x', `t=${Math.floor(Date.now() / 1000)},v1=x`]) {
      expect(() => rig.app.ctx.payments.readEvent(event, signature)).toThrow('The signature is not valid')
    }
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
    for (const answer of answers) expect(answer).toMatchObject(refused(404, 'Billing is off'))
    expect((await owner.send('POST', '/api/webhooks/stripe', {})).status).toBe(404)
    await app.stop()
  })
})
