import type { JSX } from 'react'
import type { Availability, Barrier } from '#contract/requests/requests.ts'
import { explainUnavailable, inOneText } from '../language.ts'

type Asking = Availability & { barrier: Barrier | null }

/** Whether a new request for it would be refused. */
export const isUnavailable = (
  { closedUntil = 0, pauses = [] }: Availability,
  type: string,
  now: number,
): boolean =>
  [{ serviceType: type, until: closedUntil }, ...pauses].some(
    ({ serviceType, until }) => serviceType === type && until > now,
  )

/** What cannot be asked for right now, until when, and why. Where nothing can be, single needs do not matter. */
const explainAll = ({ barrier, closedUntil = 0, pauses = [], timeZone }: Asking, now: number) =>
  (closedUntil > now
    ? [{ until: closedUntil }]
    : pauses.filter(({ until }) => until > now && barrier === null)
  ).map((each) => explainUnavailable({ ...each, timeZone }, now))

export const unavailableTexts = (table: Asking, now: number): string[] =>
  explainAll(table, now).map(inOneText)

export const AvailabilityNotice = ({ table, now }: { table: Asking; now: number }): JSX.Element[] =>
  explainAll(table, now).map(({ said, own }) => (
    <p key={said} className="lead">
      {own ? `${said} ` : said}
      {own && <bdi lang={own.lang}>{own.text}</bdi>}
    </p>
  ))
