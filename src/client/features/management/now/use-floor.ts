import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { type CrewOnFloor, listCrewOnFloor } from './crew-on-floor.ts'
import type { TodayState } from './today-reducer.ts'

export type Floor = { people: CrewOnFloor[] | null; error: Error | null; retry: () => void }

/** Who works today and where. */
export function useFloor(day: string | null, { breaks }: TodayState): Floor {
  const crew = useFreshApiQuery(api.crew.list, {})
  const tables = useFreshApiQuery(api.floor.tables, {})
  const stand = useFreshApiQuery(api.floor.hostStand, {})
  const assignments = useFreshApiQuery(
    api.floor.assignmentsByDate,
    day === null ? null : { query: { date: day } },
  )
  const all = [crew, tables, stand, assignments]
  const people =
    crew.data && tables.data && stand.data && assignments.data
      ? listCrewOnFloor({
          crew: crew.data,
          tables: [...tables.data, { ...stand.data, tableNumber: t(stand.data.tableNumber) }],
          assignments: assignments.data,
          breaks,
        })
      : null
  return {
    people,
    error: all.find((read) => read.error)?.error ?? null,
    retry: () => all.forEach((read) => void read.refetch()),
  }
}
