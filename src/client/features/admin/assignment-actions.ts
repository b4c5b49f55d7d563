import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import type { BulkAssignments } from '#contract/floor.ts'
import { call } from '../../api/http.ts'
import type { Reads } from '../../api/queries.ts'
import { forgetMember, keepMember } from './crew-actions.ts'
import type { FloorActions, FloorWork } from './floor-actions.ts'
import { memberNamed } from './suggestions.ts'

const { crew, floor } = api
const failedToAssign = 'Failed to update assignments'

type AssignmentActions = Pick<FloorActions, 'assign' | 'setHosts'>

export function assignmentActions(work: FloorWork): AssignmentActions {
  const { reads, attempt, succeeded, failed, inTurn, tellTabs } = work
  return {
    assign: (date, table, was, choice) =>
      inTurn(async () => {
        const before = was?.id ?? null
        const set = (to: string | null, from: string | null) =>
          writeAssignments(reads, date, [{ tableId: table.id, crewMemberId: to, was: from }])
        if (choice.kind === 'nobody') {
          return attempt(failedToAssign, async () => {
            await set(null, before)
            succeeded(`Nobody is assigned to table ${table.tableNumber}`, () => set(before, null))
          })
        }
        const known = choice.kind === 'member' ? choice.member : await nowNamed(reads, choice.name)
        if (known) return attempt(failedToAssign, () => set(known.id, before))
        if (choice.kind === 'member') return 'failed'
        let added: CrewMember | undefined
        const outcome = await attempt('Failed to add crew member', async () => {
          added = await call(crew.add, { body: { name: choice.name, role: 'Server' } })
          keepMember(reads, added)
        })
        const server = added
        if (!server) return outcome
        return attempt(failedToAssign, async () => {
          await set(server.id, before)
          succeeded(`${server.name} added and assigned`, async () => {
            await set(before, server.id)
            await call(crew.remove, { params: { id: server.id } })
            forgetMember(reads, server.id)
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
          void reads.refresh(floor.assignmentsByDate)
          failed(problem, 'Failed to update host stand assignments')
          return 'failed'
        }
      }),
  }
}

export async function writeAssignments(
  reads: Reads,
  date: string,
  assignments: BulkAssignments['assignments'],
): Promise<void> {
  const reply = await call(floor.assign, { body: { date, assignments } })
  reads.keep(floor.assignmentsByDate, { query: { date } }, reply)
}

export async function writeHosts(
  reads: Reads,
  date: string,
  crewIds: string[],
  was?: string[],
): Promise<void> {
  const reply = await call(floor.assignHostStand, { body: { date, crewIds, ...(was && { was }) } })
  reads.keep(floor.assignmentsByDate, { query: { date } }, reply)
}

/** A colleague may have added the same person a moment ago. */
async function nowNamed(reads: Reads, name: string): Promise<CrewMember | undefined> {
  try {
    return memberNamed(name, await reads.again(crew.list, {}))
  } catch {
    return undefined
  }
}
