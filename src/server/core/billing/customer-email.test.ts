import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password } from '../../../../test/support/app.ts'
import { startMailServer } from '../../../../test/support/outside/mail-server.ts'
import { createStripeRig, customerOf, subscribe } from '../../../../test/support/stripe/billing-rigs.ts'
import { retryDueEvents } from './webhook-inbox.ts'

it('an owner’s new email address is told to Stripe for each of their restaurants, once Stripe answers', async () => {
  const mails = await startMailServer()
  onTestFinished(() => mails.stop())
  const rig = await createStripeRig({ mail: mails.mail, scheduler: 'manual' })
  onTestFinished(() => rig.stop())
  const { app, fake } = rig
  const { name, owner } = await app.restaurant()
  const body = { restaurantName: `${name} too` }
  const { id } = await owner.ok(api.ownRestaurants.add, { body })
  const subscribeHere = async () => {
    await subscribe(rig, owner)
    return customerOf(owner)
  }
  const customers = [await subscribeHere()]
  await owner.ok(api.ownRestaurants.switchTo, { params: { id } })
  await owner.ok(api.accounts.confirmIdentity, { body: { password } })
  customers.push(await subscribeHere())
  const emails = () => customers.map((customer) => fake.customers.get(customer)?.email)
  expect(emails()).toEqual(['owner@example.com', 'owner@example.com'])

  fake.refuseKey = true
  await owner.ok(api.ownerEmail.begin, { body: { email: 'new@example.com' } })
  const [code = ''] = /\b\d{6}\b/u.exec(mails.received.at(-1)?.text ?? '') ?? []
  await owner.ok(api.ownerEmail.confirm, { body: { code } })
  await retryDueEvents(app.ctx)
  expect(emails()).toEqual(['owner@example.com', 'owner@example.com'])
  fake.refuseKey = false
  app.advance(2 * minuteMs)
  await retryDueEvents(app.ctx)
  expect(emails()).toEqual(['new@example.com', 'new@example.com'])
  // It logs as an error that Stripe refuses the key.
  app.lines.length = 0
})
