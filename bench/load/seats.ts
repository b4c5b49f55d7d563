import { createHash, randomBytes } from 'node:crypto'
import { dayMs } from '#contract/durations.ts'
import { restaurantName } from '../systems/system-under-test.ts'
import { numbers, openSql, uuid } from './bulk-sql.ts'
import type { Seat } from './page-screen.ts'

export const tablesPerRestaurant = 40
export const crewPerRestaurant = 10
const rowsPerStatement = 500

/** The screens are those of `staffed` restaurants, which are spread over all of them. */
type Numbers = { restaurants: number; screens: number; staffed?: number }

/**
 * Restaurants with tables and crew, and for each screen a device that is signed in. All are inserted: sign-ups are
 * limited, and thousands of logins would take minutes of password hashing.
 */
export async function openSeats(
  origin: string,
  databaseUrl: string,
  { restaurants, screens, staffed = restaurants }: Numbers,
): Promise<Seat[]> {
  const restaurantOf = (screen: number) => (screen % staffed) * Math.floor(restaurants / staffed)
  const sql = await openSql(databaseUrl)
  const now = Date.now()
  const name = `'${restaurantName(0).replace('0', '')}' || cast(i as text)`
  await sql.run(`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
    ${numbers(restaurants)} select ${uuid('i')}, ${name}, 'Europe/Berlin', 1, 'k', ${now} from n`)
  await sql.run(`insert into restaurant_name (name_key, restaurant_id)
    ${numbers(restaurants)} select lower(${name}), ${uuid('i')} from n`)
  await sql.run(`insert into floor_table (restaurant_id, id, table_number, number_key, category, created_at)
    ${numbers(restaurants * tablesPerRestaurant)} select ${uuid(`(i / ${tablesPerRestaurant})`)}, ${uuid('i')},
    cast(i % ${tablesPerRestaurant} + 1 as text), cast(i % ${tablesPerRestaurant} + 1 as text), 'table', ${now} from n`)
  await sql.run(`insert into crew_member (restaurant_id, id, name, name_key, role, created_at)
    ${numbers(restaurants * crewPerRestaurant)} select ${uuid(`(i / ${crewPerRestaurant})`)}, ${uuid('i')},
    'Member ' || cast(i % ${crewPerRestaurant} + 1 as text), 'member ' || cast(i % ${crewPerRestaurant} + 1 as text),
    'Server', ${now} from n`)

  const tokens = Array.from({ length: screens }, () => randomBytes(24).toString('base64url'))
  for (let from = 0; from < screens; from += rowsPerStatement) {
    const rows = tokens.slice(from, from + rowsPerStatement).map((token, index) => ({
      session: idOf(from + index),
      restaurant: idOf(restaurantOf(from + index)),
      hash: createHash('sha256').update(token).digest('base64url'),
    }))
    await sql.run(
      `insert into session (id, token_hash, restaurant_id, created_at) values ${rows
        .map(({ session, restaurant, hash }) => `('${session}', '${hash}', '${restaurant}', ${now})`)
        .join()}`,
    )
    await sql.run(`insert into session_grant
      (session_id, kind, subject_id, restaurant_id, auth_at, idle_until, absolute_until, via) values ${rows
        .map(
          ({ session, restaurant }) =>
            `('${session}', 'device', '${restaurant}', '${restaurant}', ${now}, ${now + 7 * dayMs}, ${now + 30 * dayMs}, 'password')`,
        )
        .join()}`)
  }
  await sql.close()
  return tokens.map((token, screen) => {
    const restaurant = restaurantOf(screen)
    const member = Math.floor(screen / staffed) % crewPerRestaurant
    return {
      origin,
      cookie: `tsr=${token}`,
      restaurantName: restaurantName(restaurant),
      crewMemberId: idOf(restaurant * crewPerRestaurant + member),
    }
  })
}

/** As `uuid` writes it in SQL. */
const idOf = (number: number): string => `01900000-0000-7000-8000-${`${1_000_000_000_000 + number}`.slice(1)}`
