import { serviceTypeLabels, serviceTypes } from '#contract/requests/requests.ts'
import type { Evidence } from '../checkers/evidence.ts'

/** `service`: what guests and crew did; `late`: more people are called; `break`: by hand; `breach`: of a promise. */
export type Tone = 'service' | 'late' | 'break' | 'breach'
export type Entry = { id: number; at: number; tone: Tone; text: string; story: readonly string[] }

const kept = 300

type Event = Evidence['events'][number]
type Row = Evidence['requests'][number]

const labelOf = ({ serviceType }: Row): string =>
  serviceTypeLabels[serviceTypes.find((type) => type === serviceType) ?? 'general']

/** What has happened, in words, latest last. */
export class Log {
  entries: Entry[] = []
  #told = new Set<string>()
  #pushes = 0
  #count = 0
  #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  add(tone: Tone, text: string, story: readonly string[] = [], at = this.#now()): void {
    this.entries = [...this.entries, { id: ++this.#count, at, tone, text, story }].slice(-kept)
  }

  /** The events since it was told the last time. */
  tell({ events, requests, restaurant: { manager } }: Evidence): void {
    const rows = new Map(requests.map((row) => [row.id, row]))
    for (const event of events) {
      if (this.#told.has(event.id)) continue
      this.#told.add(event.id)
      const row = rows.get(event.requestId)
      const text = row && describe(event, row)
      if (row && text) this.add(event.kind === 'escalated' ? 'late' : 'service', text, [], event.at)
    }
    const received = manager?.received ?? []
    for (const { at, payload } of received.slice(this.#pushes))
      if (payload.tableside.urgent && !payload.tableside.withdraw)
        this.add('late', `The manager’s phone: ${payload.notification.title}`, [], at)
    this.#pushes = received.length
  }
}

function describe({ kind, actorName, at }: Event, row: Row): string | null {
  const who = actorName?.split(' ')[0] ?? 'Crew'
  const table = `table ${row.tableNumber}`
  const what = labelOf(row)
  switch (kind) {
    case 'created':
      return `Table ${row.tableNumber} asks: ${what}`
    case 'asked':
      return `Table ${row.tableNumber} asks again: ${what}`
    case 'accepted':
      return `${who} is on the way to ${table}: ${what}`
    case 'released':
      return `${who} cannot go to ${table}: ${what}`
    case 'escalated':
      return `Table ${row.tableNumber} has waited ${Math.round((at - row.createdAt) / 1_000)} s: more people are called`
    case 'still_waiting':
      return `Table ${row.tableNumber} says that it is still waiting: ${what}`
    case 'completed':
      return `${who} has served ${table}: ${what}`
    case 'reopened':
      return `${who} has undone it at ${table}: ${what}`
    case 'cancelled':
      return `Table ${row.tableNumber} takes it back: ${what}`
    default:
      return null
  }
}
