import * as v from 'valibot'
import { beforeAll, expect } from 'vitest'
import { api } from '#contract/api.ts'
import type { Plan, SubscriptionSetup, TestCard } from '#contract/billing.ts'
import { ErrorBody } from '#contract/errors.ts'
import { receiveWebhook } from '../../../src/server/core/billing/webhook-inbox.ts'
import * as restaurants from '../../../src/server/storage/accounts/restaurants.ts'
import * as billing from '../../../src/server/storage/billing/billing.ts'
import { startTestApp, type TestApp, type TestAppOptions, type TestBrowser } from '../app.ts'
import type { FakeEvent } from './fake-stripe-objects.ts'
import { type FakeStripe, startFakeStripe } from './fake-stripe.ts'

export const webhookSecret = 'whsec_current'

/** A server with one of the payment providers, and what the browser and time do at that provider. */
export type BillingRig = {
  app: TestApp
  /** Returns the provider's message if it refuses the card, else the status of the setup. */
  enterCard(
    owner: TestBrowser,
    setup: SubscriptionSetup,
    card: TestCard,
    bankStep?: 'approve' | 'decline',
  ): Promise<string>
  /** Advances time until the subscription renews, ends or expires by itself. */
  advance(owner: TestBrowser): Promise<void>
  /** The owner enters a valid card in the billing portal; the webhooks may come later. */
  changeCard(owner: TestBrowser): Promise<void>
  /** How many subscriptions the provider charges for the restaurant. */
  countLive(owner: TestBrowser): Promise<number>
  /** Resolves once every webhook has come and been processed. */
  whenIdle(): Promise<void>
  stop(): Promise<void>
}

export const setupIdOf = ({ clientSecret }: SubscriptionSetup): string =>
  clientSecret.split('_secret_')[0] ?? ''

export const confirmationOf = (setup: SubscriptionSetup) => ({
  body: { setupIntentId: setupIdOf(setup), priceId: setup.priceId },
})

export async function customerOf(owner: TestBrowser): Promise<string> {
  return (await owner.ok(api.managers.currentUser, {})).customerId ?? ''
}

/** Chooses a plan, enters a card and confirms. */
export async function subscribe(
  rig: BillingRig,
  owner: TestBrowser,
  planType: Plan = 'monthly',
  card: TestCard = 'ok',
): Promise<string> {
  const setup = await owner.ok(api.billing.create, { body: { planType } })
  expect(await rig.enterCard(owner, setup, card)).toBe('succeeded')
  const { status } = await owner.ok(api.billing.confirm, confirmationOf(setup))
  await rig.whenIdle()
  return status
}

export async function createSandboxRig(): Promise<BillingRig> {
  const app = await startTestApp()
  const live = ['active', 'past_due', 'incomplete', 'trialing']
  return {
    app,
    async enterCard(owner, { clientSecret }, testCard, bankStep) {
      const { status, body } = await owner.call(api.billing.confirmSandboxSetup, {
        params: { id: setupIdOf({ clientSecret, priceId: '' }) },
        body: { clientSecret, testCard, ...(bankStep && { bankStep }) },
      })
      if (status === 402) return v.parse(ErrorBody, body).message
      return body.status
    },
    async advance(owner) {
      await owner.ok(api.billing.advanceSandbox, {})
      await app.whenIdle()
    },
    async changeCard(owner) {
      await owner.ok(api.billing.portal, {})
    },
    async countLive(owner) {
      const all = await app.ctx.payments.subscriptions(await customerOf(owner))
      return all.filter(({ status }) => live.includes(status)).length
    },
    whenIdle: () => app.whenIdle(),
    stop: () => app.stop(),
  }
}

export type StripeBillingRig = BillingRig & { fake: FakeStripe }

