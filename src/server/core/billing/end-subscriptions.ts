import type { PaymentProvider } from '../../ports/payments.ts'
import * as billing from '../../storage/billing/billing.ts'
import type { Ctx } from '../ctx.ts'
import { read } from '../transaction.ts'
import { type Lease, type LeaseCtx, withLease } from './billing-lease.ts'
import { isEnded, isReplaceable } from './subscription-status.ts'
import { findCustomerId, refresh } from './subscription-sync.ts'

/**
 * Refreshes what is known of a restaurant's subscription, and ends what its owner cannot cancel because it is not paid
 * for yet: the bank may still approve it.
 */
export async function endUnpaid(ctx: Ctx, restaurantId: string, lease: Lease): Promise<void> {
  const customerId = await findCustomerId(ctx, read(ctx), restaurantId)
  if (customerId === undefined) return
  await endSubscriptions(ctx.payments, customerId, lease, isReplaceable)
  await refresh(ctx, restaurantId)
  await lease.renew()
}

/** `payments` is null where a command has no provider. */
export type ErasedCtx = LeaseCtx & { payments: PaymentProvider | null }

/**
 * For a restaurant that is about to be erased, for which nothing new can be bought: with its customer's row goes the
 * last way to end anything. The sandbox charges nobody.
 */
export async function endEverything(ctx: ErasedCtx, restaurantId: string): Promise<void> {
  const { payments, db } = ctx
  if (!payments || payments.sandbox) return
  const customer = await billing.findCustomer(db.reader, restaurantId)
  if (customer?.provider !== payments.ledger || customer.deletedAt !== null) return
  const { customerId } = customer
  try {
    await withLease(ctx, restaurantId, (lease) =>
      endSubscriptions(payments, customerId, lease, (status) => !isEnded(status)),
    )
  } catch (error) {
    // Another server has erased it meanwhile.
    if (await billing.findCustomer(db.reader, restaurantId)) throw error
  }
}

async function endSubscriptions(
  payments: PaymentProvider,
  customerId: string,
  lease: Lease,
  isMeant: (status: string) => boolean,
): Promise<void> {
  await lease.renew()
  for (const { id, status } of await payments.subscriptions(customerId)) {
    if (!isMeant(status)) continue
    await lease.renew()
    await payments.end(id)
  }
  await lease.renew()
}
