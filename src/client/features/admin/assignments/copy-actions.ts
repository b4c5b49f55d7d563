import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { addDays } from '../../../lib/time/dates.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'
import { writeAssignments, writeHosts } from './assignment-actions.ts'
import { type DayAssignments, toDayAssignments, restoringAssignments } from './day-assignments.ts'

const crew = api.crew
const floor = api.floor

type CopyActions = Pick<FloorActions, 'copyFromPrevious' | 'copyToWeek'>

export function copyActions(context: ActionContext, standId: string): CopyActions {
  const { cache, run, showSuccess, serialize } = context

  const restore = (date: string, before: DayAssignments): Promise<void> =>
    restoreDay(cache, date, before, standId)

  return {
    copyFromPrevious: (date) =>
      serialize(() =>
        run('Failed to copy assignments', async () => {
          const { before, assignments } = await call(floor.copyFromPrevious, { body: { date } })
          cache.setData(floor.assignmentsByDate, { query: { date } }, assignments)
          const former = toDayAssignments(before, standId)
          showSuccess(t('Assignments copied from previous day'), () => restore(date, former))
        }),
      ),

    copyToWeek: (date) =>
      serialize(() =>
        run('Failed to copy assignments to entire week', async () => {
          const days = [1, 2, 3, 4, 5, 6].map((offset) => addDays(date, offset))
          const before = await Promise.all(
            days.map(async (day) => [day, await fetchDay(cache, day, standId)] as const),
          )
          await call(floor.copyToWeek, { body: { sourceDate: date } })
          await cache.invalidate(floor.assignmentsByDate)
          showSuccess(t('Copied assignments to all 7 days of the week'), async () => {
            for (const [day, former] of before) await restore(day, former)
          })
        }),
      ),
  }
}

const fetchDay = async (cache: ApiCache, date: string, standId: string): Promise<DayAssignments> =>
  toDayAssignments(await cache.refetch(floor.assignmentsByDate, { query: { date } }), standId)

/** Sets a day to how it was. */
export async function restoreDay(
  cache: ApiCache,
  date: string,
  before: DayAssignments,
  standId: string,
): Promise<void> {
  const people = await cache.refetch(crew.list, {})
  const tables = await cache.refetch(floor.tables, {})
  const now = await fetchDay(cache, date, standId)
  const { assignments, hosts } = restoringAssignments(before, now, tables, people)
  await writeAssignments(cache, date, assignments)
  await writeHosts(cache, date, hosts)
}
