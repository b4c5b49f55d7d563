import { eventColumns } from '#contract/analytics.ts'
import type { Assignment, RequestWithEvents, Span } from '../../storage/analytics.ts'
import type { ListeningChange } from '../../storage/listening.ts'
import { formatLocalTime } from '../dates.ts'
import { escapeCell } from '../csv.ts'

/**
 * - `range`: `from` and `until`, the instants between which listening is measured.
 * - `event`: what happened to a request. Its request belongs to the `day` of its `created`.
 * - `assignment`: who worked a table on a `day`.
 * - `listening`: from when on a staff screen listened, or none did; the first says how it was at `from`.
 */
type RecordKind = 'range' | 'event' | 'assignment' | 'listening'

type Line = Partial<Record<(typeof eventColumns)[number], string>> & { record: RecordKind; kind: string }

/** Milliseconds ahead of UTC. */
type OffsetAt = (at: number) => number

/** Spreadsheets take a text for UTF-8 only when it says so. */
const byteOrderMark = '\uFEFF'

export const csvHeader = (): string => `${byteOrderMark}${eventColumns.join(',')}\r\n`

export function rangeLines(clock: OffsetAt, measured: Span, before: ListeningChange | undefined): string {
  return toCsv([
    { record: 'range', kind: 'from', ...instantColumns(clock, measured.from) },
    { record: 'range', kind: 'until', ...instantColumns(clock, measured.to) },
    listeningLine(clock, { at: measured.from, listening: before?.listening ?? 0 }),
  ])
}

export const listeningLines = (clock: OffsetAt, changes: ListeningChange[]): string =>
  toCsv(changes.map((change) => listeningLine(clock, change)))

const listeningLine = (clock: OffsetAt, { at, listening }: ListeningChange): Line => ({
  record: 'listening',
  kind: listening === 0 ? 'not_listening' : 'listening',
  ...instantColumns(clock, at),
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

/** `whose`: a crew member who reads it learns no colleague's name; null for the management. */
export function eventLines(clock: OffsetAt, requests: RequestWithEvents[], scope: string | null): string {
  return toCsv(
    requests.flatMap(({ id, table, type, events }) =>
      events.map(({ kind, at, actorKind, actorId, actorName }): Line => {
        const named = actorKind === 'crew' && (scope === null || actorId === scope)
        return {
          record: 'event',
          kind,
          request_id: id,
          table,
          service_type: type,
          ...instantColumns(clock, at),
          actor_kind: actorKind,
          ...(named && { actor_id: actorId ?? '', actor_name: actorName ?? '' }),
        }
      }),
    ),
  )
}

function instantColumns(clock: OffsetAt, at: number): Pick<Line, 'at_utc' | 'at_local' | 'day'> {
  const local = formatLocalTime(at, clock(at))
  return { at_utc: new Date(at).toISOString(), at_local: local, day: local.slice(0, 10) }
}

const toCsv = (lines: Line[]): string =>
  lines
    .map((line) => `${eventColumns.map((column) => escapeCell(line[column] ?? '')).join(',')}\r\n`)
    .join('')
