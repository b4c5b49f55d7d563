import type { JSX } from 'react'
import type { Availability } from '#contract/requests/requests.ts'
import { unavailableText } from '../language.ts'

/** Whether a new request for it would be refused. */
export const isUnavailable = (
  { closedUntil = 0, pauses = [] }: Availability,
  type: string,
  now: number,
): boolean =>
  [{ serviceType: type, until: closedUntil }, ...pauses].some(
    ({ serviceType, until }) => serviceType === type && until > now,
  )

/** What cannot be asked for right now, and until when. */
export const unavailableTexts = (
  { closedUntil = 0, pauses = [], timeZone }: Availability,
  now: number,
): string[] =>
  (closedUntil > now ? [{ until: closedUntil }] : pauses.filter(({ until }) => until > now)).map((each) =>
    unavailableText({ ...each, timeZone }, now),
  )

export const AvailabilityNotice = ({ table, now }: { table: Availability; now: number }): JSX.Element[] =>
  unavailableTexts(table, now).map((text) => (
    <p key={text} className="lead">
      {text}
    </p>
  ))
