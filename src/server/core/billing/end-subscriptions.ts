import type { Ctx } from '../ctx.ts'
import { read } from '../transaction.ts'
import type { Lease } from './billing-lease.ts'
import { isReplaceable } from './subscription-status.ts'
import { findCustomerId, refresh } from './subscription-sync.ts'

/**
 * Refreshes what is known of a restaurant's subscription, and ends what its owner cannot cancel because it is not paid
 * for yet: the bank may still approve it.
 */
export async function endUnpaid(ctx: Ctx, restaurantId: string, lease: Lease): Promise<void> {
  const customerId = await findCustomerId(ctx, read(ctx), restaurantId)
  if (customerId === undefined) return
  await lease.renew()
  for (const { id, status } of await ctx.payments.subscriptions(customerId))
    if (isReplaceable(status)) await ctx.payments.end(id)
  await refresh(ctx, restaurantId)
}
