import { dayMs, minuteMs } from '#contract/durations.ts'
import { mapServiceTypes, type Pause } from '#contract/requests/requests.ts'

/** What the owner makes of the hours: none, or that the restaurant is closed now, still closed, or soon closed. */
export type HoursKind = 'always' | 'from-evening' | 'from-next-minute' | 'until-next-minute'
export type PausableNeed = Pause['serviceType']

/** The same on each day, and none before midnight goes on after it. Null: always open. */
type Hours = { from: string; to: string } | null

/** `sentAt`: not made before; `knownAt`: made by then, null while nobody has heard of it. */
type Change<T> = { value: T; sentAt: number; knownAt: number | null }

/** Something that is changed again and again. */
export class Setting<T> {
  readonly #changes: Change<T>[]

  constructor(value: T) {
    this.#changes = [{ value, sentAt: Number.NEGATIVE_INFINITY, knownAt: Number.NEGATIVE_INFINITY }]
  }

  begin(value: T, now: number): Change<T> {
    const change: Change<T> = { value, sentAt: now, knownAt: null }
    this.#changes.push(change)
    return change
  }

  set(value: T, now: number): void {
    this.begin(value, now).knownAt = now
  }

  /** Everything that it may have been between these moments: what happens in one millisecond has no order. */
  between(from: number, until: number): readonly Change<T>[] {
    const known = this.#changes.findLastIndex(({ knownAt }) => knownAt !== null && knownAt < from)
    return this.#changes.slice(Math.max(0, known)).filter(({ sentAt }) => sentAt <= until)
  }
}

/** What guests may ask for where the owner closes, pauses and pays, and the crew mutes tables. */
export class GuestAvailability {
  readonly hours = new Setting<Hours>(null)
  /** Until when. */
  readonly pauses = mapServiceTypes(() => new Setting(0))
  readonly plan = new Setting(false)
  /** What the owner tried that needs a plan, and the status of the answer. Checked once. */
  readonly paidCalls: { at: number; status: number }[] = []
  /** The taps whose events have been checked. */
  readonly checked = new Set<string>()
  #mutes = new Map<string, Setting<number>>()

  /** Until when guests at this table cannot ask. */
  muteOf(tableNumber: string): Setting<number> {
    const known = this.#mutes.get(tableNumber) ?? new Setting(0)
    this.#mutes.set(tableNumber, known)
    return known
  }
}

const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 16)

export function isClosed(hours: Hours, at: number): boolean {
  const time = timeOfDay(at)
  return hours !== null && (time < hours.from || time >= hours.to)
}

/** Null while it is open. */
export function opensAt(hours: Hours, at: number): number | null {
  if (hours === null || !isClosed(hours, at)) return null
  const today = Date.parse(`${new Date(at).toISOString().slice(0, 10)}T${hours.from}Z`)
  return today > at ? today : today + dayMs
}

export function hoursOf(kind: HoursKind, now: number): Hours {
  const nextMinute = timeOfDay(now + minuteMs)
  switch (kind) {
    case 'always':
      return null
    case 'from-evening':
      return { from: '20:00', to: '23:00' }
    case 'from-next-minute':
      return { from: nextMinute, to: '23:59' }
    case 'until-next-minute':
      return { from: '00:00', to: nextMinute }
  }
}
