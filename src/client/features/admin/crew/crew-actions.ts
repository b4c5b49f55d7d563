import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import { call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { upsertById } from '../../../lib/collections.ts'
import { compareNatural } from '../../../lib/texts/natural-order.ts'
import { t } from '../../../lib/texts/translate.ts'
import { alreadyDeletedText, type Deleted, cacheDeleted, isFirstDeletion } from '../deleted/deleted-items.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'

const crew = api.crew
const floor = api.floor

type CrewActions = Pick<FloorActions, 'addCrew' | 'removeCrew'>

export function crewActions({ cache, run, showSuccess, showDone, restore }: ActionContext): CrewActions {
  return {
    addCrew: (member) =>
      run('Failed to add crew member', async () => {
        cacheMember(cache, await call(crew.add, { body: member }))
        showSuccess(t('Crew member added'))
      }),

    removeCrew: ({ id, name }) =>
      run('Failed to remove crew member', async () => {
        const isFirst = await isFirstDeletion(call(crew.remove, { params: { id } }))
        const removed: Deleted = { kind: 'crew', id, name }
        cacheDeleted(cache, removed)
        uncacheMember(cache, id)
        if (isFirst) showSuccess(t('{name} removed', { name }), () => restore(removed))
        else showDone(alreadyDeletedText(removed))
        // Not awaited: the next member may be removed meanwhile.
        void cache.invalidate(floor.assignmentsByDate)
      }),
  }
}

export function cacheMember(cache: ApiCache, member: CrewMember): void {
  // They may be in a list that was read meanwhile.
  const people = upsertById(cache.getData(crew.list, {}) ?? [], member)
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