export async function createStripeRig(options: TestAppOptions = {}): Promise<StripeBillingRig> {
  let now: () => number = Date.now
  const fake = await startFakeStripe(() => now())
  fake.addPrices()
  const app = await startTestApp({
    ...options,
    stripe: {
      secretKey: 'sk_test_key',
      publishableKey: 'pk_test_key',
      webhookSecrets: [webhookSecret, 'whsec_next'],
      api: fake.api,
    },
  })
  now = app.now
  fake.deliverTo(() => app.url, webhookSecret)
  const settled = async () => {
    await fake.whenDelivered()
    await app.whenIdle()
  }
  return {
    app,
    fake,
    async enterCard(_owner, setup, card, bankStep) {
      try {
        return fake.enterCard(setupIdOf(setup), card, bankStep)
      } catch (error) {
        return error instanceof Error ? error.message : ''
      }
    },
    async advance(owner) {
      fake.advance(await customerOf(owner))
      await settled()
    },
    async changeCard(owner) {
      await owner.ok(api.billing.portal, {})
      fake.changeCard(await customerOf(owner), 'ok')
    },
    async countLive(owner) {
      const customer = await customerOf(owner)
      return [...fake.subscriptions.values()].filter(
        (subscription) =>
          subscription.customer === customer &&
          !['canceled', 'incomplete_expired'].includes(subscription.status),
      ).length
    },
    whenIdle: settled,
    async stop() {
      await settled()
      await app.stop()
      await fake.stop()
      expect(fake.problems, 'Stripe would have refused these').toEqual([])
    },
  }
}

/** Adds restaurants that subscribed in the past, without delivering any of their webhooks. */
export async function addPastSubscriptions({ app: { ctx }, fake }: StripeBillingRig, statuses: string[]) {
  return ctx.db.transact(async (db) => {
    const added = []
    for (const status of statuses) {
      const [id, attemptId] = [ctx.newId(), ctx.newId()]
      await restaurants.insert(db, {
        id,
        name: `Restaurant ${id}`,
        timeZone: 'UTC',
        codeGeneration: 1,
        codeKey: 'key',
        managedSince: null,
        createdAt: ctx.now(),
      })
      const { customer, setup, events } = fake.createPastSubscription({ restaurantId: id, attemptId }, status)
      await billing.setCustomer(db, { restaurantId: id, provider: 'stripe-test', customerId: customer })
      await billing.insertAttempt(db, {
        restaurantId: id,
        id: attemptId,
        plan: 'monthly',
        priceId: 'price_fake_monthly',
        setupIntentId: setup,
        state: 'open',
        createdAt: ctx.now(),
      })
      added.push({ restaurantId: id, customer, status, events })
    }
    return added
  })
}

export const findSubscriptions = ({ app }: BillingRig, restaurantIds: string[]) =>
  app.ctx.db.reader
    .selectFrom('subscription')
    .select(['restaurantId', 'status', 'plan', 'cancelAtPeriodEnd', 'nextPlan'])
    .where('restaurantId', 'in', restaurantIds)
    .orderBy('restaurantId')
    .execute()

export function deliverWebhook({ app, fake }: StripeBillingRig, event: FakeEvent): Promise<void> {
  const { raw, signature } = fake.signed(event, webhookSecret)
  return receiveWebhook(app.ctx, raw, signature)
}

export const providers = [
  ['the sandbox', 'sandbox', createSandboxRig],
  ['Stripe', 'stripe', createStripeRig],
] as const

/** Starts a rig for the tests of a `describe`; `take` receives it. */
export function setUpRig<Rig extends BillingRig>(start: () => Promise<Rig>, take: (rig: Rig) => void): void {
  beforeAll(async () => {
    const rig = await start()
    take(rig)
    return () => rig.stop()
  })
}

export const getSubscription = (owner: TestBrowser) => owner.ok(api.billing.subscription, {})

export const choosePlan = (owner: TestBrowser, planType: Plan = 'monthly') =>
  owner.ok(api.billing.create, { body: { planType } })

export const refusedWith = (status: number, message: string) => ({ status, body: { message } })
