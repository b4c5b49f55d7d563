import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { BulkAssignments } from '#contract/floor/floor.ts'
import { call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { uncacheMember, cacheMember } from '../crew/crew-actions.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'
import { findMemberByName } from './crew-suggestions.ts'

const crew = api.crew
const floor = api.floor
const assignErrorText = 'Failed to update assignments'

type AssignmentActions = Pick<FloorActions, 'assign' | 'setHosts'>

export function assignmentActions(context: ActionContext): AssignmentActions {
  const { cache, run, showSuccess, reportError, serialize, broadcastChange } = context
  return {
    assign: (date, table, previous, choice) =>
      serialize(async () => {
        const before = previous?.id ?? null
        const set = (to: string | null, was: string | null) =>
          writeAssignments(cache, date, [{ tableId: table.id, crewMemberId: to, was }])
        if (choice.kind === 'nobody') {
          return run(assignErrorText, async () => {
            await set(null, before)
            showSuccess(t('Nobody is assigned to table {table}', { table: table.tableNumber }), () =>
              set(before, null),
            )
          })
        }
        const known = choice.kind === 'member' ? choice.member : await findCurrentMember(cache, choice.name)
        if (known) return run(assignErrorText, () => set(known.id, before))
        if (choice.kind === 'member') return 'failed'
        let added: CrewMember | undefined
        const outcome = await run('Failed to add crew member', async () => {
          added = await call(crew.add, { body: { name: choice.name, role: 'Server' } })
          cacheMember(cache, added)
        })
        const server = added
        if (!server) return outcome
        return run(assignErrorText, async () => {
          await set(server.id, before)
          showSuccess(t('{name} added and assigned', { name: server.name }), async () => {
            await set(before, server.id)
            await call(crew.remove, { params: { id: server.id } })
            uncacheMember(cache, server.id)
            void cache.invalidate(crew.deleted)
          })
        })
      }),

    setHosts: (date, previous, hosts) =>
      serialize(async () => {
        try {
          await writeHosts(cache, date, [...hosts], [...previous])
          broadcastChange()
          void cache.invalidate(api.weeklyPattern.state)
          return 'done'
        } catch (error) {
          void cache.invalidate(floor.assignmentsByDate)
          reportError(error, 'Failed to update host stand assignments')
          return 'failed'
        }
      }),
  }
}

export async function writeAssignments(
  cache: ApiCache,
  date: string,
  assignments: BulkAssignments['assignments'],
): Promise<void> {
  const reply = await call(floor.assign, { body: { date, assignments } })
  cache.setData(floor.assignmentsByDate, { query: { date } }, reply)
}

export async function writeHosts(
  cache: ApiCache,
  date: string,
  crewIds: string[],
  was: string[],
): Promise<void> {
  const reply = await call(floor.assignHostStand, { body: { date, crewIds, was } })
  cache.setData(floor.assignmentsByDate, { query: { date } }, reply)
}

/** A colleague may have added the same person a moment ago. */
async function findCurrentMember(cache: ApiCache, name: string): Promise<CrewMember | undefined> {
  try {
    return findMemberByName(name, await cache.refetch(crew.list, {}))
  } catch {
    return undefined
  }
}
