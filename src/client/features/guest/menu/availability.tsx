import type { JSX } from 'react'
import type { Availability } from '#contract/requests/requests.ts'
import { type Unavailable, unavailableParts, unavailableText } from '../language.ts'

/** Whether a new request for it would be refused. */
export const isUnavailable = (
  { closedUntil = 0, pauses = [] }: Availability,
  type: string,
  now: number,
): boolean =>
  [{ serviceType: type, until: closedUntil }, ...pauses].some(
    ({ serviceType, until }) => serviceType === type && until > now,
  )

/** What cannot be asked for right now. */
const findUnavailable = (
  { closedUntil = 0, pauses = [], timeZone }: Availability,
  now: number,
): Unavailable[] =>
  (closedUntil > now ? [{ until: closedUntil }] : pauses.filter(({ until }) => until > now)).map((each) => ({
    ...each,
    timeZone,
  }))

export const unavailableTexts = (table: Availability, now: number): string[] =>
  findUnavailable(table, now).map((each) => unavailableText(each, now))

export const AvailabilityNotice = ({ table, now }: { table: Availability; now: number }): JSX.Element[] =>
  findUnavailable(table, now).map((each) => {
    const { parts, own } = unavailableParts(each, now)
    return (
      <p key={each.serviceType ?? ''} className="lead">
        {parts.join(' ') + (own ? ' ' : '')}
        {own && <bdi lang={own.lang}>{own.text}</bdi>}
      </p>
    )
  })
