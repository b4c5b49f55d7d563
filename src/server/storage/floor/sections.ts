import type { FloorArrangement, FloorPlan, PlacedTable, Section } from '#contract/floor/sections.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

const selectSections = (db: Db, restaurantId: string) =>
  db.selectFrom('section').select(['id', 'name']).where('restaurantId', '=', restaurantId)

/** In their order. */
export const list = (db: Db, restaurantId: string): Promise<Section[]> =>
  selectSections(db, restaurantId).orderBy('position').orderBy('id').execute()

export const find = (db: Db, restaurantId: string, id: string): Promise<Section | undefined> =>
  selectSections(db, restaurantId).where('id', '=', id).executeTakeFirst()

/** Undefined when the name is taken. */
export const insert = (db: Db, section: Omit<Schema['section'], 'nameKey'>): Promise<Section | undefined> =>
  db
    .insertInto('section')
    .values({ ...section, nameKey: nameKey(section.name) })
    .onConflict((c) => c.columns(['restaurantId', 'nameKey']).doNothing())
    .returning(['id', 'name'])
    .executeTakeFirst()

const updateSection = (db: Db, restaurantId: string, id: string) =>
  db.updateTable('section').where((e) => e.and({ restaurantId, id }))

/** False when another section has the name. */
export async function rename(db: Db, restaurantId: string, { id, name }: Section): Promise<boolean> {
  const holder = await selectSections(db, restaurantId)
    .where('nameKey', '=', nameKey(name))
    .executeTakeFirst()
  if (holder && holder.id !== id) return false
  return hasRow(
    updateSection(db, restaurantId, id)
      .set({ name, nameKey: nameKey(name) })
      .returning('id'),
  )
}

export async function setPosition(db: Db, restaurantId: string, id: string, position: number): Promise<void> {
  await updateSection(db, restaurantId, id).set({ position }).execute()
}

/** The ids of what is in a section. */
export type Belonging = { tables: string[]; members: string[] }

export async function listBelonging(db: Db, restaurantId: string, sectionId: string): Promise<Belonging> {
  const idsOf = async (table: 'floorTable' | 'crewMember'): Promise<string[]> => {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where((e) => e.and({ restaurantId, sectionId }))
      .execute()
    return rows.map(({ id }) => id)
  }
  return { tables: await idsOf('floorTable'), members: await idsOf('crewMember') }
}

/** Only what is in no section. */
export async function returnBelonging(
  db: Db,
  restaurantId: string,
  sectionId: string,
  { tables, members }: Belonging,
): Promise<void> {
  for (const [table, ids] of [
    ['floorTable', tables],
    ['crewMember', members],
  ] as const)
    if (ids.length > 0)
      await db
        .updateTable(table)
        .set({ sectionId })
        .where('restaurantId', '=', restaurantId)
        .where('id', 'in', ids)
        .where('sectionId', 'is', null)
        .execute()
}

/** Its tables and crew stay, without a section. Undefined when there is no such section. */
export async function remove(
  db: Db,
  restaurantId: string,
  id: string,
): Promise<Schema['section'] | undefined> {
  for (const table of ['floorTable', 'crewMember'] as const)
    await db
      .updateTable(table)
      .set({ sectionId: null })
      .where((e) => e.and({ restaurantId, sectionId: id }))
      .execute()
  return db
    .deleteFrom('section')
    .where((e) => e.and({ restaurantId, id }))
    .returningAll()
    .executeTakeFirst()
}

export async function listTables(db: Db, restaurantId: string): Promise<PlacedTable[]> {
  const rows = await db
    .selectFrom('floorTable')
    .select(['id', 'tableNumber', 'sectionId', 'mapX', 'mapY'])
    .where('restaurantId', '=', restaurantId)
    .where('category', '=', 'table')
    .execute()
  return rows.map(({ mapX, mapY, ...table }) => ({
    ...table,
    place: mapX === null || mapY === null ? null : { x: mapX, y: mapY },
  }))
}

export async function listMembers(db: Db, restaurantId: string): Promise<FloorPlan['members']> {
  const rows = await db
    .selectFrom('crewMember')
    .select(['id', 'sectionId'])
    .where('restaurantId', '=', restaurantId)
    .where('sectionId', 'is not', null)
    .where('deletedAt', 'is', null)
    .orderBy('nameKey')
    .execute()
  return rows.flatMap(({ id, sectionId }) => (sectionId === null ? [] : [{ crewMemberId: id, sectionId }]))
}

export async function arrangeTable(
  db: Db,
  restaurantId: string,
  { tableId, sectionId, place }: FloorArrangement['tables'][number],
): Promise<void> {
  const values = {
    ...(sectionId !== undefined && { sectionId }),
    ...(place !== undefined && { mapX: place?.x ?? null, mapY: place?.y ?? null }),
  }
  if (Object.keys(values).length === 0) return
  await db
    .updateTable('floorTable')
    .set(values)
    .where((e) => e.and({ restaurantId, id: tableId }))
    .execute()
}
