import {
  type BulkAssignments,
  type DatedAssignment,
  type HostStandAssignments,
  floorLimits,
  type NewTable,
  type Table,
  type TableAssignment,
  type TableSetup,
} from '#contract/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import * as crew from '../../storage/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor.ts'
import * as restaurants from '../../storage/restaurants.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import type { Ctx } from '../ports.ts'
import { compareNames } from '../collation.ts'
import { read, write } from '../transaction.ts'
import { addDays } from '../dates.ts'
import { conflict, forbidden, invalid, notFound, Refusal } from '../errors.ts'
import { localToday, requireSameRestaurant } from '../accounts/restaurants.ts'

const sortTables = (tables: Table[]): Table[] =>
  tables.toSorted((a, b) => compareNames(a.tableNumber, b.tableNumber))

export async function listTables(ctx: Ctx, actor: Actor): Promise<Table[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.tables')
  return sortTables(await floor.listTables(read(ctx), restaurantId))
}

/** For the names on the crew dashboard's badges, the host stand included. */
export async function listTablesByRestaurant(ctx: Ctx, actor: Actor, name: string): Promise<Table[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.tablesByRestaurant')
  await requireSameRestaurant(ctx, read(ctx), restaurantId, name)
  const stand = await floor.findHostStand(read(ctx), restaurantId)
  return [...sortTables(await floor.listTables(read(ctx), restaurantId)), ...(stand ? [stand] : [])]
}

export async function getHostStand(ctx: Ctx, actor: Actor): Promise<Table> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.hostStand')
  return requireHostStand(read(ctx), restaurantId)
}

async function requireHostStand(db: Db, restaurantId: string): Promise<Table> {
  const stand = await floor.findHostStand(db, restaurantId)
  if (!stand) throw notFound('Host stand')
  return stand
}

export async function listCrewAssignments(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name, crewMemberId, date }: { restaurantId: string; crewMemberId: string; date: string },
): Promise<DatedAssignment[]> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'floor.crewAssignments')
  await requireSameRestaurant(ctx, read(ctx), restaurantId, name)
  if (!(await crew.find(read(ctx), restaurantId, crewMemberId))) throw notFound('Crew member')
  if (right === 'own' && actor.crewMember?.id !== crewMemberId) throw forbidden()
  return floor.listAssignmentsOf(read(ctx), restaurantId, crewMemberId, date)
}

export async function listAssignmentsByDate(
  ctx: Ctx,
  actor: Actor,
  { date }: { date: string },
): Promise<TableAssignment[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.assignmentsByDate')
  return floor.listAssignmentsOn(read(ctx), restaurantId, date)
}

/** Sets the given assignments of a day and leaves the others: all of them, or none when one is invalid. */
export async function assign(
  ctx: Ctx,
  actor: Actor,
  { date, assignments }: BulkAssignments,
): Promise<TableAssignment[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.assign')
  return write(ctx, async (db) => {
    await restaurants.lock(db, restaurantId)
    const tableIds = new Set((await floor.listTables(db, restaurantId)).map((table) => table.id))
    await requireCrew(
      db,
      restaurantId,
      assignments.flatMap(({ crewMemberId }) => crewMemberId ?? []),
    )
    for (const { tableId, crewMemberId, was } of assignments) {
      if (!tableIds.has(tableId)) await refuseTable(db, restaurantId, tableId)
      const slot = { restaurantId, date, tableId, slot: '' }
      if (was !== undefined) await reassign(db, slot, was, crewMemberId)
      else if (crewMemberId === null) await floor.unassign(db, restaurantId, date, tableId)
      else await floor.assign(db, { ...slot, crewMemberId })
    }
    await audit.record(ctx, db, actor, restaurantId, 'floor.assign', {
      date,
      ...(await describeAssignments(db, restaurantId, assignments)),
    })
    return floor.listAssignmentsOn(db, restaurantId, date)
  })
}

/** Names instead of ids, which stay readable after the table or the crew member is removed. */
async function describeAssignments(
  db: Db,
  restaurantId: string,
  assignments: BulkAssignments['assignments'],
): Promise<{ assignments: string[] }> {
  const tables = new Map(
    (await floor.listTables(db, restaurantId)).map(({ id, tableNumber }) => [id, tableNumber]),
  )
  const names = new Map((await crew.list(db, restaurantId)).map(({ id, name }) => [id, name]))
  return {
    assignments: assignments.map(
      ({ tableId, crewMemberId }) =>
        `${tables.get(tableId)}: ${crewMemberId === null ? 'nobody' : names.get(crewMemberId)}`,
    ),
  }
}

