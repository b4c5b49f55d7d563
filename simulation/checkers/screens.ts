import type { ServiceRequest } from '#contract/requests/requests.ts'
import type { Schema } from '../../src/server/storage/schema.ts'
import { seatOf } from '../seats.ts'
import type { Checker } from './evidence.ts'

/** Every screen and every phone that is whole shows what the rows say. */
export const screens: Checker = ({ restaurant, requests, moves, mayBeBehind }) => {
  if (mayBeBehind) return []
  const open = requests.filter(({ closedAt }) => closedAt === null)
  const managers = restaurant.shifts ? [restaurant.shifts.manager] : []
  return [...restaurant.phones, ...restaurant.tablets, ...managers].flatMap((screen, index) => {
    if (!screen.isWhole || screen.isFrozen) return []
    const isPhone = screen.kind === 'phone'
    const rows = isPhone ? open.filter(({ tableKey }) => tableKey === seatOf(moves, screen)) : open
    const expected = rows.map(describeRow).toSorted()
    const shown = (isPhone ? screen.shown.open : screen.list.open).map(describeShown).toSorted()
    if (String(expected) === String(shown)) return []
    const about = `${screen.kind} ${index}`
    const problem = `${about} shows [${shown.join(', ')}], the rows say [${expected.join(', ')}]`
    return [{ about, problem }]
  })
}

const describe = (id: string, by: string | null, ...counts: number[]) =>
  `${id} ${by === null ? 'waiting' : `by ${by.split(' ')[0]}`} ${counts.join('/')}`

const describeRow = (row: Schema['serviceRequest']): string =>
  describe(row.id, row.acceptedAt === null ? null : (row.acceptedByName ?? 'Crew'), row.asks, row.seen)

const describeShown = ({ id, state, acceptedBy, asks, seen }: ServiceRequest): string =>
  describe(id, state === 'accepted' ? (acceptedBy?.name ?? 'Crew') : null, asks, seen)
