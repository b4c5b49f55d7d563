import { knownZone } from '../../../lib/time/known-zone.ts'

/** The day, its weekday as in `OpeningHours`, and the time as '09:30'. */
export function clockAt(now: number, timeZone: string): { day: string; weekday: number; time: string } {
  // In Sweden they write 2027-03-02 11:30.
  const [day = '', time = ''] = new Intl.DateTimeFormat('sv', {
    timeZone: knownZone(timeZone),
    dateStyle: 'short',
    timeStyle: 'short',
  })
    .format(now)
    .split(' ')
  return { day, weekday: (new Date(day).getUTCDay() + 6) % 7, time }
}