type Slot = { restaurantId: string; date: string; tableId: string; slot: string }

/** When two owners change a table at once, the second is refused unless both wanted the same. */
async function reassign(db: Db, slot: Slot, was: string | null, crewMemberId: string | null): Promise<void> {
  if (await floor.reassign(db, slot, was, crewMemberId)) return
  const [holder = null] = await floor.listCrewOf(db, slot.restaurantId, slot.tableId, slot.date)
  if (holder !== crewMemberId) throw conflict('Somebody else changed this table meanwhile')
}

async function refuseTable(db: Db, restaurantId: string, tableId: string): Promise<never> {
  const table = await floor.find(db, restaurantId, tableId)
  throw table ? invalid('The host stand has its own assignments') : notFound('Table')
}

async function requireCrew(db: Db, restaurantId: string, ids: string[]): Promise<crew.CrewRow[]> {
  const wanted = [...new Set(ids)]
  const members = await crew.findMany(db, restaurantId, wanted)
  if (members.length < wanted.length) throw notFound('Crew member')
  return members
}

/** Copies the previous day's assignments onto a day, all or none. Tables that it does not assign stay as they are. */
export async function copyFromPrevious(
  ctx: Ctx,
  actor: Actor,
  { date }: { date: string },
): Promise<{ before: TableAssignment[]; assignments: TableAssignment[] }> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.copyFromPrevious')
  return write(ctx, async (db) => {
    await restaurants.lock(db, restaurantId)
    const stand = await requireHostStand(db, restaurantId)
    const before = await floor.listAssignmentsOn(db, restaurantId, date)
    const source = await listStillValid(db, restaurantId, addDays(date, -1), stand)
    if (source.length === 0) throw new Refusal('not_found', 'No assignments found for previous day')
    for (const tableId of new Set(source.map(({ tableId }) => tableId))) {
      await floor.unassign(db, restaurantId, date, tableId)
    }
    await assignAll(db, restaurantId, date, source, stand)
    await audit.record(ctx, db, actor, restaurantId, 'floor.copyFromPrevious', { date })
    return { before, assignments: await floor.listAssignmentsOn(db, restaurantId, date) }
  })
}

/** Copies a day onto the six days after it, so that all seven weekdays are covered and no earlier day is rewritten. */
export async function copyToWeek(
  ctx: Ctx,
  actor: Actor,
  { sourceDate }: { sourceDate: string },
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.copyToWeek')
  await write(ctx, async (db) => {
    await restaurants.lock(db, restaurantId)
    const stand = await requireHostStand(db, restaurantId)
    const source = await listStillValid(db, restaurantId, sourceDate, stand)
    if (source.length === 0) throw invalid('No assignments found for this day')
    for (let offset = 1; offset <= 6; offset++) {
      const date = addDays(sourceDate, offset)
      await floor.clearDay(db, restaurantId, date)
      await assignAll(db, restaurantId, date, source, stand)
    }
    await audit.record(ctx, db, actor, restaurantId, 'floor.copyToWeek', { sourceDate })
  })
}

/** A day's assignments, without crew members who have left, and without those at the host stand who are no longer Hosts. */
async function listStillValid(
  db: Db,
  restaurantId: string,
  date: string,
  stand: Table,
): Promise<TableAssignment[]> {
  const roles = new Map((await crew.list(db, restaurantId)).map(({ id, role }) => [id, role]))
  const assignments = await floor.listAssignmentsOn(db, restaurantId, date)
  return assignments.filter(({ tableId, crewMemberId }) =>
    tableId === stand.id ? roles.get(crewMemberId) === 'Host' : roles.has(crewMemberId),
  )
}

/** A table has one slot a day, the host stand one for each Host. */
async function assignAll(
  db: Db,
  restaurantId: string,
  date: string,
  assignments: TableAssignment[],
  stand: Table,
): Promise<void> {
  for (const { tableId, crewMemberId } of assignments) {
    const slot = tableId === stand.id ? crewMemberId : ''
    await floor.assign(db, { restaurantId, date, tableId, slot, crewMemberId })
  }
}

