import {
  type BulkAssignments,
  type DatedAssignment,
  type DayChange,
  type HostStandAssignments,
  floorLimits,
  type NewTable,
  type Table,
  type TableAssignment,
  type TableSetup,
  type WeekCopy,
} from '#contract/floor/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as crew from '../../storage/crew/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import { requireSameRestaurant } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import { compareNames } from '../collation.ts'
import type { Ctx } from '../ctx.ts'
import { addDays } from '../dates.ts'
import { conflict, forbidden, invalid, notFound, Refusal } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { announceFloorChanged, announceTablesAreBack } from './floor-changes.ts'
import { awaitsPattern, listDay, takeOverDays } from './planned-days.ts'

const sortTables = (tables: Table[]): Table[] =>
  tables.toSorted((a, b) => compareNames(a.tableNumber, b.tableNumber))

export async function tables(ctx: Ctx, actor: Actor): Promise<Table[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.tables')
  return sortTables(await floor.listTables(read(ctx), restaurantId))
}

/** For the names on the crew dashboard's badges, the host stand included. */
export async function tablesByRestaurant(ctx: Ctx, actor: Actor, name: string): Promise<Table[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.tablesByRestaurant')
  await requireSameRestaurant(ctx, read(ctx), restaurantId, name)
  const stand = await floor.findHostStand(read(ctx), restaurantId)
  return [...sortTables(await floor.listTables(read(ctx), restaurantId)), ...(stand ? [stand] : [])]
}

export async function hostStand(ctx: Ctx, actor: Actor): Promise<Table> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.hostStand')
  return requireHostStand(read(ctx), restaurantId)
}

export async function requireHostStand(db: Db, restaurantId: string): Promise<Table> {
  const stand = await floor.findHostStand(db, restaurantId)
  if (!stand) throw notFound('Host stand')
  return stand
}

export async function crewAssignments(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name, crewMemberId, date }: { restaurantId: string; crewMemberId: string; date: string },
): Promise<DatedAssignment[]> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'floor.crewAssignments')
  await requireSameRestaurant(ctx, read(ctx), restaurantId, name)
  if (!(await crew.find(read(ctx), restaurantId, crewMemberId))) throw notFound('Crew member')
  if (right === 'own' && actor.crewMember?.id !== crewMemberId) throw forbidden()
  const day = { restaurantId, date }
  if (!(await awaitsPattern(ctx, read(ctx), actor, day)))
    return floor.listAssignmentsOf(read(ctx), restaurantId, crewMemberId, date)
  const assignments = await listDay(ctx, read(ctx), actor, day)
  return assignments
    .filter((assignment) => assignment.crewMemberId === crewMemberId)
    .map((assignment) => ({ ...assignment, date }))
}

export async function assignmentsByDate(
  ctx: Ctx,
  actor: Actor,
  { date }: { date: string },
): Promise<TableAssignment[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.assignmentsByDate')
  return listDay(ctx, read(ctx), actor, { restaurantId, date })
}

/** Sets the given assignments of a day and leaves the others: all of them, or none when one is invalid. */
export async function assign(
  ctx: Ctx,
  actor: Actor,
  { date, assignments }: BulkAssignments,
): Promise<TableAssignment[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.assign')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    if (assignments.length > 0) await takeOverDays(ctx, db, actor, { restaurantId, dates: [date] })
    const tableIds = new Set((await floor.listTables(db, restaurantId)).map((table) => table.id))
    await requireCrew(
      db,
      restaurantId,
      assignments.flatMap(({ crewMemberId }) => crewMemberId ?? []),
    )
    for (const { tableId, crewMemberId, was } of assignments) {
      if (!tableIds.has(tableId))
        await refuseTable(db, restaurantId, tableId, 'The host stand has its own assignments')
      const slot = { restaurantId, date, tableId, slot: '' }
      if (was !== undefined) await reassign(db, slot, was, crewMemberId)
      else if (crewMemberId === null) await floor.unassign(db, restaurantId, date, tableId)
      else await floor.assign(db, { ...slot, crewMemberId })
    }
    announceFloorChanged(ctx, announce, restaurantId, [date])
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

/** Says why an id does not name a table: it is unknown, or that of the host stand. */
export async function refuseTable(
  db: Db,
  restaurantId: string,
  tableId: string,
  ofHostStand: string,
): Promise<never> {
  const table = await floor.find(db, restaurantId, tableId)
  throw table ? invalid(ofHostStand) : notFound('Table')
}

export async function requireCrew(db: Db, restaurantId: string, ids: string[]): Promise<crew.CrewRow[]> {
  const wanted = [...new Set(ids)]
  const members = await crew.findMany(db, restaurantId, wanted)
  if (members.length < wanted.length) throw notFound('Crew member')
  return members
}

/** Copies the previous day's assignments onto a day, all or none. Tables that it does not assign stay as they are. */
export async function copyFromPrevious(
  ctx: Ctx,
  actor: Actor,
  { date, was }: DayChange,
): Promise<{ before: TableAssignment[]; assignments: TableAssignment[] }> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.copyFromPrevious')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const stand = await requireHostStand(db, restaurantId)
    const previous = await listDay(ctx, db, actor, { restaurantId, date: addDays(date, -1) })
    const source = await keepValid(db, restaurantId, previous, stand)
    if (source.length === 0) throw new Refusal('not_found', 'No assignments found for previous day')
    await takeOverDays(ctx, db, actor, { restaurantId, dates: [date] })
    const before = await floor.listAssignmentsOn(db, restaurantId, date)
    refuseIfChanged(was, before)
    for (const tableId of new Set(source.map(({ tableId }) => tableId))) {
      await floor.unassign(db, restaurantId, date, tableId)
    }
    await assignAll(db, restaurantId, date, source, stand)
    announceFloorChanged(ctx, announce, restaurantId, [date])
    await audit.record(ctx, db, actor, restaurantId, 'floor.copyFromPrevious', { date })
    return { before, assignments: await floor.listAssignmentsOn(db, restaurantId, date) }
  })
}

