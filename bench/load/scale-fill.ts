import { dayMs, hourMs } from '#contract/durations.ts'
import { numbers, openSql, uuid } from './bulk-sql.ts'
import { crewPerRestaurant, tablesPerRestaurant } from './seats.ts'

/** What a restaurant has beside its tables and its crew, which `openSeats` has inserted. */
const each = { devices: 10, phones: 3, visits: 20, auditEntries: 20 }
/** What happens to each request, and when. */
const events = [
  { kind: 'created', afterMs: 0 },
  { kind: 'seen', afterMs: 900 },
  { kind: 'accepted', afterMs: 8_000 },
  { kind: 'completed', afterMs: 70_000 },
]
/** One restaurant in ten repeats its weeks. */
const patternEvery = 10
const firstNumber = { devices: 500_000_000, requests: 600_000_000 }

export type Filled = { restaurants: number; requestsEach: number; staffed: number }

/** A year in miniature: who is signed in, whose phones ring, who has which table today, what was asked before. */
export async function fillRestaurants(
  url: string,
  { restaurants, requestsEach, staffed }: Filled,
  onBase: () => Promise<void>,
): Promise<void> {
  const sql = await openSql(url)
  const now = Date.now()
  const today = new Date(now).toISOString().slice(0, 10)
  const restaurant = (perRestaurant: number) => uuid(`(i / ${perRestaurant})`)
  const fill = (columns: string, perRestaurant: number, values: string, where = '') =>
    sql.run(`insert into ${columns} ${numbers(restaurants * perRestaurant)} select ${values} from n ${where}`)

  await fill(
    'owner (id, restaurant_id, email, email_key, password_hash, created_at)',
    1,
    `${uuid('i')}, ${uuid('i')}, 'owner-' || cast(i as text) || '@example.com',
      'owner-' || cast(i as text) || '@example.com', '${'h'.repeat(97)}', ${now}`,
  )
  const device = uuid(`(${firstNumber.devices} + i)`)
  await fill(
    'session (id, token_hash, restaurant_id, created_at, browser)',
    each.devices,
    `${device}, '${'t'.repeat(33)}' || cast(1000000000 + i as text), ${restaurant(each.devices)}, ${now}, 'Chrome on Android'`,
  )
  await fill(
    `session_grant (session_id, kind, subject_id, restaurant_id, auth_at, idle_until, absolute_until, via)`,
    each.devices,
    `${device}, 'device', ${restaurant(each.devices)}, ${restaurant(each.devices)}, ${now},
      ${now + 7 * dayMs}, ${now + 30 * dayMs}, 'password'`,
  )
  // Nothing is sent: the restaurants in which something happens have no phones.
  const apart = Math.floor(restaurants / staffed)
  await fill(
    `push_subscription (restaurant_id, id, session_id, crew_member_id, endpoint, p256dh, auth, created_at, seen_at)`,
    each.phones,
    `${restaurant(each.phones)}, ${uuid('i')},
      ${uuid(`(${firstNumber.devices} + (i / ${each.phones}) * ${each.devices} + i % ${each.phones})`)}, null,
      'https://fcm.googleapis.com/fcm/send/${'e'.repeat(140)}' || cast(i as text), '${'p'.repeat(87)}', '${'a'.repeat(22)}',
      ${now}, ${now}`,
    `where (i / ${each.phones}) % ${apart} <> 0`,
  )
  await fill(
    'listening_change (restaurant_id, id, at, listening)',
    1,
    `${uuid('i')}, ${uuid('i')}, ${now}, 1`,
    `where i % ${apart} <> 0`,
  )
  await fill(
    'table_assignment (restaurant_id, date, table_id, slot, crew_member_id)',
    tablesPerRestaurant,
    `${restaurant(tablesPerRestaurant)}, '${today}', ${uuid('i')}, '',
      ${uuid(`((i / ${tablesPerRestaurant}) * ${crewPerRestaurant} + i % ${crewPerRestaurant})`)}`,
  )
  await fill(
    'weekly_pattern (restaurant_id, filled_to)',
    1,
    `${uuid('i')}, '9999-12-31'`,
    `where i % ${patternEvery} = 0`,
  )
  for (let weekday = 1; weekday <= 7; weekday++)
    await fill(
      'pattern_assignment (restaurant_id, weekday, table_id, slot, crew_member_id)',
      tablesPerRestaurant,
      `${restaurant(tablesPerRestaurant)}, ${weekday}, ${uuid('i')}, '',
        ${uuid(`((i / ${tablesPerRestaurant}) * ${crewPerRestaurant} + i % ${crewPerRestaurant})`)}`,
      `where (i / ${tablesPerRestaurant}) % ${patternEvery} = 0`,
    )
  await fill(
    'guest_visit (restaurant_id, guest_id, table_key, started_at)',
    each.visits,
    `${restaurant(each.visits)}, ${uuid('i')}, cast(i % ${tablesPerRestaurant} + 1 as text), ${now}`,
  )
  await fill(
    'audit_entry (restaurant_id, id, at, actor_kind, actor_id, actor_name, action, detail)',
    each.auditEntries,
    `${restaurant(each.auditEntries)}, ${uuid('i')}, ${now}, 'owner', ${restaurant(each.auditEntries)},
      'The owner', 'tables.mute', '{"tableNumber":"7","until":null}'`,
  )
  for (const name of ['requests', 'messages'])
    await fill('live_stream (restaurant_id, name, last_seq)', 1, `${uuid('i')}, '${name}', 1000`)
  // In every other restaurant somebody is on the way.
  await fill(
    `service_request (restaurant_id, id, table_id, table_number, table_key, service_type, created_at, local_day, asks,
      last_asked_at, seen, level, verified, accepted_at, accepted_by, accepted_by_name, seen_at, answered_at, accept_until)`,
    1,
    `${uuid('i')}, ${uuid('i')}, ${uuid(`(i * ${tablesPerRestaurant} + 39)`)}, '40', '40', 'check', ${now}, '${today}', 1,
      ${now}, 1, 0, 1, ${now}, ${uuid(`(i * ${crewPerRestaurant})`)}, 'Member 1', ${now}, ${now}, ${now + 10 * hourMs}`,
    `where i % ${apart} <> 0 and i % 2 = 0`,
  )
  await sql.close()
  await onBase()
  await fillHistory(url, { restaurants, requestsEach })
}

