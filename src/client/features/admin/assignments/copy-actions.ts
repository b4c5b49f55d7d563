import { api } from '#contract/api.ts'
import type { TableAssignment } from '#contract/floor/floor.ts'
import { call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { addDays } from '../../../lib/time/dates.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'
import { writeAssignments, writeHosts } from './assignment-actions.ts'
import { toDayAssignments, restoringAssignments } from './day-assignments.ts'

const crew = api.crew
const floor = api.floor

type CopyActions = Pick<FloorActions, 'copyFromPrevious' | 'copyToWeek'>

export function copyActions(context: ActionContext, standId: string): CopyActions {
  const { cache, run, showSuccess, serialize } = context

  return {
    copyFromPrevious: (date) =>
      serialize(() =>
        run('Failed to copy assignments', async () => {
          const body = { date, was: shownOn(cache, date) }
          const { before, assignments } = await call(floor.copyFromPrevious, { body })
          cache.setData(floor.assignmentsByDate, { query: { date } }, assignments)
          showSuccess(t('Assignments copied from previous day'), () =>
            restoreDay(cache, date, { before, after: assignments }, standId),
          )
        }),
      ),

    copyToWeek: (date) =>
      serialize(() =>
        run('Failed to copy assignments to entire week', async () => {
          const days = [1, 2, 3, 4, 5, 6].map((offset) => addDays(date, offset))
          const load = (): Promise<TableAssignment[][]> =>
            Promise.all(days.map((day) => cache.refetch(floor.assignmentsByDate, { query: { date: day } })))
          const before = await load()
          await call(floor.copyToWeek, { body: { sourceDate: date, was: shownOn(cache, date) } })
          await cache.invalidate(floor.assignmentsByDate)
          // Who has left the crew is not copied.
          const after = await load()
          showSuccess(t('Copied assignments to all 7 days of the week'), async () => {
            const failures: unknown[] = []
            for (const [index, day] of days.entries()) {
              const change = { before: before[index] ?? [], after: after[index] ?? [] }
              await restoreDay(cache, day, change, standId).catch((error: unknown) => failures.push(error))
            }
            if (failures.length > 0) throw failures[0]
          })
        }),
      ),
  }
}

/** What this screen shows on a day; undefined until it is loaded. */
export const shownOn = (cache: ApiCache, date: string): TableAssignment[] | undefined =>
  cache.getData(floor.assignmentsByDate, { query: { date } })

type Change = { before: readonly TableAssignment[]; after: readonly TableAssignment[] }

/** Sets a day to how it was before a change. Refused if somebody else has changed the same since. */
export async function restoreDay(
  cache: ApiCache,
  date: string,
  { before, after }: Change,
  standId: string,
): Promise<void> {
  const people = await cache.refetch(crew.list, {})
  const tables = await cache.refetch(floor.tables, {})
  const changed = { before: toDayAssignments(before, standId), after: toDayAssignments(after, standId) }
  const { assignments, hosts } = restoringAssignments(changed, tables, people)
  await writeAssignments(cache, date, assignments)
  await writeHosts(cache, date, hosts, [...changed.after.hosts])
}
