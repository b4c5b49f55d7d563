import * as apiTokens from '../../../storage/accounts/api-tokens.ts'
import * as memberships from '../../../storage/accounts/memberships.ts'
import * as endings from '../../../storage/accounts/restaurant-endings.ts'
import * as billing from '../../../storage/billing/billing.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as tables from '../../../storage/export/restaurant-tables.ts'
import { anonymousActor } from '../../actor.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import type { Ctx } from '../../ctx.ts'
import { removeEverything } from '../../retention/retention-run.ts'

/** Of the command line only a signal ends it. */
type ErasureCtx = Pick<Ctx, 'db' | 'log'> & { stopping?: AbortSignal }

/**
 * In steps, between which other restaurants' taps are stored. In one statement years of requests would take longer than
 * PostgreSQL lets a statement run, and on SQLite everybody would wait.
 */
export async function eraseHistory(ctx: ErasureCtx, restaurantId: string): Promise<void> {
  for (let isDone = false; !isDone;) {
    ctx.stopping?.throwIfAborted()
    isDone = await ctx.db.transact(async (db) => {
      // Another server may have ended it meanwhile.
      if (!(await endings.lock(db, restaurantId))) return true
      return overwriting(ctx, db, () => removeEverything(db, restaurantId))
    })
  }
}

/** Everything that is left, including what was still to be sent or processed. Returns the ids of its sessions and tokens. */
export async function eraseRest(ctx: ErasureCtx, db: Db, restaurantId: string): Promise<string[]> {
  if (!(await endings.lock(db, restaurantId))) return []
  await memberships.moveOwnersFrom(db, restaurantId)
  const customer = await billing.findCustomer(db, restaurantId)
  const tokens = await apiTokens.list(db, restaurantId)
  const sessions = await overwriting(ctx, db, async () => {
    if (customer) await tables.erasePayments(db, customer.customerId)
    return endings.erase(db, restaurantId)
  })
  logSecurityEvent(ctx, anonymousActor(), 'restaurant-erased', { restaurant: restaurantId })
  // Tokens of other software have sockets too.
  return [...sessions, ...tokens.map(({ id }) => id)]
}

async function overwriting<T>(ctx: ErasureCtx, db: Db, task: () => Promise<T>): Promise<T> {
  if (ctx.db.engine !== 'sqlite') return task()
  await tables.setSecureDelete(db, true)
  const result = await task()
  await tables.setSecureDelete(db, false)
  return result
}
