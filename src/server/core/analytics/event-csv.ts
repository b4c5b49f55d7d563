import { eventColumns } from '#contract/analytics.ts'
import { ownText } from '#contract/texts/languages.ts'
import type { Assignment, RequestWithEvents, Span } from '../../storage/analytics/analytics.ts'
import type { ListeningChange } from '../../storage/analytics/listening.ts'
import { isOwnNeedKey, parseNeed, serviceTypeOf } from '../../storage/requests/asked-need.ts'
import { csvHeader, csvLine } from '../csv.ts'
import { formatLocalTime } from '../dates.ts'
import type { Scope } from './request-facts.ts'

/**
 * - `range`: `from` and `until`, the instants between which listening is measured. Where what is older was removed, requests
 *   that were still open have events before it.
 * - `event`: something that happened to a request. A request belongs to the `day` of its `created` event.
 * - `assignment`: who worked a table on a `day`.
 * - `listening`: when a staff screen started or the last one stopped listening; the first record is the state at `from`.
 */
type RecordKind = 'range' | 'event' | 'assignment' | 'listening'

type CsvRecord = Partial<Record<(typeof eventColumns)[number], string>> & { record: RecordKind; kind: string }

/** Milliseconds ahead of UTC. */
type OffsetAt = (at: number) => number

export const eventsHeader = (): string => csvHeader(eventColumns)

export function rangeLines(offsetAt: OffsetAt, measured: Span, before: ListeningChange | undefined): string {
  return toCsv([
    { record: 'range', kind: 'from', ...instantColumns(offsetAt, measured.from) },
    { record: 'range', kind: 'until', ...instantColumns(offsetAt, measured.to) },
    listeningLine(offsetAt, { at: measured.from, listening: before?.listening ?? 0 }),
  ])
}

export const listeningLines = (offsetAt: OffsetAt, changes: ListeningChange[]): string =>
  toCsv(changes.map((change) => listeningLine(offsetAt, change)))

const listeningLine = (offsetAt: OffsetAt, { at, listening }: ListeningChange): CsvRecord => ({
  record: 'listening',
  kind: listening === 0 ? 'not_listening' : 'listening',
  ...instantColumns(offsetAt, at),
})

export const assignmentLines = (assignments: Assignment[]): string =>
  toCsv(
    assignments.map(({ date, table, crewMemberId, name }) => ({
      record: 'assignment',
      kind: 'assigned',
      table,
      day: date,
      actor_kind: 'crew',
      actor_id: crewMemberId,
      actor_name: name,
    })),
  )

/** A crew member who downloads their own events learns no colleague's name. */
export function eventLines(offsetAt: OffsetAt, requests: RequestWithEvents[], scope: Scope): string {
  return toCsv(
    requests.flatMap(({ id, table, type, need, events }) =>
      events.map(({ kind, at, actorKind, actorId, actorName }): CsvRecord => {
        const isNamed = actorKind === 'crew' && (scope === null || actorId === scope)
        return {
          record: 'event',
          kind,
          request_id: id,
          table,
          service_type: needName({ type, need }),
          ...instantColumns(offsetAt, at),
          actor_kind: actorKind,
          ...(isNamed && { actor_id: actorId ?? '', actor_name: actorName ?? '' }),
        }
      }),
    ),
  )
}

/** One of the six, or what the restaurant calls its own. */
function needName({ type, need }: Pick<RequestWithEvents, 'type' | 'need'>): string {
  const own = isOwnNeedKey(type) ? parseNeed({ need }) : null
  return own ? ownText(own.name) : serviceTypeOf(type)
}

function instantColumns(offsetAt: OffsetAt, at: number): Pick<CsvRecord, 'at_utc' | 'at_local' | 'day'> {
  const local = formatLocalTime(at, offsetAt(at))
  return { at_utc: new Date(at).toISOString(), at_local: local, day: local.slice(0, 10) }
}

const toCsv = (records: CsvRecord[]): string =>
  records.map((record) => csvLine(eventColumns.map((column) => record[column] ?? ''))).join('')
