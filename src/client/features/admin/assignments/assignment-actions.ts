import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import type { BulkAssignments } from '#contract/floor.ts'
import { call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { uncacheMember, cacheMember } from '../crew/crew-actions.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'
import { findMemberByName } from './crew-suggestions.ts'

const { crew, floor } = api
const assignErrorText = 'Failed to update assignments'

type AssignmentActions = Pick<FloorActions, 'assign' | 'setHosts'>

export function assignmentActions(work: ActionContext): AssignmentActions {
  const {
    cache: reads,
    run: attempt,
    showSuccess: succeeded,
    showError: failed,
    serialize: inTurn,
    broadcastChange: tellTabs,
  } = work
  return {
    assign: (date, table, was, choice) =>
      inTurn(async () => {
        const before = was?.id ?? null
        const set = (to: string | null, from: string | null) =>
          writeAssignments(reads, date, [{ tableId: table.id, crewMemberId: to, was: from }])
        if (choice.kind === 'nobody') {
          return attempt(assignErrorText, async () => {
            await set(null, before)
            succeeded(`Nobody is assigned to table ${table.tableNumber}`, () => set(before, null))
          })
        }
        const known = choice.kind === 'member' ? choice.member : await findCurrentMember(reads, choice.name)
        if (known) return attempt(assignErrorText, () => set(known.id, before))
        if (choice.kind === 'member') return 'failed'
        let added: CrewMember | undefined
        const outcome = await attempt('Failed to add crew member', async () => {
          added = await call(crew.add, { body: { name: choice.name, role: 'Server' } })
          cacheMember(reads, added)
        })
        const server = added
        if (!server) return outcome
        return attempt(assignErrorText, async () => {
          await set(server.id, before)
          succeeded(`${server.name} added and assigned`, async () => {
            await set(before, server.id)
            await call(crew.remove, { params: { id: server.id } })
            uncacheMember(reads, server.id)
          })
        })
      }),

    setHosts: (date, was, hosts) =>
      inTurn(async () => {
        try {
          await writeHosts(reads, date, [...hosts], [...was])
          tellTabs()
          return 'done'
        } catch (problem) {
          void reads.invalidate(floor.assignmentsByDate)
          failed(problem, 'Failed to update host stand assignments')
          return 'failed'
        }
      }),
  }
}

export async function writeAssignments(
  reads: ApiCache,
  date: string,
  assignments: BulkAssignments['assignments'],
): Promise<void> {
  const reply = await call(floor.assign, { body: { date, assignments } })
  reads.setData(floor.assignmentsByDate, { query: { date } }, reply)
}

export async function writeHosts(
  reads: ApiCache,
  date: string,
  crewIds: string[],
  was?: string[],
): Promise<void> {
  const reply = await call(floor.assignHostStand, { body: { date, crewIds, ...(was && { was }) } })
  reads.setData(floor.assignmentsByDate, { query: { date } }, reply)
}

/** A colleague may have added the same person a moment ago. */
async function findCurrentMember(reads: ApiCache, name: string): Promise<CrewMember | undefined> {
  try {
    return findMemberByName(name, await reads.refetch(crew.list, {}))
  } catch {
    return undefined
  }
}
