import { eventColumns } from '#contract/analytics.ts'
import type { Assignment, EventfulRequest, ListeningChange, Span } from '../storage/analytics.ts'
import { toLocalTime } from './calendar.ts'
import { cell } from './csv.ts'

/**
 * - `range`: `from` and `until`, the instants between which listening is measured.
 * - `event`: what happened to a request. Its request belongs to the `day` of its `created`.
 * - `assignment`: who worked a table on a `day`.
 * - `listening`: from when on a staff screen listened, or none did; the first says how it was at `from`.
 */
type RecordKind = 'range' | 'event' | 'assignment' | 'listening'

type Line = Partial<Record<(typeof eventColumns)[number], string>> & { record: RecordKind; kind: string }

/** Milliseconds ahead of UTC. */
type Clock = (at: number) => number

/** Spreadsheets take a text for UTF-8 only when it says so. */
const byteOrderMark = '\uFEFF'

export const head = (): string => `${byteOrderMark}${eventColumns.join(',')}\r\n`

export function rangeLines(clock: Clock, measured: Span, before: ListeningChange | undefined): string {
  return toText([
    { record: 'range', kind: 'from', ...instant(clock, measured.from) },
    { record: 'range', kind: 'until', ...instant(clock, measured.to) },
    listeningLine(clock, { at: measured.from, listening: before?.listening ?? 0 }),
  ])
}

export const listeningLines = (clock: Clock, changes: ListeningChange[]): string =>
  toText(changes.map((change) => listeningLine(clock, change)))

const listeningLine = (clock: Clock, { at, listening }: ListeningChange): Line => ({
  record: 'listening',
  kind: listening === 0 ? 'not_listening' : 'listening',
  ...instant(clock, at),
})

export const assignmentLines = (assignments: Assignment[]): string =>
  toText(
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
export function eventLines(clock: Clock, requests: EventfulRequest[], whose: string | null): string {
  return toText(
    requests.flatMap(({ id, table, type, events }) =>
      events.map(({ kind, at, actorKind, actorId, actorName }): Line => {
        const named = actorKind === 'crew' && (whose === null || actorId === whose)
        return {
          record: 'event',
          kind,
          request_id: id,
          table,
          service_type: type,
          ...instant(clock, at),
          actor_kind: actorKind,
          ...(named && { actor_id: actorId ?? '', actor_name: actorName ?? '' }),
        }
      }),
    ),
  )
}

function instant(clock: Clock, at: number): Pick<Line, 'at_utc' | 'at_local' | 'day'> {
  const local = toLocalTime(at, clock(at))
  return { at_utc: new Date(at).toISOString(), at_local: local, day: local.slice(0, 10) }
}

const toText = (lines: Line[]): string =>
  lines.map((line) => `${eventColumns.map((column) => cell(line[column] ?? '')).join(',')}\r\n`).join('')
