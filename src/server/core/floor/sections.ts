import type { TableAssignment } from '#contract/floor/floor.ts'
import {
  type FloorArrangement,
  type FloorPlan,
  type NewSection,
  type Section,
  type SectionAssignments,
  sectionLimits,
  type SectionOrder,
} from '#contract/floor/sections.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as sections from '../../storage/floor/sections.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import { compareNames } from '../collation.ts'
import type { Ctx } from '../ctx.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { announceFloorChanged } from './floor-changes.ts'
import { refuseIfChanged, refuseTable, requireCrew } from './floor.ts'
import { takeOverDays } from './planned-days.ts'

export async function plan(ctx: Ctx, actor: Actor): Promise<FloorPlan> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tables.plan')
  return loadPlan(read(ctx), restaurantId)
}

async function loadPlan(db: Db, restaurantId: string): Promise<FloorPlan> {
  const tables = await sections.listTables(db, restaurantId)
  return {
    sections: await sections.list(db, restaurantId),
    tables: tables.toSorted((a, b) => compareNames(a.tableNumber, b.tableNumber)),
    members: await sections.listMembers(db, restaurantId),
  }
}

const nameTaken = () => conflict('This section already exists')

export async function add(ctx: Ctx, actor: Actor, { name }: NewSection): Promise<Section> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sections.add')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const { length: position } = await sections.list(db, restaurantId)
    if (position >= sectionLimits.sections) {
      throw conflict(`A restaurant has at most ${sectionLimits.sections} sections`)
    }
    const section = await sections.insert(db, {
      restaurantId,
      id: ctx.newId(),
      name,
      position,
      createdAt: ctx.now(),
    })
    if (!section) throw nameTaken()
    announceFloorChanged(ctx, announce, restaurantId)
    await audit.record(ctx, db, actor, restaurantId, 'sections.add', { name })
    return section
  })
}

export async function change(ctx: Ctx, actor: Actor, id: string, { name }: NewSection): Promise<Section> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sections.change')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const before = await requireSection(db, restaurantId, id)
    if (!(await sections.rename(db, restaurantId, { id, name }))) throw nameTaken()
    announceFloorChanged(ctx, announce, restaurantId)
    await audit.record(ctx, db, actor, restaurantId, 'sections.change', { name, before: before.name })
    return { id, name }
  })
}

async function requireSection(db: Db, restaurantId: string, id: string): Promise<Section> {
  const section = await sections.find(db, restaurantId, id)
  if (!section) throw notFound('Section')
  return section
}

/** Refused when the caller does not know all sections. */
export async function reorder(ctx: Ctx, actor: Actor, { ids }: SectionOrder): Promise<Section[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sections.reorder')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const names = await loadNames(db, restaurantId)
    if (ids.some((id) => !names.has(id))) throw notFound('Section')
    if (ids.length !== names.size || new Set(ids).size !== names.size) {
      throw conflict('Somebody else changed the sections meanwhile')
    }
    for (const [position, id] of ids.entries()) await sections.setPosition(db, restaurantId, id, position)
    const after = await sections.list(db, restaurantId)
    announceFloorChanged(ctx, announce, restaurantId)
    await audit.record(ctx, db, actor, restaurantId, 'sections.reorder', {
      sections: after.map(({ name }) => name),
    })
    return after
  })
}

const loadNames = async (db: Db, restaurantId: string): Promise<Map<string, string>> =>
  new Map((await sections.list(db, restaurantId)).map(({ id, name }) => [id, name]))

/** Puts tables into sections and onto the map: all of them, or none when one is invalid. */
export async function arrange(ctx: Ctx, actor: Actor, { tables }: FloorArrangement): Promise<FloorPlan> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sections.arrange')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const names = await loadNames(db, restaurantId)
    const known = new Map((await sections.listTables(db, restaurantId)).map((table) => [table.id, table]))
    const moved: string[] = []
    for (const arranged of tables) {
      const { tableId, sectionId } = arranged
      const table =
        known.get(tableId) ??
        (await refuseTable(db, restaurantId, tableId, 'The host stand is in no section'))
      if (sectionId && !names.has(sectionId)) throw notFound('Section')
      await sections.arrangeTable(db, restaurantId, arranged)
      if (sectionId !== undefined && sectionId !== table.sectionId)
        moved.push(`${table.tableNumber}: ${sectionId === null ? 'no section' : names.get(sectionId)}`)
    }
    // Where a table is drawn on the map changes nobody's work.
    if (moved.length > 0) {
      announceFloorChanged(ctx, announce, restaurantId)
      await audit.record(ctx, db, actor, restaurantId, 'sections.arrange', { tables: moved })
    }
    return loadPlan(db, restaurantId)
  })
}

/** Gives the tables of whole sections to somebody for a day, all or none. Other tables stay as they are. */
export async function assign(
  ctx: Ctx,
  actor: Actor,
  { date, sections: wanted, was }: SectionAssignments,
): Promise<{ before: TableAssignment[]; assignments: TableAssignment[] }> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sections.assign')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const names = await loadNames(db, restaurantId)
    if (wanted.some(({ sectionId }) => !names.has(sectionId))) throw notFound('Section')
    const members = await requireCrew(
      db,
      restaurantId,
      wanted.flatMap(({ crewMemberId }) => crewMemberId ?? []),
    )
    const wantedBySection = new Map(wanted.map(({ sectionId, crewMemberId }) => [sectionId, crewMemberId]))
    const tables = (await sections.listTables(db, restaurantId)).filter(
      ({ sectionId }) => sectionId !== null && wantedBySection.has(sectionId),
    )
    if (tables.length === 0) throw invalid('There are no tables in this section')
    await takeOverDays(ctx, db, actor, { restaurantId, dates: [date] })
    const before = await floor.listAssignmentsOn(db, restaurantId, date)
    const tableIds = new Set(tables.map(({ id }) => id))
    const ofTables = (assignments: TableAssignment[]) =>
      assignments.filter(({ tableId }) => tableIds.has(tableId))
    refuseIfChanged(was && ofTables(was), ofTables(before))
    for (const { id: tableId, sectionId } of tables) {
      const crewMemberId = wantedBySection.get(sectionId ?? '') ?? null
      if (crewMemberId === null) await floor.unassign(db, restaurantId, date, tableId)
      else await floor.assign(db, { restaurantId, date, tableId, slot: '', crewMemberId })
    }
    const people = new Map(members.map(({ id, name }) => [id, name]))
    announceFloorChanged(ctx, announce, restaurantId, [date])
    await audit.record(ctx, db, actor, restaurantId, 'sections.assign', {
      date,
      sections: [...wantedBySection].map(
        ([id, member]) => `${names.get(id)}: ${member === null ? 'nobody' : people.get(member)}`,
      ),
    })
    return { before, assignments: await floor.listAssignmentsOn(db, restaurantId, date) }
  })
}
