import type { CrewMember } from '#contract/crew/crew.ts'
import type { BulkAssignments, Table, TableAssignment } from '#contract/floor/floor.ts'

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
      assignments
        .filter((assignment) => !atStand(assignment))
        .map(({ tableId, crewMemberId }) => [tableId, crewMemberId]),
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

type RestoredDay = { assignments: BulkAssignments['assignments']; hosts: string[] }

/**
 * What restores a day to how it was `before`, if it is still as it was `after`, without tables deleted since, and people
 * who have left or are no longer Hosts.
 */
export function restoringAssignments(
  { before, after }: { before: DayAssignments; after: DayAssignments },
  tables: readonly Table[],
  crew: readonly CrewMember[],
): RestoredDay {
  const present = new Set(crew.map(({ id }) => id))
  const hosts = new Set(crew.filter(({ role }) => role === 'Host').map(({ id }) => id))
  return {
    assignments: tables.flatMap(({ id: tableId }): RestoredDay['assignments'] => {
      const [former = null, was = null] = [before.tables.get(tableId), after.tables.get(tableId)]
      const crewMemberId = former !== null && present.has(former) ? former : null
      return crewMemberId === was ? [] : [{ tableId, crewMemberId, was }]
    }),
    hosts: before.hosts.filter((id) => hosts.has(id)),
  }
}
