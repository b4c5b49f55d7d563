import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type GrowthState, measuredRestaurants, openRequests, type Size } from './growth.ts'
import { drainMs, type LoadResult } from './load/load-generator.ts'
import { limitMs, type Rung } from './load/rate-ladder.ts'
import { formatFigure, formatSpread, markdownTable, median, type Series } from './load/statistics.ts'
import { idleSockets, type PerSocket } from './memory.ts'
import { stormScreens } from './reconnect-storm.ts'
import type { Transport } from './systems/system-under-test.ts'
import { peer, postgresPeer, postgresql, sqlite } from './systems/systems.ts'

/** What `npm run bench` has measured. */
export type Comparison = {
  systems: readonly string[]
  settings: readonly { transport: Transport; guests: number; name: string }[]
  transports: readonly Transport[]
  numbers: {
    restaurants: number
    screensPerRestaurant: number
    ladderScreens: number
    perSecond: number
    rounds: number
    measureMs: number
    warmUpMs: number
    growthMs: number
    full: Size
  }
  isQuick: boolean
  machine: string
  database: string
  closedLoop: Series<LoadResult>
  openLoop: Series<LoadResult>
  storms: Series<number>
  memory: Series<PerSocket>
  ladders: { name: string; held: Rung; failed: Rung }[]
  growth: { name: string; results: Series<LoadResult> }[]
  /** Why figures are missing. */
  failures: string[]
}

type Figure = (result: LoadResult) => number
const identity = (value: number): number => value
const toMicroseconds = (ms: number): number => ms * 1000
const serverAndDatabase: Figure = ({ cpu }) => cpu.server + (Number.isNaN(cpu.database) ? 0 : cpu.database)
const countSeconds = (ms: number): string => formatFigure(ms / 1000)

