import { setTimeout } from 'node:timers/promises'
import { secondMs } from '#contract/durations.ts'
import * as billing from '../../storage/billing/billing.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Ctx } from '../ctx.ts'
import { Refusal } from '../errors.ts'

/** Longer than one call to the provider may take, including its retries. */
const leaseMs = 60 * secondMs
const maxRetryDelayMs = 200
const acquireTimeoutMs = 10 * secondMs

export type Lease = {
  /** Call it before anything that must not happen twice. Refuses if the lease was lost or is no longer allowed. */
  renew(): Promise<void>
}

export type LeaseCtx = Pick<Ctx, 'db' | 'now' | 'newId'>

const billingBusy = () =>
  new Refusal('unavailable', 'A payment step is still running. Please try again in a moment.', {
    retryAfter: 5,
  })

/**
 * Runs `task` while nobody else, on any node, talks to the provider about this restaurant. A transaction would have to
 * wait for the network, so this is a lease, which expires a minute after a node that holds it dies.
 */
export async function withLease<T>(
  ctx: LeaseCtx,
  restaurantId: string,
  task: (lease: Lease) => Promise<T>,
  requireStillAllowed: (db: Db) => Promise<void> = async () => {},
): Promise<T> {
  const holder = ctx.newId()
  const lease = () => ({ restaurantId, holder, until: ctx.now() + leaseMs })
  await acquireLease(ctx, lease)
  try {
    return await task({
      async renew() {
        await ctx.db.transact(async (db) => {
          await requireStillAllowed(db)
          if (!(await billing.renewLease(db, lease()))) throw billingBusy()
        })
      },
    })
  } finally {
    await ctx.db.transact((db) => billing.releaseLease(db, restaurantId, holder))
  }
}

async function acquireLease(
  ctx: LeaseCtx,
  lease: () => { restaurantId: string; holder: string; until: number },
): Promise<void> {
  let waitedMs = 0
  for (let delayMs = 10; ; delayMs = Math.min(delayMs * 2, maxRetryDelayMs)) {
    if (await ctx.db.transact((db) => billing.acquireLease(db, lease(), ctx.now()))) return
    if (waitedMs >= acquireTimeoutMs) throw billingBusy()
    waitedMs += delayMs
    await setTimeout(delayMs)
  }
}
