import type { Checker } from './evidence.ts'

/** Every acknowledged tap has its event exactly once, and every event of a tap is one that somebody made. */
export const taps: Checker = ({ restaurant: { phones }, events, eventsOf, requests }) => {
  const asked = events.filter(({ kind }) => kind === 'created' || kind === 'asked')
  const stored = Map.groupBy(asked, ({ id }) => id)
  const tapped = new Map(phones.flatMap((phone) => phone.tapped.map((tap) => [tap.id, tap] as const)))
  const byId = new Map(requests.map((row) => [row.id, row]))
  const acknowledged = phones.flatMap((phone) => phone.acknowledged)
  return [
    ...acknowledged
      .filter((id) => stored.get(id)?.length !== 1)
      .map((id) => ({
        about: id,
        problem: `tap ${id} was acknowledged and is stored ${stored.get(id)?.length ?? 0} times`,
      })),
    ...asked.flatMap(({ id, requestId }) => {
      const tap = tapped.get(id)
      if (!tap) return [{ about: id, problem: `event ${id} is of no tap` }]
      const row = byId.get(requestId)
      return row?.tableNumber === tap.tableNumber && row.serviceType === tap.serviceType
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
