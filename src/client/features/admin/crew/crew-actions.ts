import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import { call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { compareNatural } from '../../../lib/natural-order.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'

const { crew, floor } = api

type CrewActions = Pick<FloorActions, 'addCrew' | 'removeCrew'>

export function crewActions({
  cache: reads,
  run: attempt,
  showSuccess: succeeded,
}: ActionContext): CrewActions {
  return {
    addCrew: (member) =>
      attempt('Failed to add crew member', async () => {
        cacheMember(reads, await call(crew.add, { body: member }))
        succeeded('Crew member added')
      }),

    removeCrew: (member, undo) =>
      attempt('Failed to remove crew member', async () => {
        await call(crew.remove, { params: { id: member.id } })
        uncacheMember(reads, member.id)
        const { name, role } = member
        const addAgain = async (): Promise<void> =>
          cacheMember(reads, await call(crew.add, { body: { name, role } }))
        succeeded(`${name} removed`, undo ? addAgain : undefined)
        // Nobody waits for it: the next one may be removed meanwhile.
        void reads.invalidate(floor.assignmentsByDate)
      }),
  }
}

export function cacheMember(reads: ApiCache, member: CrewMember): void {
  const people = [...(reads.getData(crew.list, {}) ?? []), member]
  reads.setData(
    crew.list,
    {},
    people.toSorted((a, b) => compareNatural(a.name, b.name)),
  )
}

export function uncacheMember(reads: ApiCache, id: string): void {
  const rest = reads.getData(crew.list, {})?.filter((member) => member.id !== id)
  if (rest) reads.setData(crew.list, {}, rest)
}
