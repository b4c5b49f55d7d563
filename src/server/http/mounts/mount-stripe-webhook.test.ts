import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestBrowser } from '../../../../test/support/app.ts'
import {
  customerOf,
  type StripeBillingRig,
  createStripeRig,
  subscribe,
  webhookSecret,
} from '../../../../test/support/stripe/billing-rigs.ts'

const path = '/api/webhooks/stripe'

describe("the endpoint for Stripe's webhooks", () => {
  let rig: StripeBillingRig
  let owner: TestBrowser
  beforeAll(async () => {
    rig = await createStripeRig()
    owner = (await rig.app.restaurant()).owner
    await subscribe(rig, owner)
  })
  afterAll(() => rig.stop())

  const inbox = () => rig.app.ctx.db.reader.selectFrom('paymentEvent').selectAll().execute()
  const news = async (type = 'customer.subscription.updated') => {
    const [subscription] = rig.fake.subscriptions.values()
    if (!subscription) throw new Error('no subscription')
    rig.fake.deliverTo(null)
    return rig.fake.emit(type, subscription)
  }
  const isIn = async (id: string) => (await inbox()).some(({ eventId }) => eventId === id)

  it.each([webhookSecret, 'whsec_next'])(
    'accepts a signature with %s, one of two secrets',
    async (secret) => {
      const event = await news()
      const answer = await rig.fake.deliver(rig.app.url, event, { secret })
      expect([answer.status, await answer.json()]).toEqual([200, { received: true }])
      await rig.whenIdle()
      expect((await inbox()).find(({ eventId }) => eventId === event.id)).toMatchObject({
        type: 'customer.subscription.updated',
        customerId: await customerOf(owner),
        livemode: 0,
        processedAt: expect.any(Number),
        nextAt: null,
        attempts: 0,
      })
    },
  )

  it('refuses a signature with a former secret', async () => {
    const event = await news()
    const answer = await rig.fake.deliver(rig.app.url, event, { secret: 'whsec_old' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ message: 'The signature is not valid' })
    expect(await isIn(event.id)).toBe(false)
  })

  it('refuses a body of which one byte was changed', async () => {
    const event = await news()
    const body = JSON.stringify(event, null, 2)
    for (const tampered of [body.replace('"active"', '"Active"'), `${body} `, JSON.stringify(event), '']) {
      const answer = await rig.fake.deliver(rig.app.url, event, { secret: webhookSecret, body: tampered })
      expect(answer.status).toBe(400)
    }
    expect(await isIn(event.id)).toBe(false)
  })

  it('refuses a signature that is 301 seconds old, and accepts one of 299', async () => {
    const event = await news()
    const at = Math.floor(rig.app.now() / 1000)
    const old = await rig.fake.deliver(rig.app.url, event, { secret: webhookSecret, at: at - 301 })
    expect(old.status).toBe(400)
    expect(await isIn(event.id)).toBe(false)
    const young = await rig.fake.deliver(rig.app.url, event, { secret: webhookSecret, at: at - 299 })
    expect(young.status).toBe(200)
    expect(await isIn(event.id)).toBe(true)
    await rig.whenIdle()
  })

  it('refuses a missing signature, and one of something else', async () => {
    const body = JSON.stringify(await news())
    for (const signature of [undefined, '', 't=1', 't=1,v1=00', 'v1=00', 't=x,v1=']) {
      const answer = await fetch(rig.app.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(signature && { 'stripe-signature': signature }) },
        body,
      })
      expect(answer.status).toBe(400)
    }
  })

  it('accepts only JSON, and at most 256 KiB', async () => {
    const send = (type: string, body: string) =>
      fetch(rig.app.url + path, { method: 'POST', headers: { 'content-type': type }, body })
    expect((await send('text/plain', '{}')).status).toBe(415)
    expect((await send('application/json', `"${'x'.repeat(256 * 1024)}"`)).status).toBe(413)
    expect((await fetch(rig.app.url + path, { headers: { accept: 'application/json' } })).status).toBe(404)
  })

  it('acknowledges and ignores signed events that are not ours', async () => {
    const foreign = { ...(await news()), account: 'acct_other' }
    const live = { ...(await news()), livemode: true }
    const unknown = await news('invoice.finalized')
    for (const event of [foreign, live, unknown]) {
      expect((await rig.fake.deliver(rig.app.url, event, { secret: webhookSecret })).status).toBe(200)
      expect(await isIn(event.id)).toBe(false)
    }
  })

  it('ignores cookies and origins that a proxy may add: only the signature counts', async () => {
    const event = await news()
    rig.fake.deliverHeaders = {
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
      cookie: owner.cookieHeader,
    }
    const answer = await rig.fake.deliver(rig.app.url, event, { secret: webhookSecret })
    rig.fake.deliverHeaders = {}
    expect(answer.status).toBe(200)
    await rig.whenIdle()
  })

  it('logs a warning about a disputed charge, and changes nothing', async () => {
    const before = await owner.ok(api.billing.subscription, {})
    rig.fake.deliverTo(() => rig.app.url, webhookSecret)
    rig.fake.emit('charge.dispute.created', { id: 'dp_1', object: 'dispute' })
    await rig.whenIdle()
    expect(rig.app.lines.filter((line) => line.includes('disputed')).join('')).toContain('dp_1')
    expect(await owner.ok(api.billing.subscription, {})).toEqual(before)
  })

  it('ignores customers of others who share the account', async () => {
    rig.fake.deliverTo(() => rig.app.url, webhookSecret)
    const event = rig.fake.emit('invoice.paid', { id: 'in_x', object: 'invoice', customer: 'cus_of_others' })
    await rig.whenIdle()
    expect((await inbox()).find(({ eventId }) => eventId === event.id)).toMatchObject({
      processedAt: expect.any(Number),
    })
  })

  it('lets only the page of plans load what the card form needs', async () => {
    const policy = async (page: string) =>
      (await fetch(rig.app.url + page, { headers: { accept: 'text/html' } })).headers.get(
        'content-security-policy',
      )
    for (const page of ['/subscribe', '/subscribe?setup_intent=seti_1'])
      expect(await policy(page)).toMatch(
        /script-src 'self' https:\/\/js\.stripe\.com.*frame-src https:\/\/js/u,
      )
    for (const page of ['/', '/dashboard', '/subscribed']) expect(await policy(page)).not.toContain('stripe')
  })
})

it('the webhook does not exist without Stripe', async () => {
  const app = await startTestApp()
  const answer = await fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer.status).toBe(404)
  expect(
    (await fetch(`${app.url}/subscribe`, { headers: { accept: 'text/html' } })).headers.get(
      'content-security-policy',
    ),
  ).not.toContain('stripe')
  await app.stop()
})
