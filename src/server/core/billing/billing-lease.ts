import { setTimeout } from 'node:timers/promises'
import * as billing from '../../storage/billing.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Ctx } from '../ports.ts'
import { write } from '../transaction.ts'
import { Refusal } from '../errors.ts'

/** Longer than one call to the provider may take with its retries. */
const leaseMs = 60_000
const maxRetryDelayMs = 200
const acquireTimeoutMs = 10_000

export type Lease = {
  /**
   * Before anything that must not be done twice: refuses when the lock was lost meanwhile, or whoever asked for it
   * may not any more.
   */
  renew(): Promise<void>
}

const billingBusy = () =>
  new Refusal('unavailable', 'A payment step is still running. Please try again in a moment.', {
    retryAfter: 5,
  })

/**
 * Runs `work` while nobody else, on any node, talks to the provider about this restaurant. It is a lease and no
 * transaction, which must not wait for a network; a node that dies holding it lets go after a minute.
 */
export async function withLease<T>(
  ctx: Ctx,
  restaurantId: string,
  work: (lease: Lease) => Promise<T>,
  requireStillAllowed: (db: Db) => Promise<void> = async () => {},
): Promise<T> {
  const holder = ctx.newId()
  const lease = () => ({ restaurantId, holder, until: ctx.now() + leaseMs })
  await acquireLease(ctx, lease)
  try {
    return await work({
      async renew() {
        await write(ctx, async (db) => {
          await requireStillAllowed(db)
          if (!(await billing.renewLease(db, lease()))) throw billingBusy()
        })
      },
    })
  } finally {
    await write(ctx, (db) => billing.releaseLease(db, restaurantId, holder))
  }
}

async function acquireLease(
  ctx: Ctx,
  lease: () => { restaurantId: string; holder: string; until: number },
): Promise<void> {
  let waited = 0
  for (let pause = 10; ; pause = Math.min(pause * 2, maxRetryDelayMs)) {
    if (await write(ctx, (db) => billing.acquireLease(db, lease(), ctx.now()))) return
    if (waited >= acquireTimeoutMs) throw billingBusy()
    waited += pause
    await setTimeout(pause)
  }
}
