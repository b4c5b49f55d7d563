import * as apiTokens from '../../../storage/accounts/api-tokens.ts'
import * as billing from '../../../storage/billing/billing.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as endings from '../../../storage/accounts/restaurant-endings.ts'
import * as tables from '../../../storage/export/restaurant-tables.ts'
import { anonymousActor } from '../../actor.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import type { Ctx } from '../../ctx.ts'

/** Everything of it, whatever is still to be sent or worked off included. Returns the ids of what has sockets. */
export async function eraseRows(
  ctx: Pick<Ctx, 'db' | 'log'>,
  db: Db,
  restaurantId: string,
): Promise<string[]> {
  const { engine } = ctx.db
  const customer = await billing.findCustomer(db, restaurantId)
  if (customer) await tables.erasePayments(db, customer.customerId)
  if (engine === 'sqlite') await tables.setSecureDelete(db, true)
  const tokens = await apiTokens.list(db, restaurantId)
  const sessions = await endings.erase(db, restaurantId)
  if (engine === 'sqlite') await tables.setSecureDelete(db, false)
  logSecurityEvent(ctx, anonymousActor(), 'restaurant-erased', { restaurant: restaurantId })
  // Tokens of other software have sockets too.
  return [...sessions, ...tokens.map(({ id }) => id)]
}
