import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { addDays } from '../../../lib/dates.ts'
import { writeAssignments, writeHosts } from './assignment-actions.ts'
import { type DayAssignments, toDayAssignments, restoringAssignments } from './day-assignments.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'

const crew = api.crew
const floor = api.floor

type CopyActions = Pick<FloorActions, 'copyFromPrevious' | 'copyToWeek'>

export function copyActions(work: ActionContext, standId: string): CopyActions {
  const { cache: reads, run: attempt, showSuccess: succeeded, serialize: inTurn } = work

  const day = async (date: string): Promise<DayAssignments> =>
    toDayAssignments(await reads.refetch(floor.assignmentsByDate, { query: { date } }), standId)

  async function restore(date: string, before: DayAssignments): Promise<void> {
    const people = await reads.refetch(crew.list, {})
    const tables = await reads.refetch(floor.tables, {})
    const { assignments, hosts } = restoringAssignments(before, await day(date), tables, people)
    await writeAssignments(reads, date, assignments)
    await writeHosts(reads, date, hosts)
  }

  return {
    copyFromPrevious: (date) =>
      inTurn(() =>
        attempt('Failed to copy assignments', async () => {
          const { before, assignments } = await call(floor.copyFromPrevious, { body: { date } })
          reads.setData(floor.assignmentsByDate, { query: { date } }, assignments)
          const former = toDayAssignments(before, standId)
          succeeded('Assignments copied from previous day', () => restore(date, former))
        }),
      ),

    copyToWeek: (date) =>
      inTurn(() =>
        attempt('Failed to copy assignments to entire week', async () => {
          const days = [1, 2, 3, 4, 5, 6].map((after) => addDays(date, after))
          const before = await Promise.all(days.map(async (one) => [one, await day(one)] as const))
          await call(floor.copyToWeek, { body: { sourceDate: date } })
          await reads.invalidate(floor.assignmentsByDate)
          succeeded('Copied assignments to all 7 days of the week', async () => {
            for (const [one, former] of before) await restore(one, former)
          })
        }),
      ),
  }
}
