import { seatAt } from '../seats.ts'
import type { Checker } from './evidence.ts'
import { isRepeated } from './parties.ts'

/** Every acknowledged tap has its event exactly once, and every event of a tap is one that somebody made. */
export const taps: Checker = ({ restaurant: { phones, moves: made }, events, eventsOf, requests, moves }) => {
  // What a joined request was asked for is repeated in the history of the one that goes on.
  const mayMove = made !== null
  const asked = events.filter(({ id, kind }) => (kind === 'created' || kind === 'asked') && !isRepeated(id))
  const stored = Map.groupBy(asked, ({ id }) => id)
  const tapped = new Map(
    phones.flatMap((phone) => phone.tapped.map((tap) => [tap.id, { ...tap, phone }] as const)),
  )
  const byId = new Map(requests.map((row) => [row.id, row]))
  const acknowledged = phones.flatMap((phone) => phone.acknowledged)
  return [
    ...acknowledged
      .filter((id) => stored.get(id)?.length !== 1)
      .map((id) => ({
        about: id,
        problem: `tap ${id} was acknowledged and is stored ${stored.get(id)?.length ?? 0} times`,
      })),
    ...asked.flatMap(({ id, requestId, at, kind }) => {
      const tap = tapped.get(id)
      if (!tap) return [{ about: id, problem: `event ${id} is of no tap` }]
      const row = byId.get(requestId)
      const isThere =
        row?.tableNumber === seatAt(moves, tap.phone, tap.tableNumber, at) || (kind === 'asked' && mayMove)
      return isThere && row?.serviceType === tap.serviceType
        ? []
        : [
            {
              about: id,
              problem: `tap ${id} for ${tap.tableNumber} is stored for ${row?.tableNumber} (${row?.serviceType})`,
            },
          ]
    }),
    ...requests.flatMap((row) => {
      const of = (kind: string) => eventsOf(row.id).filter((event) => event.kind === kind).length
      const about = row.id
      const asks = of('created') + of('asked') - of('taken_back')
      if (of('created') !== 1)
        return [{ about, problem: `request ${row.id} was created ${of('created')} times` }]
      return row.asks === asks
        ? []
        : [{ about, problem: `request ${row.id} counts ${row.asks} asks of ${asks}` }]
    }),
  ]
}