/** What guests of these restaurants asked for in 60 days, all done. */
export async function fillHistory(
  url: string,
  { restaurants, requestsEach, first = 0 }: { restaurants: number; requestsEach: number; first?: number },
): Promise<void> {
  const now = Date.now()
  const history = await openSql(url)
  const spread = Math.floor((60 * dayMs) / requestsEach)
  const at = `(cast(${now - 60 * dayMs} as bigint) + cast(i % ${requestsEach} as bigint) * ${spread})`
  const request = uuid(`(${firstNumber.requests} + i)`)
  const table = `cast(i % ${tablesPerRestaurant} + 1 as text)`
  const all = numbers(restaurants * requestsEach)
  const mine = uuid(`(${first} + i / ${requestsEach})`)
  await history.run(`insert into service_request (restaurant_id, id, table_id, table_number, table_key, service_type,
      created_at, local_day, asks, last_asked_at, seen, level, verified, accepted_at, accepted_by, accepted_by_name,
      seen_at, answered_at, answered_by, closed_at, closed_as, closed_by, closed_by_name, crew)
    ${all} select ${mine}, ${request}, ${uuid(`((${first} + i / ${requestsEach}) * ${tablesPerRestaurant} + i % ${tablesPerRestaurant})`)},
    ${table}, ${table}, case i % 3 when 0 then 'drinks' when 1 then 'check' else 'assistance' end, ${at}, '2026-01-01', 1,
    ${at}, 1, 0, 1, ${at} + 8000, ${mine}, 'Member 1', ${at} + 900, ${at} + 8000, ${mine}, ${at} + 70000, 'completed',
    ${mine}, 'Member 1', ${mine} from n`)
  for (const [number, { kind, afterMs }] of events.entries())
    await history.run(`insert into request_event (restaurant_id, id, request_id, at, kind, actor_kind, actor_id, actor_name)
      ${all} select ${mine}, ${uuid(`(cast(i as bigint) * ${events.length} + ${number})`)}, ${request},
      ${at} + ${afterMs}, '${kind}', '${kind === 'created' ? 'guest' : 'crew'}', ${mine}, 'Member 1' from n`)
  await history.close()
}
