import { floorLimits } from '#contract/floor/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import type { TableToMute } from '#contract/requests/muted-tables.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as mutedTables from '../../storage/floor/muted-tables.ts'
import { type Actor, crewAttribution } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { read, type Tx, write } from '../transaction.ts'

/** Guests at a muted table cannot ask, until `until` or until somebody unmutes it. */
export async function mute(ctx: Ctx, actor: Actor, { tableNumber, until }: TableToMute): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tables.mute')
  if (until !== undefined && until <= ctx.now()) throw invalid('Please choose a time to come')
  await write(ctx, async (tx) => {
    await restaurants.lock(tx.db, restaurantId)
    const table = await floor.findByNumber(tx.db, restaurantId, tableNumber)
    if (!table && (await floor.countTables(tx.db, restaurantId)) > 0) throw notFound('Table')
    if ((await mutedTables.list(tx.db, restaurantId)).length >= floorLimits.tables)
      throw conflict('Too many tables are muted')
    const { id: byId, name: byName } = crewAttribution(actor)
    const key = { restaurantId, tableKey: nameKey(tableNumber) }
    const number = table?.tableNumber ?? tableNumber
    await mutedTables.put(tx.db, { ...key, tableNumber: number, until: until ?? null, byId, byName })
    const ends = until === undefined ? null : new Date(until).toISOString()
    await audit.record(ctx, tx.db, actor, restaurantId, 'tables.mute', { tableNumber: number, until: ends })
    await announceMutedTables(tx, key)
  })
}

export async function unmute(
  ctx: Ctx,
  actor: Actor,
  { tableNumber }: Pick<TableToMute, 'tableNumber'>,
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tables.unmute')
  await write(ctx, async (tx) => {
    const key = { restaurantId, tableKey: nameKey(tableNumber) }
    const number = await mutedTables.remove(tx.db, key)
    if (number === undefined) return
    await audit.record(ctx, tx.db, actor, restaurantId, 'tables.unmute', { tableNumber: number })
    await announceMutedTables(tx, key)
  })
}

/** Announces tables whose mute has ended; each once, however many nodes notice it. */
export async function unmuteExpired(ctx: Ctx): Promise<void> {
  for (const table of await mutedTables.listExpired(read(ctx), ctx.now())) {
    await write(ctx, async (tx) => {
      if (await mutedTables.removeExpired(tx.db, table, ctx.now())) await announceMutedTables(tx, table)
    })
  }
}

async function announceMutedTables(
  tx: Tx,
  { restaurantId, tableKey }: { restaurantId: string; tableKey: string },
): Promise<void> {
  const tables = await mutedTables.list(tx.db, restaurantId)
  tx.announce({ kind: 'staff', restaurantId }, { type: 'muted-tables', tables })
  tx.announce({ kind: 'table', restaurantId, tableKey }, { type: 'table-changed' })
}
