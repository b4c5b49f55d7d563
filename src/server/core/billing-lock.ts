import { setTimeout } from 'node:timers/promises'
import * as billing from '../storage/billing.ts'
import type { Db } from '../storage/types.ts'
import type { Ctx } from './ports.ts'
import { write } from './transaction.ts'
import { Refusal } from './errors.ts'

/** Longer than one call to the provider may take with its retries. */
const leaseMs = 60_000
const longestPauseMs = 200
const waitMs = 10_000

export type Lock = {
  /**
   * Before anything that must not be done twice: refuses when the lock was lost meanwhile, or whoever asked for it
   * may not any more.
   */
  renew(): Promise<void>
}

const busy = () =>
  new Refusal('unavailable', 'A payment step is still running. Please try again in a moment.', {
    retryAfter: 5,
  })

/**
 * Runs `work` while nobody else, on any node, talks to the provider about this restaurant. It is a lease and no
 * transaction, which must not wait for a network; a node that dies holding it lets go after a minute.
 */
export async function locked<T>(
  ctx: Ctx,
  restaurantId: string,
  work: (lock: Lock) => Promise<T>,
  requireStillAllowed: (db: Db) => Promise<void> = async () => {},
): Promise<T> {
  const holder = ctx.newId()
  const lease = () => ({ restaurantId, holder, until: ctx.now() + leaseMs })
  await acquire(ctx, lease)
  try {
    return await work({
      async renew() {
        await write(ctx, async (db) => {
          await requireStillAllowed(db)
          if (!(await billing.keepLock(db, lease()))) throw busy()
        })
      },
    })
  } finally {
    await write(ctx, (db) => billing.unlock(db, restaurantId, holder))
  }
}

async function acquire(
  ctx: Ctx,
  lease: () => { restaurantId: string; holder: string; until: number },
): Promise<void> {
  let waited = 0
  for (let pause = 10; ; pause = Math.min(pause * 2, longestPauseMs)) {
    if (await write(ctx, (db) => billing.lock(db, lease(), ctx.now()))) return
    if (waited >= waitMs) throw busy()
    waited += pause
    await setTimeout(pause)
  }
}
