import type { Retention, RetentionKind } from '#contract/accounts/retention.ts'
import { nameKey } from '#contract/primitives.ts'
import type { QueryDb } from '../../storage/engine/types.ts'
import { readRows } from '../../storage/export/exported-rows.ts'
import { listRestaurantTables } from '../../storage/export/restaurant-tables.ts'
import * as retention from '../../storage/retention.ts'
import { toRetention } from '../accounts/restaurants/retention-settings.ts'
import { runQuery } from '../analytics/queries.ts'
import { addDays, localDay } from '../dates.ts'
import { exportedTables } from './exported-tables.ts'

export type ExportedFile = { name: string; about: string; parts: AsyncIterable<string | Uint8Array> }

export type RestaurantExport = {
  restaurant: { id: string; name: string; timeZone: string }
  /** For how many days what is kept, and since when; null: for as long as it exists, and everything. */
  retention: Retention & { removedBefore: Record<RetentionKind, string | null> }
  files: ExportedFile[]
  /** Tables of which nothing is exported. */
  leftOut: string[]
}

/** `db` must be a snapshot. Undefined if there is no such restaurant. */
export async function exportRestaurant(
  db: QueryDb,
  engine: 'sqlite' | 'postgres',
  wanted: { name: string } | { id: string },
  now: number,
): Promise<RestaurantExport | undefined> {
  const restaurant = await ('id' in wanted ? findById(db, wanted.id) : findByName(db, wanted.name))
  if (!restaurant) return undefined
  const { id, timeZone, createdAt } = restaurant
  const tables = Object.entries(exportedTables)
  const files = tables.map(([table, { about, columns, hosts = [] }]) => ({
    name: `${toFileName(table)}.jsonl`,
    about,
    parts: toLines(readRows(db, id, { table, columns }), hosts),
  }))
  const known = new Set(tables.map(([table]) => toTableName(table)))
  const leftOut = (await listRestaurantTables(db, engine)).filter((table) => !known.has(table))
  const events = {
    name: 'events.csv',
    about:
      'Everything that the figures are computed from: events, listening and assignments of every day, in the form that the Management Portal offers for download. Listening is known between the two times of its range; requests that were still open when older ones were removed began before it.',
    parts: readEvents(db, { restaurantId: id, timeZone, createdAt, now }),
  }
  return {
    restaurant: { id, name: restaurant.name, timeZone },
    retention: describeRetention(await retention.find(db, id)),
    files: [events, ...files],
    leftOut,
  }
}

const describeRetention = (row: retention.RetentionRow | undefined): RestaurantExport['retention'] => ({
  ...toRetention(row),
  removedBefore: {
    requests: toIso(row?.requestsRemovedBefore),
    messages: toIso(row?.messagesRemovedBefore),
    log: toIso(row?.logRemovedBefore),
  },
})

const toIso = (at: number | null = null): string | null => (at === null ? null : new Date(at).toISOString())

const findById = (db: QueryDb, id: string) =>
  db
    .selectFrom('restaurant')
    .select(['id', 'name', 'timeZone', 'createdAt'])
    .where('id', '=', id)
    .executeTakeFirst()

const findByName = (db: QueryDb, name: string) =>
  db
    .selectFrom('restaurantName')
    .innerJoin('restaurant', 'restaurant.id', 'restaurantName.restaurantId')
    .select(['restaurant.id', 'restaurant.name', 'restaurant.timeZone', 'restaurant.createdAt'])
    .where('restaurantName.nameKey', '=', nameKey(name))
    .executeTakeFirst()

async function* readEvents(
  db: QueryDb,
  about: { restaurantId: string; timeZone: string; createdAt: number; now: number },
): AsyncGenerator<Uint8Array> {
  const { timeZone, createdAt, now } = about
  const today = localDay(now, timeZone)
  const first = await findFirstDay(db, about.restaurantId)
  const created = localDay(createdAt, timeZone)
  const range = { from: first !== null && first < created ? first : created, to: today }
  const subject = { ...about, today, scope: null }
  for (let day = range.from; day <= range.to; day = addDays(day, 1)) {
    const answer = await runQuery(db, { kind: 'events', subject, range, day })
    if (answer.kind === 'events') yield answer.bytes
  }
}

/** The demo's requests are older than its restaurant. */
async function findFirstDay(db: QueryDb, restaurantId: string): Promise<string | null> {
  const row = await db
    .selectFrom('serviceRequest')
    .select((e) => e.fn.min<string | null>('localDay').as('day'))
    .where('restaurantId', '=', restaurantId)
    .executeTakeFirst()
  return row?.day ?? null
}

async function* toLines(
  pages: AsyncIterable<Record<string, unknown>[]>,
  hosts: readonly string[],
): AsyncGenerator<string> {
  for await (const page of pages)
    yield page.map((row) => `${JSON.stringify(withHosts(row, hosts))}\n`).join('')
}

/** Only the host of each URL; other values, such as e-mail addresses, stay as they are. */
const withHosts = (row: Record<string, unknown>, columns: readonly string[]): Record<string, unknown> => ({
  ...row,
  ...Object.fromEntries(columns.map((column) => [column, hostOf(String(row[column]))])),
})

const hostOf = (address: string): string => URL.parse(address)?.host || address

const toTableName = (table: string): string =>
  table.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

const toFileName = (table: string): string => toTableName(table).replaceAll('_', '-')
