import type { Breach, Checker } from './evidence.ts'
import { isRepeated } from './parties.ts'

/** What makes the crew of a request that of another table, or of another time. */
const placed = new Set(['moved', 'merged', 'reopened'])

/** A request calls whoever looks after its table, and whoever has handed theirs over is on the way to none of them. */
export const shifts: Checker = ({ restaurant: { shifts }, requests, eventsOf, now }) => {
  if (!shifts) return []
  return requests.flatMap((row): Breach[] => {
    const events = eventsOf(row.id)
    const inCharge = shifts.inCharge.get(row.tableKey)?.between(row.createdAt, now)
    const isPlaced = events.some(({ id, kind }) => placed.has(kind) || isRepeated(id))
    if (inCharge && !isPlaced && inCharge.every(({ value }) => value !== row.crew))
      return [
        {
          about: row.id,
          problem: `request ${row.id} is for ${row.crew || 'everybody'}, not for ${inCharge.map(({ value }) => value || 'everybody').join(' or ')}`,
        },
      ]
    if (row.closedAt !== null || row.acceptedAt === null) return []
    const { acceptedAt } = row
    const kept = shifts.handedOver.find(
      ({ from, at }) =>
        from === row.acceptedBy &&
        acceptedAt < at &&
        !events.some((event) => event.kind === 'reopened' && event.at >= at),
    )
    return kept
      ? [{ about: row.id, problem: `request ${row.id} is still of ${kept.from}, who has handed it over` }]
      : []
  })
}
