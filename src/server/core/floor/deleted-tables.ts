import { type DeletedItem, deletionGraceMs, type RestoredTable } from '#contract/deleted-items.ts'
import { floorLimits, type Table } from '#contract/floor/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import { maxButtons } from '#contract/requests/buttons.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as deletedItems from '../../storage/deleted-items.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as sections from '../../storage/floor/sections.ts'
import * as requests from '../../storage/requests/requests.ts'
import * as tableButtons from '../../storage/requests/table-buttons.ts'
import * as seatings from '../../storage/requests/table-seating.ts'
import type { Schema } from '../../storage/schema.ts'
import { localToday } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { alreadyRestored, conflict, notFound, Refusal } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { announceFloorChanged, announceTablesAreBack } from './floor-changes.ts'
import { refillDays } from './planned-days.ts'

const kind = 'table' as const
type Content = { table: Schema['floorTable']; buttons: Schema['tableButton'][] }

export async function deletedTables(ctx: Ctx, actor: Actor): Promise<DeletedItem[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.deletedTables')
  return deletedItems.list(read(ctx), { restaurantId, kind, after: ctx.now() - deletionGraceMs })
}

/** A table where guests wait, or with assignments today or later, is removed only when `confirmed`. */
export async function removeTable(ctx: Ctx, actor: Actor, id: string, confirmed: boolean): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.removeTable')
  await write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const today = await localToday(ctx, db, actor)
    const found = await floor.find(db, restaurantId, id)
    if (found?.category !== 'table') throw notFound('Table')
    const { tableNumber: name } = found
    const tableKey = nameKey(name)
    if (!confirmed) {
      const { length: waiting } = await requests.listOpen(db, restaurantId, tableKey)
      if (waiting > 0) throw conflict(waitingText(waiting))
      if (await floor.isAssignedFrom(db, restaurantId, id, today))
        throw conflict('This table has assignments. Delete it anyway?')
    }
    const at = ctx.now()
    await seatings.remove(db, { restaurantId, tableKey })
    await deletedItems.moveAssignments(db, restaurantId, { tableId: id }, { on: today, at })
    const buttons = await tableButtons.listRowsAt(db, restaurantId, id)
    const table = await floor.remove(db, restaurantId, id)
    if (!table) throw notFound('Table')
    const content: Content = { table, buttons }
    await deletedItems.insert(db, { restaurantId, kind, id, name, content, deletedAt: at })
    announceFloorChanged(ctx, announce, restaurantId)
    announce({ kind: 'table', restaurantId, tableKey }, { type: 'table-changed' })
    await audit.record(ctx, db, actor, restaurantId, 'floor.removeTable', { tableNumber: name })
  })
}

const waitingText = (count: number): string =>
  count === 1
    ? '1 request is waiting at this table. Delete it anyway?'
    : `${count} requests are waiting at this table. Delete it anyway?`

/** With its id, which its printed card proves, its buttons and its assignments. */
export async function restoreTable(
  ctx: Ctx,
  actor: Actor,
  id: string,
  { tableNumber }: RestoredTable,
): Promise<Table> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.restoreTable')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const item = await deletedItems.take(db, { restaurantId, kind, id }, ctx.now() - deletionGraceMs)
    if (!item) throw (await floor.find(db, restaurantId, id)) ? alreadyRestored() : notFound('Table')
    const { table, buttons }: Content = JSON.parse(item.content)
    const restored = { ...table, ...(tableNumber && { tableNumber }), ...(await freePlace(db, table)) }
    if (!(await floor.restore(db, restored))) throw new Refusal('name_taken', 'This table already exists')
    if ((await floor.countTables(db, restaurantId)) > floorLimits.tables)
      throw conflict(`A restaurant has at most ${floorLimits.tables} tables`)
    for (const button of buttons) await tableButtons.insert(db, button)
    if ((await tableButtons.count(db, restaurantId)) > maxButtons)
      throw conflict(`A restaurant has at most ${maxButtons} buttons`)
    const today = await localToday(ctx, db, actor)
    await deletedItems.returnAssignments(db, restaurantId, { tableId: id }, today)
    await refillDays(db, restaurantId, today)
    announceFloorChanged(ctx, announce, restaurantId)
    await announceTablesAreBack(ctx, { db, announce }, restaurantId, [nameKey(restored.tableNumber)])
    await audit.record(ctx, db, actor, restaurantId, 'floor.restoreTable', {
      tableNumber: restored.tableNumber,
    })
    return { id, tableNumber: restored.tableNumber, category: restored.category }
  })
}

/** Its section may be gone, and another table may stand in its place. */
async function freePlace(
  db: Db,
  table: Schema['floorTable'],
): Promise<Partial<Pick<Schema['floorTable'], 'sectionId' | 'mapX' | 'mapY'>>> {
  const { restaurantId, sectionId, mapX } = table
  return {
    ...(sectionId !== null && !(await sections.find(db, restaurantId, sectionId)) && { sectionId: null }),
    ...(mapX !== null && (await floor.isPlaceTaken(db, table)) && { mapX: null, mapY: null }),
  }
}
