import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { dayMs } from '#contract/durations.ts'
import { startServer } from '../test/support/servers/server-process.ts'
import { numbers, openSql, pick, type Sql, uuid } from './load/bulk-sql.ts'
import { post } from './load/http-client.ts'
import { describeMachine } from './load/machine.ts'
import { median, percentile, formatFigure, formatSpread, markdownTable } from './load/statistics.ts'
import { findPostgres } from './systems/postgres.ts'

/**
 * 90 days of requests in 50 restaurants: how long one restaurant waits for its analytics, and how much that slows the
 * live channel. `node bench/analytics.ts` after a build.
 */
const quick = process.argv.includes('--quick')
const requests = quick ? 100_000 : 1_000_000
const restaurants = 50
const days = 90
const views = 15
const phaseMs = quick ? 3_000 : 10_000
const rounds = quick ? 1 : 3

const today = Math.floor(Date.now() / dayMs) * dayMs
const firstDay = today - (days - 1) * dayMs
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const range = `from=${dayOf(firstDay)}&to=${dayOf(today)}`

const print = (text: string) => console.log(`${text}\n`)

/** Fills the tables with 90 days of operation, in SQL that both engines understand. */
async function fill(sql: Sql): Promise<void> {
  const existing = await sql.ids('select id from restaurant order by name')
  await sql.run(`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
    ${numbers(restaurants)} select ${uuid('i')}, 'Other ' || cast(i as text), 'Europe/Berlin', 1, 'k', 0
    from n where i >= ${existing.length}`)
  await sql.run('update restaurant set created_at = 0')
  const restaurantIds = await sql.ids('select id from restaurant order by created_at, id')
  await sql.run(`insert into floor_table (restaurant_id, id, table_number, number_key, category, created_at)
    ${numbers(restaurants * 40)} select ${pick(restaurantIds, 'i / 40')}, ${uuid('i')},
    cast(i % 40 + 1 as text), cast(i % 40 + 1 as text), 'table', 0 from n`)
  await sql.run(`insert into crew_member (restaurant_id, id, name, name_key, role, created_at)
    ${numbers(restaurants * 8)} select ${pick(restaurantIds, 'i / 8')}, ${uuid('i')},
    'Crew ' || cast(i % 8 as text), 'crew', 'Server', 0 from n`)
  await sql.run(`insert into table_assignment (restaurant_id, date, table_id, slot, crew_member_id)
    with recursive d(day) as (${Array.from({ length: days }, (_, day) => `select '${dayOf(firstDay + day * dayMs)}' as day`).join(' union all ')})
    select restaurant_id, day, id, '', ${uuid(`(cast(substr(id, 25) as integer) / 40 * 8 + cast(substr(id, 25) as integer) % 8)`)}
    from floor_table, d where category = 'table' and id like '01900000-%'`)
  const created = `${firstDay} + cast(i as bigint) * ${Math.floor(((days - 1) * dayMs) / requests)}`
  const answered = `${created} + 5000 + i % 991 * 120`
  const closed = `${created} + 130000 + i % 709 * 300`
  const type = pick(['general', 'drinks', 'food', 'check', 'assistance', 'other'], 'i % 6')
  await sql.run(`insert into service_request (restaurant_id, id, table_number, table_key, service_type, created_at,
      local_day, asks, last_asked_at, seen, seen_at, level, verified, accepted_at, accepted_by, answered_at,
      answered_by, closed_at, closed_as, closed_by)
    ${numbers(requests)} select ${pick(restaurantIds, `i % ${restaurants}`)}, ${uuid('i')},
    cast(i / ${restaurants} * 13 % 40 + 1 as text), cast(i / ${restaurants} * 13 % 40 + 1 as text), ${type}, ${created},
    '2026-01-01', case when i % 17 = 0 then 2 else 1 end, ${created}, 1, ${created} + 1500 + i % 97 * 40,
    case when i % 23 = 0 then 1 else 0 end, 1,
    case when i % 9 = 0 then null else ${answered} end, ${uuid('i % 8')},
    case when i % 9 = 0 then null else ${answered} end, ${uuid('i % 8')},
    ${closed}, case when i % 29 = 0 then 'cancelled' else 'completed' end, ${uuid('i % 8')} from n`)
  const events: [kind: string, at: string, where: string][] = [
    ['created', created, 'true'],
    ['seen', `${created} + 1500 + i % 97 * 40`, 'true'],
    ['accepted', answered, 'i % 9 <> 0'],
    ['completed', closed, 'true'],
    ['escalated', `${created} + 20000`, 'i % 23 = 0'],
  ]
  for (const [number, [kind, at, where]] of events.entries()) {
    await sql.run(`insert into request_event (restaurant_id, id, request_id, at, kind, actor_kind)
      ${numbers(requests)} select ${pick(restaurantIds, `i % ${restaurants}`)},
      ${uuid(`cast(i as bigint) * 8 + ${number}`)}, ${uuid('i')}, ${at}, '${kind}', 'crew' from n where ${where}`)
  }
  await sql.run(`insert into listening_change (restaurant_id, id, at, listening)
    ${numbers(restaurants * days * 20)} select ${pick(restaurantIds, `i % ${restaurants}`)}, ${uuid('i')},
    ${firstDay} + cast(i as bigint) * ${Math.floor(((days - 1) * dayMs) / (restaurants * days * 20))}, i / ${restaurants} % 2 from n`)
}