const root = join(import.meta.dirname, '..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

export function formatComparison(comparison: Comparison): string {
  const { systems, settings, closedLoop, numbers, failures } = comparison
  const { rounds, measureMs, warmUpMs } = numbers
  const commit = `commit ${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') && ' with changes'}`
  const busiest = settings.findLast(({ transport }) => transport === 'live')?.name ?? ''
  const loadTime = median(
    systems.flatMap((name) => closedLoop.values(name, busiest, ({ cpu }) => toMicroseconds(cpu.load))),
  )
  const howOften = comparison.isQuick
    ? 'One short round'
    : `Median of ${rounds} rounds (minimum–maximum) of ${countSeconds(measureMs)} s for each figure, the systems in turns and one at a time, each after ${countSeconds(warmUpMs)} s that do not count`
  return [
    `# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${commit}`,
    `${comparison.machine}; ${comparison.database}. ${howOften}. One request is a guest's request and its completion, shown on every screen; with ${numbers.restaurants} restaurants of ${numbers.screensPerRestaurant} crew screens each that is 24 messages out, and 36 where the crew first says “On my way”. The load generator shares the processor with the servers and takes ${formatFigure(loadTime)} µs of it for one request (${busiest}, median of the systems).`,
    '## Compared with socket.io with one commit per request',
    formatRatios(comparison, peer),
    '## PostgreSQL compared with socket.io on PostgreSQL, one commit per request',
    formatRatios(comparison, postgresPeer, [postgresql]),
    ...(failures.length > 0 ? [`Not measured: ${failures.join('; ')}.`] : []),
    formatLadders(comparison),
    formatGrowth(comparison),
    '<details><summary>All figures</summary>',
    ...formatAll(comparison),
    '</details>',
  ].join('\n\n')
}

function formatRatios(
  { systems, settings, transports, closedLoop, openLoop, numbers }: Comparison,
  to: string,
  names = systems.filter((name) => name !== to),
): string {
  const row = (label: string, series: Series<LoadResult>, setting: string, figure: Figure) => [
    label,
    ...names.map((name) => formatSpread(series.ratios(name, to, setting, figure), '×')),
  ]
  const many = settings.filter(({ guests }) => guests > 1)
  const most = transports.flatMap((transport) => many.findLast((each) => each.transport === transport) ?? [])
  return markdownTable(
    [`÷ ${to}`, ...names],
    [
      ...many.map(({ name }) =>
        row(`requests per second, ${name}`, closedLoop, name, (each) => each.perSecond),
      ),
      ...most.map(({ name }) =>
        row(`processor time with the database, ${name}`, closedLoop, name, serverAndDatabase),
      ),
      ...transports.map((transport) =>
        row(
          `guest → crew screen at ${numbers.perSecond}/s, median, ${transport}`,
          openLoop,
          transport,
          ({ screen }) => screen.p50,
        ),
      ),
    ],
  )
}

function formatLadders({ ladders, numbers }: Comparison): string {
  return [
    `## Highest rate with a 99th percentile below ${limitMs} ms`,
    `Over HTTP, each request the first of a new phone, ${numbers.ladderScreens} crew screens per restaurant; guest → answer and guest → every crew screen, from the moment at which the request was due. Nobody may be refused.`,
    markdownTable(
      ['', 'requests per second', 'p99 in ms', 'first rate that failed', 'p99 in ms', 'refused'],
      ladders.map(({ name, held, failed }) => [
        name,
        ...[held.perSecond, held.p99, failed.perSecond, failed.p99].map((figure) => formatFigure(figure)),
        `${failed.refused}`,
      ]),
    ),
  ].join('\n\n')
}

function formatGrowth({ growth, numbers: { full, growthMs } }: Comparison): string {
  const rows = growth.flatMap(({ name, results }) =>
    (['server', 'database'] as const).flatMap((part) => {
      const figure: Figure = ({ cpu }) => cpu[part]
      const empty: GrowthState = 'empty'
      const values = results.values(empty, '', figure)
      if (values.some(Number.isNaN)) return []
      const ratios = (state: GrowthState) => formatSpread(results.ratios(state, empty, '', figure), '×')
      return [
        [`${name}: ${part}`, formatSpread(values.map(toMicroseconds)), ratios('full'), ratios('many open')],
      ]
    }),
  )
  return [
    '## Growth',
    `Processor time for one request, live 64, in ${measuredRestaurants} restaurants, ${countSeconds(growthMs)} s for each figure.`,
    markdownTable(
      [
        '',
        'nothing stored, in µs',
        `${formatFigure(full.restaurants)} restaurants, ${formatFigure(full.requests)} requests ÷ nothing`,
        `${openRequests} open requests in each restaurant ÷ nothing`,
      ],
      rows,
    ),
  ].join('\n\n')
}

function formatAll(comparison: Comparison): string[] {
  const { systems, settings, transports, closedLoop, openLoop, storms, memory, numbers } = comparison
  const row = <T>(label: string, series: Series<T>, setting: string, figure: (result: T) => number) => [
    label,
    ...systems.map((name) => formatSpread(series.values(name, setting, figure))),
  ]
  const loadRows = (figure: Figure) => settings.map(({ name }) => row(name, closedLoop, name, figure))
  const rateRows = (label: string, figure: Figure) =>
    transports.map((transport) => row(`${transport}: ${label}`, openLoop, transport, figure))
  const table = (title: string, rows: string[][]) =>
    `#### ${title}\n\n${markdownTable(['', ...systems], rows)}`
  return [
    table(
      'Durable requests per second, each shown and completed, by guests at once',
      loadRows(({ perSecond }) => perSecond),
    ),
    table(
      'Guest → crew screen under that load: median, in ms',
      loadRows(({ screen }) => screen.p50),
    ),
    table(
      'The same: 99th percentile',
      loadRows(({ screen }) => screen.p99),
    ),
    formatGroups(comparison),
    table(
      'Processor time for one request, in µs',
      (['server', 'database', 'load'] as const).flatMap((part) =>
        settings.map(({ name }) =>
          row(`${part === 'load' ? 'load generator' : part}, ${name}`, closedLoop, name, ({ cpu }) =>
            toMicroseconds(cpu[part]),
          ),
        ),
      ),
    ),
    table(`At ${numbers.perSecond} requests per second, in ms`, [
      ...rateRows('guest → crew screen, median', ({ screen }) => screen.p50),
      ...rateRows('guest → crew screen, 99th', ({ screen }) => screen.p99),
      ...rateRows('guest → stored and answered, median', ({ answer }) => answer.p50),
      ...rateRows('guest → stored and answered, 99th', ({ answer }) => answer.p99),
    ]),
    table(`Refused in a round, or not completed within ${drainMs / 1000} s`, [
      ...loadRows(({ refused }) => refused),
      ...rateRows(`at ${numbers.perSecond} requests per second`, ({ refused }) => refused),
    ]),
    table('Crew screens', [
      row(`${stormScreens} lose their connection: all have their list again, in ms`, storms, '', identity),
      row(`heap of an idle one, in kB (of ${idleSockets})`, memory, '', ({ heap }) => heap / 1000),
      row('its resident memory, in kB', memory, '', ({ resident }) => resident / 1000),
    ]),
  ]
}

/** The others have one commit for each write. */
function formatGroups({ systems, settings, transports, closedLoop, openLoop, numbers }: Comparison): string {
  const own = systems.filter((name) => name === sqlite || name === postgresql)
  const row = (label: string, series: Series<LoadResult>, setting: string) => [
    label,
    ...own.map((name) => formatSpread(series.values(name, setting, ({ perCommit }) => perCommit))),
  ]
  const rows = [
    ...settings.map(({ name }) => row(name, closedLoop, name)),
    ...transports.map((transport) => row(`${transport} at ${numbers.perSecond}/s`, openLoop, transport)),
  ]
  return `#### Taps, completions and what screens have shown that share a commit\n\n${markdownTable(['', ...own], rows)}`
}
