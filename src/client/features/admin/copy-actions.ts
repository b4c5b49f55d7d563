import { api } from '#contract/api.ts'
import { ApiError, call } from '../../api/http.ts'
import { addDays } from '../../lib/dates.ts'
import { writeAssignments, writeHosts } from './assignment-actions.ts'
import { copyOf, type Day, dayOf, wayBack } from './day.ts'
import type { FloorActions, FloorWork } from './floor-actions.ts'

const { crew, floor } = api

type CopyActions = Pick<FloorActions, 'copyFromPrevious' | 'copyToWeek'>

export function copyActions(work: FloorWork, standId: string): CopyActions {
  const { reads, attempt, succeeded, inTurn } = work

  const day = async (date: string): Promise<Day> =>
    dayOf(await reads.again(floor.assignmentsByDate, { query: { date } }), standId)

  async function restore(date: string, before: Day): Promise<void> {
    const people = await reads.again(crew.list, {})
    const tables = await reads.again(floor.tables, {})
    const { assignments, hosts } = wayBack(before, await day(date), tables, people)
    await writeAssignments(reads, date, assignments)
    await writeHosts(reads, date, hosts)
  }

  return {
    copyFromPrevious: (date) =>
      inTurn(() =>
        attempt('Failed to copy assignments', async () => {
          const [source, before] = [await day(addDays(date, -1)), await day(date)]
          const people = await reads.again(crew.list, {})
          const tables = await reads.again(floor.tables, {})
          const { assignments, hosts } = copyOf(source, tables, people)
          if (assignments.length + hosts.length === 0) {
            throw new ApiError(404, 'not_found', 'No assignments found for previous day')
          }
          if (assignments.length > 0) await writeAssignments(reads, date, assignments)
          if (hosts.length > 0) await writeHosts(reads, date, hosts)
          succeeded('Assignments copied from previous day', () => restore(date, before))
        }),
      ),

    copyToWeek: (date) =>
      inTurn(() =>
        attempt('Failed to copy assignments to entire week', async () => {
          const days = [1, 2, 3, 4, 5, 6].map((after) => addDays(date, after))
          const before = await Promise.all(days.map(async (one) => [one, await day(one)] as const))
          await call(floor.copyToWeek, { body: { sourceDate: date } })
          await reads.refresh(floor.assignmentsByDate)
          succeeded('Copied assignments to all 7 days of the week', async () => {
            for (const [one, former] of before) await restore(one, former)
          })
        }),
      ),
  }
}
