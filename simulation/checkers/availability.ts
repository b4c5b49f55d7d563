import { serviceTypes } from '#contract/requests/requests.ts'
import { isClosed, opensAt, type Setting } from '../availability.ts'
import type { Phone, Refusal } from '../phone.ts'
import { seatAt, seatOf } from '../seats.ts'
import { type Breach, type Checker, type Evidence, foundMs } from './evidence.ts'
import { isRepeated } from './parties.ts'

/** The scheduler looks each second for tables whose mute has ended, and a started server once it has caught up. */
const noticedMs = 3_000

/**
 * While the restaurant is closed, the need paused or the table muted, a tap is refused, and otherwise never; what the
 * table waits for already may be asked for again unless the table is muted. Phones and screens say so before anybody taps.
 */
export const availability: Checker = (evidence) => {
  const { restaurant, mayBeBehind } = evidence
  return [
    ...restaurant.phones.flatMap((phone) =>
      phone.refused
        .splice(0)
        .filter((refusal) => isStored(evidence, refusal) || !isDue(evidence, phone, refusal))
        .map(({ id, code }) => ({ about: id, problem: `${id} was refused without a reason: ${code}` })),
    ),
    ...findTaken(evidence),
    ...(mayBeBehind ? [] : [...comparePages(evidence), ...compareScreens(evidence)]),
  ]
}

const lasts = (setting: Setting<number>, from: number, until: number): boolean =>
  setting.between(from, until).some(({ value }) => value > from)

/** What has been taken is answered so, whenever it is sent again. */
const isStored = ({ events }: Evidence, { id, sentAt }: Refusal): boolean =>
  events.some((event) => event.id === id && event.at < sentAt)

function isDue({ restaurant, moves, ...rows }: Evidence, phone: Phone, refusal: Refusal): boolean {
  const { availability } = restaurant
  const { code, tableNumber, serviceType, sentAt, answeredAt } = refusal
  if (!availability) return false
  const isMuted = (table: string) => lasts(availability.muteOf(table), sentAt, answeredAt)
  // Whoever corrects their table is at the one that they name.
  if (serviceType === null) return code === 'table_muted' && isMuted(tableNumber)
  if (code === 'table_muted')
    return [sentAt, answeredAt].some((at) => isMuted(seatAt(moves, phone, tableNumber, at)))
  // Where parties move, who sits where may have changed in the same millisecond.
  const isWaitedFor =
    restaurant.moves === null &&
    rows.requests.some(
      (row) =>
        row.closedAt === null &&
        row.tableNumber === tableNumber &&
        row.serviceType === serviceType &&
        rows.eventsOf(row.id).every(({ at }) => at < sentAt),
    )
  if (isWaitedFor) return false
  if (code === 'closed')
    return availability.hours
      .between(sentAt, answeredAt)
      .some(({ value }) => isClosed(value, sentAt) || isClosed(value, answeredAt))
  return lasts(availability.pauses[serviceType], sentAt, answeredAt)
}

/** What was stored although it should have been refused. */
function findTaken({ restaurant: { availability, phones }, events, moves }: Evidence): Breach[] {
  if (!availability) return []
  const { checked, hours, pauses } = availability
  return events.flatMap(({ id, kind, at }) => {
    if ((kind !== 'created' && kind !== 'asked') || checked.has(id)) return []
    checked.add(id)
    if (isRepeated(id)) return []
    const phone = phones.find(({ tapped }) => tapped.some((tap) => tap.id === id))
    const tap = phone?.tapped.find((each) => each.id === id)
    if (!phone || !tap) return []
    const isSet = (setting: Setting<number>) => setting.between(at, at).every(({ value }) => value > at)
    const reasons = [
      isSet(availability.muteOf(seatAt(moves, phone, tap.tableNumber, at))) && 'its table is muted',
      kind === 'created' &&
        hours.between(at, at).every(({ value }) => isClosed(value, at)) &&
        'the restaurant is closed',
      kind === 'created' && isSet(pauses[tap.serviceType]) && 'it is paused',
    ]
    return reasons.flatMap((reason) =>
      reason === false ? [] : [{ about: id, problem: `tap ${id} was taken although ${reason}` }],
    )
  })
}

/**
 * The restaurant closes and opens by its hours without telling any page: it says what it was told last. What another node
 * could not tell it says once the nodes hear each other again.
 */
function comparePages({ restaurant, moves, now }: Evidence): Breach[] {
  const { availability, phones, world } = restaurant
  if (!availability) return []
  return phones.flatMap((phone, index) => {
    if (!phone.isWhole || phone.isFrozen) return []
    const about = `phone ${index}`
    const breach = (problem: string): Breach[] => [{ about, problem: `${about} ${problem}` }]
    const { closedUntil = 0, pauses = [], barrier } = phone.shown
    const isTold = now - world.server.troubledAt >= foundMs
    const later = (until: number) => (until > now ? until : 0)
    const expected = availability.hours
      .between(now, now)
      .map(({ value, sentAt }) => later(opensAt(value, Math.max(sentAt, phone.heardAt)) ?? 0))
    if (isTold && !expected.includes(later(closedUntil)))
      return breach(`says closed until ${closedUntil}, not ${expected.join(' or ')}`)
    for (const need of serviceTypes) {
      const shown = later(pauses.find(({ serviceType }) => serviceType === need)?.until ?? 0)
      const set = availability.pauses[need].between(now, now).map(({ value }) => later(value))
      if (isTold && !set.includes(shown))
        return breach(`says ${need} is paused until ${shown}, not ${set.join(' or ')}`)
    }
    const seat = seatOf(moves, phone)
    if (phone.seat !== seat) return []
    const mutes = availability.muteOf(seat).between(now, now)
    const isMuted = barrier === 'table_muted'
    const mayBe = mutes.some(({ value }) =>
      isMuted ? Math.max(value, value > 0 ? world.server.startedAt : 0) + noticedMs > now : value <= now,
    )
    return mayBe ? [] : breach(`says that its table is ${isMuted ? '' : 'not '}muted`)
  })
}

/** Every whole screen of the crew knows which tables are muted. */
function compareScreens({ restaurant, now }: Evidence): Breach[] {
  const { availability, tablets, tableIds } = restaurant
  if (!availability) return []
  return tablets.flatMap((tablet, index) => {
    if (!tablet.isWhole || tablet.isFrozen) return []
    const about = `tablet ${index}`
    return tableIds.flatMap((_, at) => {
      const tableNumber = `${at + 1}`
      const shown = tablet.muted.find((table) => table.tableNumber === tableNumber)
      const isMuted = shown !== undefined && (shown.until ?? Infinity) > now
      const mutes = availability.muteOf(tableNumber).between(now, now)
      if (mutes.some(({ value }) => value > now === isMuted)) return []
      return [{ about, problem: `${about} says that table ${tableNumber} is ${isMuted ? '' : 'not '}muted` }]
    })
  })
}
