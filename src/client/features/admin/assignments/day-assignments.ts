import type { CrewMember } from '#contract/crew.ts'
import type { BulkAssignments, Table, TableAssignment } from '#contract/floor.ts'

/** Who works where on one day. */
export type DayAssignments = {
  /** By the id of the table. */
  tables: ReadonlyMap<string, string>
  hosts: readonly string[]
}

export function toDayAssignments(assignments: readonly TableAssignment[], standId: string): DayAssignments {
  const atStand = ({ tableId }: TableAssignment): boolean => tableId === standId
  return {
    tables: new Map(
      assignments.filter((one) => !atStand(one)).map(({ tableId, crewMemberId }) => [tableId, crewMemberId]),
    ),
    hosts: assignments.filter(atStand).map(({ crewMemberId }) => crewMemberId),
  }
}

/** How many tables each crew member has. */
export function countTablesByMember(day: DayAssignments): ReadonlyMap<string, number> {
  const load = new Map<string, number>()
  for (const member of day.tables.values()) load.set(member, (load.get(member) ?? 0) + 1)
  return load
}

type CopiedDay = { assignments: BulkAssignments['assignments']; hosts: string[] }

/** What can still be copied from a day: tables are deleted, people leave or are no longer Hosts. */
export function copyableAssignments(
  day: DayAssignments,
  tables: readonly Table[],
  crew: readonly CrewMember[],
): CopiedDay {
  const present = new Set(crew.map(({ id }) => id))
  const hosts = new Set(crew.filter(({ role }) => role === 'Host').map(({ id }) => id))
  return {
    assignments: tables.flatMap(({ id: tableId }) => {
      const crewMemberId = day.tables.get(tableId)
      return crewMemberId !== undefined && present.has(crewMemberId) ? [{ tableId, crewMemberId }] : []
    }),
    hosts: day.hosts.filter((id) => hosts.has(id)),
  }
}

/** What restores a day to its earlier state, as far as possible. */
export function restoringAssignments(
  before: DayAssignments,
  now: DayAssignments,
  tables: readonly Table[],
  crew: readonly CrewMember[],
): CopiedDay {
  const { assignments, hosts } = copyableAssignments(before, tables, crew)
  const kept = new Set(assignments.map(({ tableId }) => tableId))
  const cleared = tables
    .filter(({ id }) => now.tables.has(id) && !kept.has(id))
    .map(({ id }) => ({ tableId: id, crewMemberId: null }))
  return { assignments: [...assignments, ...cleared], hosts }
}
