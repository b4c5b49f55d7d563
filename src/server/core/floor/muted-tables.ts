import { floorLimits } from '#contract/floor/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import type { TableToMute } from '#contract/requests/muted-tables.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as mutedTables from '../../storage/floor/muted-tables.ts'
import { type Actor, crewAttribution } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Announce, Ctx } from '../ctx.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { read, write } from '../transaction.ts'

/** Guests at a muted table cannot ask, until `until` or until somebody unmutes it. */
export async function mute(ctx: Ctx, actor: Actor, { tableNumber, until }: TableToMute): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tables.mute')
  if (until !== undefined && until <= ctx.now()) throw invalid('Please choose a time to come')
  await write(ctx, async (db, announce) => {
    await restaurants.lock(db, restaurantId)
    const table = await floor.findByNumber(db, restaurantId, tableNumber)
    if (!table && (await floor.countTables(db, restaurantId)) > 0) throw notFound('Table')
    if ((await mutedTables.list(db, restaurantId)).length >= floorLimits.tables)
      throw conflict('Too many tables are muted')
    const { id: byId, name: byName } = crewAttribution(actor)
    const key = { restaurantId, tableKey: nameKey(tableNumber) }
    const number = table?.tableNumber ?? tableNumber
    await mutedTables.put(db, { ...key, tableNumber: number, until: until ?? null, byId, byName })
    const ends = until === undefined ? null : new Date(until).toISOString()
    await audit.record(ctx, db, actor, restaurantId, 'tables.mute', { tableNumber: number, until: ends })
    await announceMutedTables(db, announce, key)
  })
}

export async function unmute(
  ctx: Ctx,
  actor: Actor,
  { tableNumber }: Pick<TableToMute, 'tableNumber'>,
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tables.unmute')
  await write(ctx, async (db, announce) => {
    const key = { restaurantId, tableKey: nameKey(tableNumber) }
    const number = await mutedTables.remove(db, key)
    if (number === undefined) return
    await audit.record(ctx, db, actor, restaurantId, 'tables.unmute', { tableNumber: number })
    await announceMutedTables(db, announce, key)
  })
}

/** Announces tables whose mute has ended; each once, however many nodes notice it. */
export async function unmuteExpired(ctx: Ctx): Promise<void> {
  for (const table of await mutedTables.listExpired(read(ctx), ctx.now())) {
    await write(ctx, async (db, announce) => {
      if (await mutedTables.removeExpired(db, table, ctx.now()))
        await announceMutedTables(db, announce, table)
    })
  }
}

async function announceMutedTables(
  db: Db,
  announce: Announce,
  { restaurantId, tableKey }: { restaurantId: string; tableKey: string },
): Promise<void> {
  const tables = await mutedTables.list(db, restaurantId)
  announce({ kind: 'staff', restaurantId }, { type: 'muted-tables', tables })
  announce({ kind: 'table', restaurantId, tableKey }, { type: 'table-changed' })
}
