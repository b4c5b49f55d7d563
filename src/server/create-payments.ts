import { createSandboxPayments, type SandboxStore } from './adapters/payments/sandbox/payments.ts'
import type { Config } from './config.ts'
import type { Ctx } from './core/ports.ts'
import * as inbox from './core/billing/webhook-inbox.ts'
import type { PaymentProvider } from './core/ports.ts'
import type { Database } from './storage/engine/types.ts'
import * as sandbox from './storage/sandbox-objects.ts'

type PaymentDependencies = Pick<Ctx, 'db' | 'now' | 'newId' | 'secrets' | 'log'>

/** Stripe when its keys are given, else the sandbox, whose events come in by the same door. */
export async function createPayments(
  config: Config,
  parts: PaymentDependencies,
  ctx: () => Ctx,
): Promise<PaymentProvider> {
  const { publicUrl, stripe } = config
  if (stripe !== null) {
    // Most installations never load it.
    const { createStripePayments: stripePayments } = await import('./adapters/payments/stripe/payments.ts')
    return stripePayments(stripe, { now: parts.now, publicUrl, log: parts.log })
  }
  return createSandboxPayments({
    ...parts,
    publicUrl,
    store: createSandboxStore(parts.db),
    deliver: (raw, signature) => inbox.receiveWebhook(ctx(), raw, signature),
  })
}

function createSandboxStore(db: Database): SandboxStore {
  return {
    get: (id) => sandbox.find(db.reader, id),
    list: (customerId, kind) => sandbox.list(db.reader, customerId, kind),
    insert: (object) => db.transact((inside) => sandbox.insert(inside, object)),
    replace: (id, version, value) => db.transact((inside) => sandbox.replace(inside, id, version, value)),
  }
}
