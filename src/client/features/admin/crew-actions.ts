import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import { call } from '../../api/http.ts'
import type { Reads } from '../../api/queries.ts'
import { byTableNumber } from '../../lib/table-order.ts'
import type { FloorActions, FloorWork } from './floor-actions.ts'

const { crew, floor } = api

type CrewActions = Pick<FloorActions, 'addCrew' | 'removeCrew'>

export function crewActions({ reads, attempt, succeeded }: FloorWork): CrewActions {
  return {
    addCrew: (member) =>
      attempt('Failed to add crew member', async () => {
        keepMember(reads, await call(crew.add, { body: member }))
        succeeded('Crew member added')
      }),

    removeCrew: (member, undo) =>
      attempt('Failed to remove crew member', async () => {
        await call(crew.remove, { params: { id: member.id } })
        forgetMember(reads, member.id)
        const { name, role } = member
        const addAgain = async (): Promise<void> =>
          keepMember(reads, await call(crew.add, { body: { name, role } }))
        succeeded(`${name} removed`, undo ? addAgain : undefined)
        // Nobody waits for it: the next one may be removed meanwhile.
        void reads.refresh(floor.assignmentsByDate)
      }),
  }
}

export function keepMember(reads: Reads, member: CrewMember): void {
  const people = [...(reads.known(crew.list, {}) ?? []), member]
  reads.keep(
    crew.list,
    {},
    people.toSorted((a, b) => byTableNumber(a.name, b.name)),
  )
}

export function forgetMember(reads: Reads, id: string): void {
  const rest = reads.known(crew.list, {})?.filter((member) => member.id !== id)
  if (rest) reads.keep(crew.list, {}, rest)
}
