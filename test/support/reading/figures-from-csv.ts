import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { ServiceType } from '#contract/requests/requests.ts'

/**
 * Computes the analytics from the downloaded events alone: `node test/support/reading/figures-from-csv.ts
 * events.csv [events-of-the-period-before.csv]`. It deliberately shares no code with the server.
 */
type Row = Record<string, string>

/** RFC 4180, without the apostrophes that keep spreadsheets from evaluating a cell. */
export function parseCsv(csv: string): Row[] {
  const records: string[][] = [[]]
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy
  for (;;) {
    const match = pattern.exec(csv)
    if (!match || (match[0] === '' && pattern.lastIndex === 0)) break
    const text = match[1]?.replaceAll('""', '"') ?? match[2] ?? ''
    records.at(-1)?.push(text.replaceAll(/(^|[;\t\r\n])'/g, '$1'))
    if (match[3] === '\r\n') records.push([])
    if (pattern.lastIndex >= csv.length) break
  }
  const [header = [], ...rest] = records.filter((record) => record.length > 1)
  return rest.map((record) => Object.fromEntries(header.map((name, at) => [name, record[at] ?? ''])))
}

const targets: Record<string, number> = {
  general: 60_000,
  drinks: 90_000,
  food: 90_000,
  check: 45_000,
  assistance: 30_000,
  other: 90_000,
} satisfies Record<ServiceType, number>

type Request = {
  day: string
  hour: number
  table: string
  type: string
  created: number
  asks: number
  seen: number | null
  accepted: number | null
  closed: number | null
  completed: boolean
  escalated: boolean
  stillWaiting: boolean
  crewMember: string | undefined
}

function requestsOf(rows: Row[]): Request[] {
  const crewOf = new Map<string, string>()
  for (const row of rows) {
    if (row['record'] === 'assignment')
      crewOf.set(`${row['day']} ${toLower(row['table'])}`, row['actor_id'] ?? '')
  }
  const requests = new Map<string, Request>()
  for (const row of rows) {
    if (row['record'] !== 'event') continue
    const id = row['request_id'] ?? ''
    const at = Date.parse(row['at_utc'] ?? '')
    if (row['kind'] === 'created') {
      const day = row['day'] ?? ''
      requests.set(id, {
        day,
        hour: Number(row['at_local']?.slice(11, 13)),
        table: row['table'] ?? '',
        type: row['service_type'] ?? '',
        created: at,
        asks: 1,
        seen: null,
        accepted: null,
        closed: null,
        completed: false,
        escalated: false,
        stillWaiting: false,
        crewMember: crewOf.get(`${day} ${toLower(row['table'])}`),
      })
    }
    const request = requests.get(id)
    if (!request) throw new Error(`${id}: ${row['kind']} before it was created`)
    if (row['kind'] === 'asked') request.asks++
    if (row['kind'] === 'taken_back') request.asks--
    if (row['kind'] === 'seen') request.seen ??= at
    if (row['kind'] === 'accepted') request.accepted ??= at
    // The system releases acceptances that have expired.
    if (row['kind'] === 'released' && row['actor_kind'] !== 'system') request.accepted = null
    if (row['kind'] === 'completed' || row['kind'] === 'cancelled') request.closed = at
    if (row['kind'] === 'completed') request.completed = true
    if (row['kind'] === 'reopened') [request.closed, request.completed] = [null, false]
    if (row['kind'] === 'escalated') request.escalated = true
    if (row['kind'] === 'still_waiting') request.stillWaiting = true
  }
  return [...requests.values()]
}

const toLower = (text = ''): string => text.toLowerCase()

const answeredAt = (request: Request): number | null =>
  request.accepted ?? (request.completed ? request.closed : null)

const responseMs = (request: Request): number | null => {
  const at = answeredAt(request)
  return at === null ? null : at - request.created
}

const withoutNulls = (values: (number | null)[]): number[] => values.filter((value) => value !== null)

function spread(values: (number | null)[]) {
  const sorted = withoutNulls(values).toSorted((a, b) => a - b)
  if (sorted.length === 0) return null
  const rank = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1]
  return {
    count: sorted.length,
    medianMs: rank(50),
    p90Ms: rank(90),
    p99Ms: rank(99),
    meanMs: Math.round(sorted.reduce((sum, value) => sum + value, 0) / sorted.length),
  }
}

function withinTarget(requests: Request[], now: number) {
  const decided = requests.filter((request) => {
    const open = (request.closed ?? now) - request.created
    return responseMs(request) !== null || open > (targets[request.type] ?? 0)
  })
  const within = requests.filter(
    (request) => (responseMs(request) ?? Infinity) <= (targets[request.type] ?? 0),
  )
  return { within: within.length, of: decided.length }
}

const countRepeats = (requests: Request[]): number => requests.reduce((sum, { asks }) => sum + asks - 1, 0)

export function totals(requests: Request[], now: number) {
  const from = (at: (request: Request) => number | null) =>
    spread(
      requests.map((request) => {
        const then = at(request)
        return then === null ? null : then - request.created
      }),
    )
  return {
    requests: requests.length,
    times: {
      response: from(answeredAt),
      unseen: from(({ seen }) => seen),
      accepted: from(({ accepted }) => accepted),
      completed: from(({ completed, closed }) => (completed ? closed : null)),
    },
    withinTarget: withinTarget(requests, now),
    repeatedAsks: countRepeats(requests),
    askedAgain: requests.filter(({ asks }) => asks > 1).length,
    cancelled: requests.filter(({ closed, completed }) => closed !== null && !completed).length,
    escalated: requests.filter(({ escalated }) => escalated).length,
    stillWaiting: requests.filter(({ stillWaiting }) => stillWaiting).length,
  }
}

const group = (requests: Request[]) => ({
  requests: requests.length,
  response: spread(requests.map(responseMs)),
})

function tables(requests: Request[], now: number) {
  const names = Map.groupBy(requests, ({ table }) => toLower(table))
  return [...names.values()]
    .map((ofTable) => ({
      tableNumber: ofTable.at(-1)?.table,
      ...group(ofTable),
      repeatedAsks: countRepeats(ofTable),
      withinTarget: withinTarget(ofTable, now),
    }))
    .toSorted((a, b) => (a.tableNumber ?? '').localeCompare(b.tableNumber ?? '', 'en', { numeric: true }))
}

/** How many requests of its section were open when this one came, including itself. */
function load(request: Request, all: Request[]): number {
  return all.filter(
    (other) =>
      other.crewMember === request.crewMember &&
      other.day === request.day &&
      (other.created < request.created || all.indexOf(other) <= all.indexOf(request)) &&
      (other === request || (other.closed ?? Infinity) > request.created),
  ).length
}

function sections(requests: Request[], rows: Row[], compare: boolean) {
  const assigned = requests.filter(({ crewMember }) => crewMember !== undefined)
  const loads = new Map(assigned.map((request) => [request, load(request, assigned)]))
  const withLoad = (want: number) =>
    assigned.filter((request) => Math.min(4, loads.get(request) ?? 0) === want)
  const byLoad = [1, 2, 3, 4].map((want) => ({ load: want, ...group(withLoad(want)) }))
  const shifts = Map.groupBy(
    rows.filter(({ record }) => record === 'assignment'),
    ({ actor_id: id }) => id,
  )
  return {
    sections: [...shifts]
      .map(([id, ofMember]) => {
        const own = assigned.filter(({ crewMember }) => crewMember === id)
        const differences = own
          .filter((request) => responseMs(request) !== null)
          .map((request) => {
            const usual = byLoad[Math.min(4, loads.get(request) ?? 0) - 1]?.response?.medianMs ?? 0
            return (responseMs(request) ?? 0) - usual
          })
        return {
          crewMember: { id, name: ofMember[0]?.['actor_name'] },
          tableDays: ofMember.length,
          requests: own.length,
          busiest: Math.max(0, ...own.map((request) => loads.get(request) ?? 0)),
          adjustedMs: compare && differences.length >= 5 ? spread(differences)?.medianMs : null,
        }
      })
      .toSorted((a, b) => (a.crewMember.name ?? '').localeCompare(b.crewMember.name ?? '', 'en')),
    unassigned: requests.length - assigned.length,
    byLoad: compare ? byLoad : [],
  }
}

/** Monday is 0. */
const weekdayOf = (day: string): number => (new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7

const byWeekHour = (requests: Request[]) =>
  [0, 1, 2, 3, 4, 5, 6].flatMap((weekday) =>
    Array.from({ length: 24 }, (_, hour) => {
      const then = requests.filter((request) => request.hour === hour && weekdayOf(request.day) === weekday)
      return { weekday, hour, ...group(then) }
    }).filter(({ requests }) => requests > 0),
  )

/** The share of all sequences of that many coins that have at least that many heads, by Pascal's triangle. */
function shareWithHeads(heads: number, coins: number): number {
  let row = [1]
  for (let coin = 0; coin < coins; coin++)
    row = [...row, 0].map((ways, at) => (ways + (row[at - 1] ?? 0)) / 2)
  return row.slice(heads).reduce((sum, share) => sum + share, 0)
}

/** When guests wait longest, by the rule that the contract describes. */
function pace(requests: Request[]) {
  const usual = spread(requests.map(responseMs))
  const pairs = [0, 1, 2, 3, 4, 5, 6].flatMap((weekday) =>
    Array.from({ length: 23 }, (_, fromHour) => {
      const answered = requests.filter(
        (request) =>
          weekdayOf(request.day) === weekday &&
          (request.hour === fromHour || request.hour === fromHour + 1) &&
          responseMs(request) !== null,
      )
      return { weekday, fromHour, answered, days: new Set(answered.map(({ day }) => day)).size }
    }).filter(({ answered, days }) => answered.length >= 10 && days >= 2),
  )
  if (!usual || pairs.length < 3) return null
  const median = usual.medianMs ?? 0
  let slowest: { weekday: number; fromHour: number; answered: number; medianMs: number } | null = null
  for (const { weekday, fromHour, answered } of pairs) {
    const times = withoutNulls(answered.map(responseMs))
    const [longer, shorter] = [times.filter((ms) => ms > median), times.filter((ms) => ms < median)]
    if (shareWithHeads(longer.length, longer.length + shorter.length) * pairs.length >= 0.05) continue
    const medianMs = spread(times)?.medianMs ?? 0
    const isSlower =
      slowest === null ||
      medianMs > slowest.medianMs ||
      (medianMs === slowest.medianMs && times.length > slowest.answered)
    if (isSlower) slowest = { weekday, fromHour, answered: times.length, medianMs }
  }
  return { medianMs: median, slowest }
}

/** Visits every instant at which anything changes. */
function unattended(requests: Request[], rows: Row[]) {
  const at = (row: Row | undefined) => Date.parse(row?.['at_utc'] ?? '')
  const from = at(rows.find(({ record, kind }) => record === 'range' && kind === 'from'))
  const until = at(rows.find(({ record, kind }) => record === 'range' && kind === 'until'))
  const changes = rows.filter(({ record }) => record === 'listening')
  const listensAt = (instant: number) =>
    changes.findLast((change) => at(change) <= instant)?.['kind'] === 'listening'
  const waitsAt = (instant: number) =>
    requests.some(
      (request) =>
        request.created <= instant && (answeredAt(request) ?? request.closed ?? Infinity) > instant,
    )
  const instants = [
    ...new Set([
      from,
      until,
      ...changes.map(at),
      ...requests.flatMap((request) => [request.created, answeredAt(request) ?? request.closed ?? until]),
    ]),
  ]
    .filter((instant) => instant >= from && instant <= until)
    .toSorted((a, b) => a - b)
  let [ms, whileWaitingMs] = [0, 0]
  for (const [index, start] of instants.entries()) {
    const end = instants[index + 1] ?? start
    if (listensAt(start)) continue
    ms += end - start
    if (waitsAt(start)) whileWaitingMs += end - start
  }
  return {
    measuredMs: until - from,
    ms,
    whileWaitingMs,
    requests: requests.filter(({ created }) => created >= from && created < until && !listensAt(created))
      .length,
  }
}

export function figuresFromCsv(
  csv: string,
  csvBefore: string,
  { days, now }: { days: string[]; now: number },
) {
  const rows = parseCsv(csv)
  const requests = requestsOf(rows)
  const isWhole = rows.some(({ record }) => record === 'range')
  return {
    totals: totals(requests, now),
    previous: totals(requestsOf(parseCsv(csvBefore)), now),
    byHour: Array.from({ length: 24 }, (_, hour) => ({
      hour,
      ...group(requests.filter((request) => request.hour === hour)),
    })),
    byWeekHour: byWeekHour(requests),
    pace: pace(requests),
    byDay: days.map((day) => ({ day, ...group(requests.filter((request) => request.day === day)) })),
    byType: Object.entries(targets).map(([type, targetMs]) => {
      const ofType = requests.filter((request) => request.type === type)
      return { serviceType: type, ...group(ofType), targetMs, withinTarget: withinTarget(ofType, now) }
    }),
    byTable: tables(requests, now),
    ...sections(requests, rows, isWhole),
    unheard: isWhole ? unattended(requests, rows) : null,
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , file = '', before] = process.argv
  const csv = readFileSync(file, 'utf8').replace(/^\uFEFF/u, '')
  const csvBefore = before === undefined ? '' : readFileSync(before, 'utf8').replace(/^\uFEFF/u, '')
  const days = [
    ...new Set(parseCsv(csv).flatMap(({ kind, day }) => (kind === 'created' && day ? [day] : []))),
  ]
  console.log(JSON.stringify(figuresFromCsv(csv, csvBefore, { days, now: Date.now() }), null, 2))
}
