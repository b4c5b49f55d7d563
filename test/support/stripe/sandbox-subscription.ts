import { api } from '#contract/api.ts'
import type { TestApp, TestBrowser } from '../app.ts'

/** Subscribes without using the screens. */
export async function subscribeInSandbox(
  app: TestApp,
  owner: TestBrowser,
  testCard: 'ok' | 'renew_fails' = 'ok',
): Promise<void> {
  const setup = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
  const setupIntentId = setup.clientSecret.split('_secret_')[0] ?? ''
  await owner.ok(api.billing.confirmSandboxSetup, {
    params: { id: setupIntentId },
    body: { clientSecret: setup.clientSecret, testCard },
  })
  await owner.ok(api.billing.confirm, { body: { setupIntentId, priceId: setup.priceId } })
  await app.whenIdle()
}

export const subscriptionStatus = async (owner: TestBrowser): Promise<string | null> =>
  (await owner.ok(api.billing.subscription, {})).status
