import type { Phone } from '../phone.ts'
import { followMoves, type Move, seatOf, visitAt } from '../seats.ts'
import type { Breach, Checker, Evidence } from './evidence.ts'

type Row = Evidence['requests'][number]
type Event = Evidence['events'][number]

/** Whether it repeats what a merged request was asked for, or takes that back, where the other one goes on for both. */
export const isRepeated = (eventId: string): boolean => /^(?:back:)*moved:/u.test(eventId)

/**
 * Each open request is where somebody sits who asked for it, with a proof only of that table's code; an undone move joins
 * nothing any more; and each phone says where its guest sits.
 */
export const parties: Checker = (evidence) => {
  const { restaurant, requests, moves, mayBeBehind } = evidence
  const { phones, moves: acknowledged } = restaurant
  if (!acknowledged) return []
  const stored = new Set(moves.map(({ id }) => id))
  return [
    ...acknowledged
      .filter((id) => !stored.has(id))
      .map((id) => ({ about: id, problem: `move ${id} was acknowledged and is not stored` })),
    ...requests.filter(({ closedAt }) => closedAt === null).flatMap((row) => comparePlace(evidence, row)),
    ...moves.flatMap((move) => findStillJoined(evidence, move)),
    ...phones.flatMap((phone, index): Breach[] => {
      const seat = seatOf(moves, phone)
      if (!phone.isWhole || phone.isFrozen || mayBeBehind || phone.seat === seat) return []
      const about = `phone ${index}`
      return [{ about, problem: `${about} says that its guest sits at ${phone.seat}, not at ${seat}` }]
    }),
  ]
}

const tapIdOf = ({ id }: Event): string => id.replace(/^(?:moved:[^:]*:)+/u, '')

type Ask = { event: Event; phone: Phone; tableNumber: string }

function comparePlace({ restaurant: { phones }, requests, eventsOf, moves }: Evidence, row: Row): Breach[] {
  const events = eventsOf(row.id)
  const takenBack = new Set(events.flatMap(({ id, kind }) => (kind === 'taken_back' ? id : [])))
  const all = events.flatMap((event): Ask[] => {
    if (event.kind !== 'created' && event.kind !== 'asked') return []
    const tapId = tapIdOf(event)
    const phone = phones.find(({ tapped }) => tapped.some(({ id }) => id === tapId))
    const tap = phone?.tapped.find(({ id }) => id === tapId)
    return phone && tap ? [{ event, phone, tableNumber: tap.tableNumber }] : []
  })
  const left = all.filter(({ event }) => !takenBack.has(`back:${event.id}`))
  const about = row.id
  const breaches: Breach[] = []
  if (!left.some((ask) => isSeatOf(ask)))
    breaches.push({
      about,
      problem: `request ${row.id} is at table ${row.tableKey}, where nobody has asked for it`,
    })
  if (row.verified === 1 && !phones.some((phone) => phone.scanned.has(row.tableKey) && hasAsked(phone, row)))
    breaches.push({
      about,
      problem: `request ${row.id} is proved at table ${row.tableKey}, whose code nobody has scanned`,
    })
  return breaches

  /** Also for what has been joined with it, and even if it was taken back there: the proof stays. */
  function hasAsked({ tapped }: Pick<Phone, 'tapped'>, { id }: Row): boolean {
    return (
      eventsOf(id).some((event) => tapped.some((tap) => tap.id === tapIdOf(event))) ||
      requests.some((other) => other.mergedInto === id && hasAsked({ tapped }, other))
    )
  }

  function isSeatOf({ event, phone, tableNumber }: Ask): boolean {
    const { at } = event
    const visit = visitAt(phone, tableNumber, at) ?? { tableNumber, startedAt: 0 }
    const later = phone.visits.filter(({ startedAt }) => startedAt > at)
    const corrections = phone.visits
      .slice(phone.visits.indexOf(visit) + 1)
      .filter((each) => each.isCorrection)
    // The undo of a move leaves behind what was asked for at the other table before its guest began another visit.
    const mayStay = ({ undoneAt }: Move) => undoneAt === null || (undoneAt >= at && later.length > 0)
    return [visit, ...corrections].some(
      (each) =>
        followMoves(moves, each) === row.tableKey || followMoves(moves, each, mayStay) === row.tableKey,
    )
  }
}

/** What an undone move had joined, and is still joined although both parties wait for it. */
function findStillJoined(
  { requests, eventsOf, moves }: Evidence,
  { id, undoneAt, requests: moved }: Move,
): Breach[] {
  if (undoneAt === null) return []
  const entries: { id: string; into: string | null; tableKey: string }[] = JSON.parse(moved)
  return entries.flatMap((entry) => {
    const given = requests.find((row) => row.id === entry.id)
    const kept = requests.find((row) => row.id === entry.into)
    if (!given || !kept || given.mergedInto !== kept.id || kept.closedAt !== null) return []
    // Another move may have joined them again.
    if ((given.closedAt ?? Infinity) >= undoneAt) return []
    const events = eventsOf(kept.id)
    const takenBack = new Set(events.flatMap((event) => (event.kind === 'taken_back' ? event.id : [])))
    const asks = eventsOf(given.id)
      .map((event) => `moved:${id}:${event.id}`)
      .filter((ask) => events.some((event) => event.id === ask) && !takenBack.has(`back:${ask}`))
    // Where only one party still waited for it, it goes on with that one, who may have asked again since.
    const others = events.filter(
      (event) =>
        (event.kind === 'created' || event.kind === 'asked') &&
        event.at <= undoneAt &&
        !asks.includes(event.id) &&
        !takenBack.has(`back:${event.id}`),
    )
    // The party's part may have joined what its table has asked for since: the other table's then goes on.
    const place = { tableNumber: entry.tableKey, startedAt: undoneAt }
    if (asks.length === 0 || others.length === 0 || followMoves(moves, place) === kept.tableKey) return []
    return [
      {
        about: given.id,
        problem: `request ${given.id} is still joined with ${kept.id} after move ${id} was undone`,
      },
    ]
  })
}