/** Copies a day onto the six days after it, so that all seven weekdays are covered and no earlier day is rewritten. */
export async function copyToWeek(ctx: Ctx, actor: Actor, { sourceDate, was }: WeekCopy): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.copyToWeek')
  await write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const stand = await requireHostStand(db, restaurantId)
    const shown = await listDay(ctx, db, actor, { restaurantId, date: sourceDate })
    refuseIfChanged(was, shown)
    const source = await keepValid(db, restaurantId, shown, stand)
    if (source.length === 0) throw invalid('No assignments found for this day')
    const dates = [1, 2, 3, 4, 5, 6].map((offset) => addDays(sourceDate, offset))
    await takeOverDays(ctx, db, actor, { restaurantId, dates })
    for (const date of dates) {
      await floor.clearDay(db, restaurantId, date)
      await assignAll(db, restaurantId, date, source, stand)
    }
    announceFloorChanged(ctx, announce, restaurantId, dates)
    await audit.record(ctx, db, actor, restaurantId, 'floor.copyToWeek', { sourceDate })
  })
}

/** Without crew members who have left, and without those at the host stand who are no longer Hosts. */
export async function keepValid(
  db: Db,
  restaurantId: string,
  assignments: readonly TableAssignment[],
  stand: Table,
): Promise<TableAssignment[]> {
  const roles = new Map((await crew.list(db, restaurantId)).map(({ id, role }) => [id, role]))
  return assignments.filter(({ tableId, crewMemberId }) =>
    tableId === stand.id ? roles.get(crewMemberId) === 'Host' : roles.has(crewMemberId),
  )
}

/** A table has one slot a day, the host stand one for each Host. */
export const slotOf = ({ tableId, crewMemberId }: TableAssignment, stand: Table): string =>
  tableId === stand.id ? crewMemberId : ''

async function assignAll(
  db: Db,
  restaurantId: string,
  date: string,
  assignments: TableAssignment[],
  stand: Table,
): Promise<void> {
  for (const assignment of assignments)
    await floor.assign(db, { restaurantId, date, ...assignment, slot: slotOf(assignment, stand) })
}

/** Whether both say the same, in whatever order. */
export function areSame(a: readonly TableAssignment[], b: readonly TableAssignment[]): boolean {
  const describe = (assignments: readonly TableAssignment[]): string =>
    assignments
      .map(({ tableId, crewMemberId }) => `${tableId} ${crewMemberId}`)
      .toSorted()
      .join()
  return describe(a) === describe(b)
}

/** When two owners change a day at once, the second has not seen what the first one did. */
export function refuseIfChanged(
  was: readonly TableAssignment[] | undefined,
  now: readonly TableAssignment[],
): void {
  if (was && !areSame(was, now)) throw conflict('Somebody else changed these tables meanwhile')
}

/** The host stand takes several crew members a day, all of them Hosts. */
export async function assignHostStand(
  ctx: Ctx,
  actor: Actor,
  { date, crewIds, was }: HostStandAssignments,
): Promise<TableAssignment[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.assignHostStand')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const members = await requireCrew(db, restaurantId, crewIds)
    if (members.some((member) => member.role !== 'Host')) {
      throw invalid('Only Host crew can be assigned to the host stand')
    }
    await takeOverDays(ctx, db, actor, { restaurantId, dates: [date] })
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
    announceFloorChanged(ctx, announce, restaurantId, [date])
    await audit.record(ctx, db, actor, restaurantId, 'floor.assignHostStand', { date, hosts })
    return floor.listAssignmentsOn(db, restaurantId, date)
  })
}

/** Adds the tables that are missing, and keeps the existing ones. */
export async function setUp(ctx: Ctx, actor: Actor, setup: TableSetup): Promise<Table[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'floor.setUp')
  const numbers = tableNumbers(setup)
  if (new Set(numbers.map(nameKey)).size < numbers.length) throw invalid('This table already exists')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const added: string[] = []
    for (const tableNumber of numbers) {
      const table = await insertTable(ctx, db, restaurantId, tableNumber)
      if (table) added.push(table.tableNumber)
    }
    if ((await floor.countTables(db, restaurantId)) > floorLimits.tables) throw tooManyTables()
    if (added.length > 0) {
      announceFloorChanged(ctx, announce, restaurantId)
      await announceTablesAreBack(ctx, { db, announce }, restaurantId, added.map(nameKey))
    }
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
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const table = await insertTable(ctx, db, restaurantId, tableNumber)
    if (!table) throw conflict('This table already exists')
    if ((await floor.countTables(db, restaurantId)) > floorLimits.tables) throw tooManyTables()
    announceFloorChanged(ctx, announce, restaurantId)
    await announceTablesAreBack(ctx, { db, announce }, restaurantId, [nameKey(table.tableNumber)])
    await audit.record(ctx, db, actor, restaurantId, 'floor.addTable', { tableNumber: table.tableNumber })
    return table
  })
}
