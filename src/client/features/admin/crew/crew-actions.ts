import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import { call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { compareNatural } from '../../../lib/natural-order.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'

const crew = api.crew
const floor = api.floor

type CrewActions = Pick<FloorActions, 'addCrew' | 'removeCrew'>

export function crewActions({ cache, run, showSuccess }: ActionContext): CrewActions {
  return {
    addCrew: (member) =>
      run('Failed to add crew member', async () => {
        cacheMember(cache, await call(crew.add, { body: member }))
        showSuccess('Crew member added')
      }),

    removeCrew: (member, undo) =>
      run('Failed to remove crew member', async () => {
        await call(crew.remove, { params: { id: member.id } })
        uncacheMember(cache, member.id)
        const { name, role } = member
        const addAgain = async (): Promise<void> =>
          cacheMember(cache, await call(crew.add, { body: { name, role } }))
        showSuccess(`${name} removed`, undo ? addAgain : undefined)
        // Not awaited: the next member may be removed meanwhile.
        void cache.invalidate(floor.assignmentsByDate)
      }),
  }
}

export function cacheMember(cache: ApiCache, member: CrewMember): void {
  const people = [...(cache.getData(crew.list, {}) ?? []), member]
  cache.setData(
    crew.list,
    {},
    people.toSorted((a, b) => compareNatural(a.name, b.name)),
  )
}

export function uncacheMember(cache: ApiCache, id: string): void {
  const rest = cache.getData(crew.list, {})?.filter((member) => member.id !== id)
  if (rest) cache.setData(crew.list, {}, rest)
}
