import { numbers, openSql, pick, uuid } from './load/bulk-sql.ts'
import { LoadGenerator, type LoadResult } from './load/load-generator.ts'
import type { SystemUnderTest } from './systems/system-under-test.ts'

export const measuredRestaurants = 10
const tablesPerRestaurant = 20
const eventsPerRequest = 2
export const openRequests = 500

export type Size = { restaurants: number; requests: number }

export const growthStates = ['empty', 'full', 'many open'] as const
export type GrowthState = (typeof growthStates)[number]

/** Starts the same server on a database in each state, with the same crowd of guests and screens. */
export async function openGrowth(
  start: () => Promise<SystemUnderTest>,
  size: Size,
): Promise<Record<GrowthState, LoadGenerator>> {
  const [empty, full, manyOpen] = [await start(), await start(), await start()]
  await fill(full.databaseUrl, size)
  await addOpenRequests(manyOpen.databaseUrl)
  for (const { databaseUrl } of [empty, full, manyOpen]) await stopAutovacuum(databaseUrl)
  // Last, because nobody answers the servers' pings while rows are inserted.
  const open = (system: SystemUnderTest) =>
    LoadGenerator.open(system, {
      restaurants: measuredRestaurants,
      screensPerRestaurant: 10,
      transports: ['live'],
    })
  return { empty: await open(empty), full: await open(full), 'many open': await open(manyOpen) }
}

export const measureGrowth = (load: LoadGenerator, measureMs: number): Promise<LoadResult> =>
  load.closedLoop('live', 64, measureMs / 4, measureMs)

/** It would count for whichever state is measured at that moment. */
async function stopAutovacuum(url: string): Promise<void> {
  if (url.startsWith('file:')) return
  const sql = await openSql(url)
  for (const table of ['service_request', 'request_event', 'guest_visit', 'live_stream'])
    await sql.run(`alter table ${table} set (autovacuum_enabled = off)`)
  await sql.close()
}

/** Half of the requests belong to the restaurants that are measured, the others to all others. */
async function fill(url: string, { restaurants, requests }: Size): Promise<void> {
  const sql = await openSql(url)
  const measured = await sql.ids('select id from restaurant order by id')
  const others = restaurants - measured.length
  await sql.run(`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
    ${numbers(others)} select ${uuid('i')}, 'Other ' || cast(i as text), 'Europe/Berlin', 1, 'k', 0 from n`)
  await sql.run(`insert into restaurant_name (name_key, restaurant_id)
    ${numbers(others)} select 'other ' || cast(i as text), ${uuid('i')} from n`)
  await sql.run(`insert into floor_table (restaurant_id, id, table_number, number_key, category, created_at)
    ${numbers(others * tablesPerRestaurant)} select ${uuid(`(i / ${tablesPerRestaurant})`)}, ${uuid('i')},
    cast(i % ${tablesPerRestaurant} + 1 as text), cast(i % ${tablesPerRestaurant} + 1 as text), 'table', 0 from n`)
  const half = requests / 2
  // In order, because indexes grow fastest at their ends.
  const restaurant = `case when i < ${half} then ${pick(measured, `i / ${Math.ceil(half / measured.length)}`)}
    else ${uuid(`(cast(i - ${half} as bigint) * ${others} / ${half})`)} end`
  const table = `cast(i % ${tablesPerRestaurant} + 1 as text)`
  const created = `cast(1700000000000 as bigint) + i * 1000`
  await sql.run(`insert into service_request (restaurant_id, id, table_number, table_key, service_type, created_at,
      local_day, asks, last_asked_at, seen, level, verified, closed_at, closed_as)
    ${numbers(requests)} select ${restaurant}, ${uuid('i')}, ${table}, ${table}, 'drinks', ${created},
    '2026-01-01', 1, ${created}, 1, 0, 0, ${created} + 60000, 'completed' from n`)
  for (const [number, kind] of ['created', 'completed'].entries()) {
    await sql.run(`insert into request_event (restaurant_id, id, request_id, at, kind, actor_kind)
      ${numbers(requests)} select ${restaurant}, ${uuid(`i * ${eventsPerRequest} + ${number}`)}, ${uuid('i')},
      ${created} + ${number} * 60000, '${kind}', 'crew' from n`)
  }
  await sql.close()
}

/** In each measured restaurant, at tables where nobody else asks. */
async function addOpenRequests(url: string): Promise<void> {
  const sql = await openSql(url)
  const measured = await sql.ids('select id from restaurant order by id')
  const now = Date.now()
  await sql.run(`insert into service_request (restaurant_id, id, table_number, table_key, service_type, created_at,
      local_day, asks, last_asked_at, seen, level, verified)
    ${numbers(measured.length * openRequests)} select ${pick(measured, `i / ${openRequests}`)}, ${uuid('i')},
    'x' || cast(i as text), 'x' || cast(i as text), 'drinks', ${now}, '2026-01-01', 1, ${now}, 1, 2, 0 from n`)
  await sql.close()
}
