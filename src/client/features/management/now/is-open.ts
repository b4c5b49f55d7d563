import type { RestaurantOpening } from '#contract/guests/opening.ts'
import { knownZone } from '../../../lib/time/known-zone.ts'

/** Whether the restaurant's clock is within its opening hours; without any it is always open. */
export function isOpenAt({ hours, timeZone }: RestaurantOpening, now: number): boolean {
  if (hours === null) return true
  const { weekday, time } = clockAt(now, knownZone(timeZone))
  const today = hours[weekday] ?? []
  const yesterday = hours[(weekday + 6) % 7] ?? []
  return (
    today.some(({ from, to }) => from <= time && (time < to || to <= from)) ||
    yesterday.some(({ from, to }) => to <= from && time < to)
  )
}

/** The weekday as in `OpeningHours`, and the time as '09:30'. */
function clockAt(now: number, timeZone: string | undefined): { weekday: number; time: string } {
  // In Sweden they write 2027-03-02 11:30.
  const [day = '', time = ''] = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
    .format(now)
    .split(' ')
  return { weekday: (new Date(day).getUTCDay() + 6) % 7, time }
}
