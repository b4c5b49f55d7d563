import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import {
  type BillingRig,
  createSandboxRig,
  subscribe,
} from '../../../../../test/support/stripe/billing-rigs.ts'

describe('the sandbox', () => {
  let rig: BillingRig
  beforeAll(async () => {
    rig = await createSandboxRig()
  })
  afterAll(() => rig.stop())

  it('accepts test cards by name, never a number', async () => {
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

  it('has a clock per restaurant, which only its owner can move forward', async () => {
    const [{ owner }, { owner: other }] = [await rig.app.restaurant(), await rig.app.restaurant()]
    await subscribe(rig, owner)
    await subscribe(rig, other)
    const before = await other.ok(api.billing.subscription, {})
    await rig.advance(owner)
    expect(await other.ok(api.billing.subscription, {})).toEqual(before)
  })

  it('refuses events that it did not sign itself', async () => {
    const event = new TextEncoder().encode('{"id":"evt_1","type":"invoice.paid"}')
    for (const signature of ['', 't=1,v1=x', `t=${Math.floor(Date.now() / 1000)},v1=x`]) {
      expect(() => rig.app.ctx.payments.readEvent(event, signature)).toThrow('The signature is not valid')
    }
  })
})