type Result = {
  view: number[]
  ping: { quiet: number[]; busy: number[] }
  loop: { quiet: number[]; busy: number[] }
}

async function measure(url: string): Promise<Result> {
  const server = await startServer(url)
  const signUp = await post(
    new URL('/api/restaurant-signup', server.url),
    {},
    {
      restaurantName: 'The Measured',
      email: 'owner@example.com',
      password: randomBytes(12).toString('base64url'),
      timeZone: 'Europe/Berlin',
    },
  )
  const cookie = signUp.cookies.join('; ')
  const sql = await openSql(url)
  await fill(sql)
  await sql.run('analyze')
  await sql.close()

  const get = async (path: string) => {
    const start = performance.now()
    const answer = await fetch(new URL(path, server.url), { headers: { cookie } })
    const body = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${body}`)
    return { body, ms: performance.now() - start }
  }
  const view = () => get(`/api/analytics?${range}`)
  const shown = JSON.parse((await view()).body)
  if (shown.totals.requests !== requests / restaurants)
    throw new Error(`the view shows ${shown.totals.requests} requests`)
  const times: number[] = []
  for (let count = 0; count < views; count++) times.push((await view()).ms)

  const socket = new WebSocket(server.url.replace('http', 'ws') + '/ws', {
    headers: { origin: server.url, cookie },
  })
  await new Promise((resolve) => socket.once('open', resolve))
  const result: Result = { view: times, ping: { quiet: [], busy: [] }, loop: { quiet: [], busy: [] } }
  for (let round = 0; round < rounds; round++) {
    for (const phase of ['quiet', 'busy'] as const) {
      await loopDelay()
      const end = performance.now() + phaseMs
      const viewing = phase === 'busy' ? viewUntil(end) : Promise.resolve()
      const pings = await pingUntil(socket, end)
      await viewing
      result.ping[phase].push(percentile(pings, 0.99))
      result.loop[phase].push(await loopDelay())
    }
  }
  socket.terminate()
  await server.stop()
  return result

  async function viewUntil(end: number): Promise<void> {
    while (performance.now() < end) await view()
  }

  /** The p99 delay of the server's event loop since the last call, without the 10 ms of its own timer. */
  async function loopDelay(): Promise<number> {
    const { body } = await get('/metrics')
    return Number(/^tableside_event_loop_delay_p99_seconds (\S+)$/mu.exec(body)?.[1]) * 1000 - 10
  }
}

/** Times a staff screen's ping and its answer 18 times per second, as often as the channel allows. */
async function pingUntil(socket: WebSocket, end: number): Promise<number[]> {
  const times: number[] = []
  while (performance.now() < end) {
    const start = performance.now()
    const answered = new Promise((resolve) => socket.once('message', resolve))
    socket.send(JSON.stringify({ type: 'ping', ref: 'p' }))
    await answered
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, 55))
  }
  return times
}

const folder = await mkdtemp(join(tmpdir(), 'tableside-bench-'))
const postgres = process.argv.includes('--sqlite') ? null : await findPostgres(folder)
print(`${describeMachine(folder)}.`)
const engines: [name: string, url: string][] = [
  ['SQLite', `file:${join(folder, 'sqlite', 'tableside.db')}`],
  ...(postgres ? [['PostgreSQL', await postgres.database()] as [string, string]] : []),
]
const rows: string[][] = []
for (const [name, url] of engines) {
  const { view, ping, loop } = await measure(url)
  rows.push([
    name,
    `${formatFigure(median(view))} (${formatFigure(Math.min(...view))}–${formatFigure(Math.max(...view))})`,
    formatSpread(ping.quiet),
    formatSpread(ping.busy),
    formatSpread(loop.quiet),
    formatSpread(loop.busy),
  ])
}
print(
  `${requests} requests of ${days} days in ${restaurants} restaurants, one restaurant's ${days} days, in milliseconds:`,
)
const head = [
  '',
  'view',
  'ping p99, idle',
  'ping p99, constant views',
  'loop delay p99, idle',
  'loop delay p99, constant views',
]
print(markdownTable(head, rows))
await postgres?.stop()
await rm(folder, { recursive: true, force: true })