/** The host stand takes several crew members a day, all of them Hosts. */
export async function assignHostStand(
  ctx: Ctx,
  actor: Actor,
  { date, crewIds, was }: HostStandAssignments,
): Promise<TableAssignment[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.assignHostStand')
  return write(ctx, async (db) => {
    await restaurants.lock(db, restaurantId)
    const members = await requireCrew(db, restaurantId, crewIds)
    if (members.some((member) => member.role !== 'Host')) {
      throw invalid('Only Host crew can be assigned to the host stand')
    }
    const slot = { restaurantId, date, tableId: (await requireHostStand(db, restaurantId)).id }
    if (was === undefined) await floor.unassign(db, restaurantId, date, slot.tableId)
    const [before, after] = [new Set(was), new Set(crewIds)]
    for (const id of before) {
      if (!after.has(id)) await floor.reassign(db, { ...slot, slot: id }, id, null)
    }
    for (const id of after) {
      if (!before.has(id)) await floor.assign(db, { ...slot, slot: id, crewMemberId: id })
    }
    const hosts = members.map(({ name }) => name)
    await audit.record(ctx, db, actor, restaurantId, 'floor.assignHostStand', { date, hosts })
    return floor.listAssignmentsOn(db, restaurantId, date)
  })
}

/** Adds the tables that are missing, and keeps the existing ones. */
export async function setUpTables(ctx: Ctx, actor: Actor, setup: TableSetup): Promise<Table[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.setUp')
  const numbers = tableNumbers(setup)
  if (new Set(numbers.map(nameKey)).size < numbers.length) throw invalid('This table already exists')
  return write(ctx, async (db) => {
    await restaurants.lock(db, restaurantId)
    const added: string[] = []
    for (const tableNumber of numbers) {
      const table = await insertTable(ctx, db, restaurantId, tableNumber)
      if (table) added.push(table.tableNumber)
    }
    if ((await floor.countTables(db, restaurantId)) > floorLimits.tables) throw tooManyTables()
    await audit.record(ctx, db, actor, restaurantId, 'floor.setUp', { added })
    return sortTables(await floor.listTables(db, restaurantId))
  })
}

function tableNumbers(setup: TableSetup): string[] {
  if (setup.setupType === 'custom') return setup.customTables
  const [start, end] = 'tableCount' in setup ? [1, setup.tableCount] : [setup.start, setup.end]
  return Array.from({ length: end - start + 1 }, (_, index) => String(start + index))
}

const insertTable = (ctx: Ctx, db: Db, restaurantId: string, tableNumber: string) =>
  floor.insert(db, restaurantId, { id: ctx.newId(), tableNumber, category: 'table', createdAt: ctx.now() })

const tooManyTables = () => conflict(`A restaurant has at most ${floorLimits.tables} tables`)

export async function addTable(ctx: Ctx, actor: Actor, { tableNumber }: NewTable): Promise<Table> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.addTable')
  return write(ctx, async (db) => {
    await restaurants.lock(db, restaurantId)
    const table = await insertTable(ctx, db, restaurantId, tableNumber)
    if (!table) throw conflict('This table already exists')
    if ((await floor.countTables(db, restaurantId)) > floorLimits.tables) throw tooManyTables()
    await audit.record(ctx, db, actor, restaurantId, 'floor.addTable', { tableNumber: table.tableNumber })
    return table
  })
}

/** A table with assignments today or later is removed only when `confirmed`. */
export async function removeTable(ctx: Ctx, actor: Actor, id: string, confirmed: boolean): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.removeTable')
  await write(ctx, async (db) => {
    await restaurants.lock(db, restaurantId)
    const today = await localToday(ctx, db, actor)
    const table = await floor.find(db, restaurantId, id)
    if (table?.category !== 'table') throw notFound('Table')
    if (!confirmed && (await floor.isAssignedFrom(db, restaurantId, id, today))) {
      throw conflict('This table has assignments. Delete it anyway?')
    }
    await floor.remove(db, restaurantId, id)
    await audit.record(ctx, db, actor, restaurantId, 'floor.removeTable', { tableNumber: table.tableNumber })
  })
}
