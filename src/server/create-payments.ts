import type { SandboxStore } from './adapters/payments/sandbox/objects.ts'
import { createSandboxPayments } from './adapters/payments/sandbox/payments.ts'
import type { Config } from './config.ts'
import * as inbox from './core/billing/webhook-inbox.ts'
import type { Ctx } from './core/ctx.ts'
import type { PaymentProvider } from './ports/payments.ts'
import * as sandbox from './storage/billing/sandbox-objects.ts'
import type { Database } from './storage/engine/types.ts'

type PaymentDependencies = Pick<Ctx, 'db' | 'now' | 'newId' | 'secrets' | 'log'>

/** Stripe if its keys are set, otherwise the sandbox, whose events are processed like Stripe's webhooks. */
export async function createPayments(
  config: Config,
  dependencies: PaymentDependencies,
  ctx: () => Ctx,
): Promise<PaymentProvider> {
  const stripe = await createStripe(config, dependencies)
  if (stripe) return stripe
  return createSandboxPayments({
    ...dependencies,
    publicUrl: config.publicUrl,
    store: createSandboxStore(dependencies.db),
    deliver: (raw, signature) => inbox.receiveWebhook(ctx(), raw, signature),
  })
}

/** Null if its keys are not set. */
export async function createStripe(
  { publicUrl, stripe }: Pick<Config, 'publicUrl' | 'stripe'>,
  { now, log }: Pick<PaymentDependencies, 'now' | 'log'>,
): Promise<PaymentProvider | null> {
  if (stripe === null) return null
  // Loaded on demand, since most installations never need it.
  const { createStripePayments } = await import('./adapters/payments/stripe/payments.ts')
  return createStripePayments(stripe, { now, publicUrl, log })
}

function createSandboxStore(db: Database): SandboxStore {
  return {
    get: (id) => sandbox.find(db.reader, id),
    list: (customerId, kind) => sandbox.list(db.reader, customerId, kind),
    insert: (object) => db.transact((inside) => sandbox.insert(inside, object)),
    replace: (id, version, value) => db.transact((inside) => sandbox.replace(inside, id, version, value)),
  }
}
