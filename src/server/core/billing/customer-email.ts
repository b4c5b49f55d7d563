import * as memberships from '../../storage/accounts/memberships.ts'
import * as owners from '../../storage/accounts/owners.ts'
import * as events from '../../storage/billing/payment-events.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Ctx } from '../ctx.ts'
import { read } from '../transaction.ts'
import { withLease } from './billing-lease.ts'
import { findCustomerId } from './subscription-sync.ts'

/** Stored among the provider's events, and retried like them until the provider answers. */
export const emailChanged = 'owner.email_changed'

/** The provider mails receipts, and what is wrong with a card, to the owner. */
export async function queueEmailChange(ctx: Ctx, db: Db, ownerId: string): Promise<void> {
  for (const { id } of await memberships.list(db, ownerId)) {
    const customerId = await findCustomerId(ctx, db, id)
    if (customerId === undefined) continue
    await events.insert(db, {
      provider: ctx.payments.ledger,
      eventId: ctx.newId(),
      type: emailChanged,
      objectId: customerId,
      customerId,
      livemode: 0,
      receivedAt: ctx.now(),
      nextAt: ctx.now(),
    })
  }
}

/** Of two changes, the second is the last that the provider is told. */
export async function updateEmail(ctx: Ctx, restaurantId: string): Promise<void> {
  await withLease(ctx, restaurantId, async () => {
    const customerId = await findCustomerId(ctx, read(ctx), restaurantId)
    const owner = await owners.findByRestaurant(read(ctx), restaurantId)
    if (customerId !== undefined && owner) await ctx.payments.setCustomerEmail(customerId, owner.email)
  })
}
