import type { Checker } from './evidence.ts'

/** Every acknowledged tap has its event exactly once, and every event of a tap is one that somebody made. */
export const taps: Checker = ({ restaurant: { phones }, events, requests }) => {
  const asked = events.filter(({ kind }) => kind === 'created' || kind === 'asked')
  const stored = Map.groupBy(asked, ({ id }) => id)
  const tapped = new Map(phones.flatMap((phone) => phone.tapped.map((tap) => [tap.id, tap] as const)))
  const byId = new Map(requests.map((row) => [row.id, row]))
  const acknowledged = phones.flatMap((phone) => phone.acknowledged)
  return [
    ...acknowledged
      .filter((id) => stored.get(id)?.length !== 1)
      .map((id) => `tap ${id} was acknowledged and is stored ${stored.get(id)?.length ?? 0} times`),
    ...asked.flatMap(({ id, requestId }) => {
      const tap = tapped.get(id)
      if (!tap) return [`event ${id} is of no tap`]
      const row = byId.get(requestId)
      return row?.tableNumber === tap.tableNumber && row.serviceType === tap.serviceType
        ? []
        : [`tap ${id} for ${tap.tableNumber} is stored for ${row?.tableNumber} (${row?.serviceType})`]
    }),
    ...requests.flatMap((row) => {
      const of = (kind: string) =>
        events.filter((event) => event.requestId === row.id && event.kind === kind).length
      const asks = of('created') + of('asked') - of('taken_back')
      if (of('created') !== 1) return [`request ${row.id} was created ${of('created')} times`]
      return row.asks === asks ? [] : [`request ${row.id} counts ${row.asks} asks of ${asks}`]
    }),
  ]
}
