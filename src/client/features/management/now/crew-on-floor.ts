import type { CrewMember } from '#contract/crew/crew.ts'
import type { Break } from '#contract/crew/shift.ts'
import type { Table, TableAssignment } from '#contract/floor/floor.ts'

export type CrewOnFloor = CrewMember & { tables: string[]; onBreak: boolean }

type FloorData = {
  crew: readonly CrewMember[]
  tables: readonly Table[]
  assignments: readonly TableAssignment[]
  breaks: readonly Break[]
}

/** Who works today and where, in crew order. */
export function listCrewOnFloor({ crew, tables, assignments, breaks }: FloorData): CrewOnFloor[] {
  const numbers = new Map(tables.map(({ id, tableNumber }) => [id, tableNumber]))
  const resting = new Set(breaks.map(({ crewMemberId }) => crewMemberId))
  return crew.flatMap((member) => {
    const own = assignments.flatMap(({ tableId, crewMemberId }) => {
      const table = crewMemberId === member.id ? numbers.get(tableId) : undefined
      return table === undefined ? [] : [table]
    })
    return own.length === 0 ? [] : [{ ...member, tables: own, onBreak: resting.has(member.id) }]
  })
}
