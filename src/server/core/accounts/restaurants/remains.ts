import type { Remains } from '#contract/accounts/retention.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as tables from '../../../storage/export/restaurant-tables.ts'
import type { Ctx } from '../../ctx.ts'

/** Where something lies that is removed here. */
export async function listRemains(
  { settings }: Pick<Ctx, 'settings'>,
  db: Db,
  restaurantId: string,
): Promise<Remains> {
  const { backup } = settings
  const receivers = await tables.listReceivers(db, restaurantId)
  return {
    backups: backup && { everyMs: backup.everyMs, keep: backup.keep },
    receivers: receivers.map(({ kind, address, lastAt }) => ({ kind, name: shortAddress(address), lastAt })),
  }
}

/** The path of a webhook may be a secret. */
export const shortAddress = (address: string): string => URL.parse(address)?.host || address
