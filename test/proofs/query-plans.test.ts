import { CompiledQuery, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { type AnyStatement, statements } from '../../src/server/storage/engine/statement.ts'
import type { Database, Db } from '../../src/server/storage/engine/types.ts'
import { undeliverable } from '../../src/server/storage/push/push-deliveries.ts'
import { dueQueries } from '../../src/server/storage/push/request-notifications.ts'
import { freshDatabase } from '../support/database.ts'
import { fillTables } from '../support/postgres/filled-tables.ts'
import { findLongScans } from '../support/postgres/long-scans.ts'
import { explain, postgresDialect } from '../support/postgres/statement-plans.ts'
import '../../src/server/storage/due-work.ts'
import '../../src/server/storage/accounts/restaurants.ts'
import '../../src/server/storage/crew/crew.ts'
import '../../src/server/storage/crew/crew-activity.ts'
import '../../src/server/storage/crew/breaks.ts'
import '../../src/server/storage/floor/muted-tables.ts'
import '../../src/server/storage/requests/escalation.ts'
import '../../src/server/storage/requests/request-events.ts'
import '../../src/server/storage/requests/request-transitions.ts'
import '../../src/server/storage/requests/party-moves.ts'
import '../../src/server/storage/requests/requests.ts'
import '../../src/server/storage/crew/role-calls.ts'
import '../../src/server/storage/accounts/sessions.ts'
import '../../src/server/storage/streams.ts'
import '../../src/server/storage/requests/table-buttons.ts'
import '../../src/server/storage/requests/table-seating.ts'
import '../../src/server/storage/requests/tap-context.ts'
import '../../src/server/storage/guests/visit-context.ts'
import '../../src/server/storage/guests/visits.ts'

type Size = { requests: number; perRestaurant: number }

const fewLarge: Size = { requests: 1_000_000, perRestaurant: 10_000 }
/** PostgreSQL plans for the average restaurant, and busy ones must not pay for that. */
const manySmall: Size = { requests: 20_000, perRestaurant: 20 }

async function open(): Promise<Database> {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const database = await openDatabase(url)
  onTestFinished(() => database.close())
  return database
}

async function fill(database: Database, { requests, perRestaurant }: Size): Promise<void> {
  const numbers = (first: number, end: number) =>
    sql.raw(
      database.engine === 'postgres'
        ? `(select generate_series(${first}, ${end - 1}) as i) as n`
        : `(with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${end - 1})
            select i from n) as n`,
    )
  await database.transact(async (db) => {
    if (database.engine === 'postgres') await sql`set local statement_timeout = 0`.execute(db)
    const indexes = await dropIndexes(db, database.engine)
    await sql`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
      select 'r' || i, 'r' || i, 'UTC', 1, 'k', 0 from ${numbers(0, requests / perRestaurant)}`.execute(db)
    // In parts, as no statement may take longer than `query_timeout`.
    for (let first = 0; first < requests; first += 100_000)
      await sql`insert into service_request (restaurant_id, id, table_number, table_key, service_type, created_at,
        local_day, asks, last_asked_at, seen, level, verified, closed_at)
      select 'r' || (i / ${sql.lit(perRestaurant)}), 'q' || i, 't' || i, 't' || i, 'drinks', i, '2026-01-01', 1, i, 0, 0, 0,
        case when i % 20 > 0 then i end from ${numbers(first, Math.min(requests, first + 100_000))}`.execute(
        db,
      )
    for (const definition of indexes) await sql.raw(definition).execute(db)
    await sql`insert into restaurant_name (name_key, restaurant_id) select id, id from restaurant`.execute(db)
    await sql`insert into floor_table (restaurant_id, id, table_number, number_key, category, created_at)
      select restaurant_id, 't' || id, table_number, table_key, 'table', 0 from service_request
      where created_at % ${sql.lit(requests / 10_000)} = 0`.execute(db)
    await sql`insert into guest_visit (restaurant_id, guest_id, table_key, started_at)
      select restaurant_id, id, table_key, 0 from service_request where created_at % 20 = 0`.execute(db)
    await sql`insert into request_event (restaurant_id, id, request_id, at, kind, actor_kind)
      select restaurant_id, id, id, created_at, 'created', 'guest' from service_request
      where created_at % ${sql.lit(Math.ceil(requests / 100_000))} = 0`.execute(db)
    if (database.engine === 'postgres') await sql`analyze`.execute(db)
  })
}

/** So that a million rows take seconds. Returns how to create them again. */
async function dropIndexes(db: Db, engine: Database['engine']): Promise<string[]> {
  const { rows } = await sql<{ name: string; definition: string }>`${sql.raw(
    engine === 'postgres'
      ? `select indexname as name, indexdef as definition from pg_indexes
        where tablename = 'service_request' and indexname <> 'service_request_pk'`
      : `select name, sql as definition from sqlite_master
        where tbl_name = 'service_request' and type = 'index' and sql is not null`,
  )}`.execute(db)
  for (const { name } of rows) await sql`drop index ${sql.raw(name)}`.execute(db)
  return rows.map(({ definition }) => definition)
}

/**
 * Steps that read more of a table than the rows they need, or that find rows of a table that grows by less than what the
 * statement was given; `input` is that. Subqueries with steps of their own are not tables, `service_request_called` holds
 * only the rows that are read through it, and of an index with a limit no more are read than that.
 */
const isScan = (step: string, index: number, steps: string[]): boolean =>
  /Seq Scan|Hash|Merge Join|AUTOMATIC/u.test(step) ||
  (step.startsWith('SCAN ') &&
    !/input|CONSTANT|^SCAN i$/u.test(step) &&
    !steps.includes(step.replace('SCAN', 'CO-ROUTINE'))) ||
  (!step.includes(' using service_request_called on ') &&
    /Scan.* on (?:service_request|request_event|guest_visit)\b/u.test(step) &&
    !(steps[index - 1]?.includes('Limit') && steps[index + 1]?.includes('Index Cond')) &&
    !/Index Cond: .*(?:unnest|\$1\b.*\$2\b|\bid = \$2)/u.test(steps[index + 1] ?? ''))

/** Without those that another test in the same process defined. */
const productStatements = (): AnyStatement[] => statements.filter(({ name }) => !name.startsWith('test-'))

it('every statement names its columns, because a later version of the product may add some while this one runs', () => {
  const texts = productStatements().map((statement) => statement.forPostgres(postgresDialect).sql)
  expect(texts.filter((text) => /"\.\*/u.test(text))).toEqual([])
})

const onPostgres = process.env['TEST_DATABASE_URL'] ? ['PostgreSQL'] : []

describe('the plan of each statement of the hot paths', () => {
  const findScans = async (database: Database): Promise<Record<string, string[]>> => {
    const plans = await Promise.all(
      productStatements().map(async (statement) => {
        const steps = await explain(database, statement)
        const { ofAll, ofRestaurant } = await findLongScans(database, steps)
        const scans = [...steps.filter(isScan), ...ofAll, ...ofRestaurant]
        return [statement.name, [...new Set(scans)]] satisfies [string, string[]]
      }),
    )
    return Object.fromEntries(plans.filter(([, scans]) => scans.length > 0))
  }

  it('follows the indexes to single rows, on empty tables and among a million requests', async () => {
    const database = await open()
    expect(statements.length).toBeGreaterThan(7)
    expect(await findScans(database)).toEqual({})
    await fill(database, fewLarge)
    expect(await findScans(database)).toEqual({})
  })

  it('follows them when most restaurants are small, too', async () => {
    const database = await open()
    await fill(database, manySmall)
    expect(await findScans(database)).toEqual({})
  })

  it.for(onPostgres)('follows them on %s also once it knows that the tables are empty', async () => {
    const database = await open()
    await database.transact((db) => sql`analyze`.execute(db))
    expect(await findScans(database)).toEqual({})
  })

  it.for(onPostgres)(
    'follows them on %s when it knows only the first restaurant, and a rush comes',
    async () => {
      const database = await open()
      await database.transact(async (db) => {
        await fillTables(db, { from: 0, until: 1, rows: 40 })
        await sql`analyze`.execute(db)
      })
      expect(await findScans(database)).toEqual({})
      await database.transact((db) => fillTables(db, { from: 1, until: 500, rows: 40 }))
      expect(await findScans(database)).toEqual({})
      await database.transact((db) => sql`analyze`.execute(db))
      expect(await findScans(database)).toEqual({})
    },
  )

  it.for([false, true])(
    'finds a request that is named by its id through its key, however many are open',
    async (isAnalyzed) => {
      const database = await open()
      if (isAnalyzed && database.engine === 'postgres')
        await database.transact((db) => sql`analyze`.execute(db))
      const closing = statements.find(({ name }) => name === 'close-request')
      if (!closing) throw new Error('The statement is gone')
      expect((await explain(database, closing)).join('\n')).toContain(
        database.engine === 'postgres' ? 'service_request_id' : '(restaurant_id=? AND id=?)',
      )
    },
  )
})

/** SQLite always looks up the key that is referred to. */
it.for(onPostgres)('%s finds the request of a new event through one row', async () => {
  const database = await open()
  const check = `select 1 from only service_request x where restaurant_id = $1 and id = $2 for key share of x`
  const explainCheck = () =>
    database.transact(async (db) => {
      const run = (text: string) => db.executeQuery<object>(CompiledQuery.raw(text))
      await run(`prepare explained(text, text) as ${check}`)
      const { rows } = await run(`explain execute explained('r', 'q')`)
      await run('deallocate explained')
      return rows.flatMap((row) => Object.values(row))
    })
  expect((await explainCheck()).filter(isScan)).toEqual([])
  await fill(database, manySmall)
  expect((await explainCheck()).filter(isScan)).toEqual([])
})

describe('what is looked for in all restaurants at once', () => {
  const explainQuery = (database: Database, { sql: text, parameters }: CompiledQuery) =>
    database.transact(async (db) => {
      const keyword = database.engine === 'postgres' ? 'explain' : 'explain query plan'
      const { rows } = await db.executeQuery<object>(CompiledQuery.raw(`${keyword} ${text}`, [...parameters]))
      return rows.flatMap((row) => Object.values(row)).join('\n')
    })

  it('is found by indexes that hold little else, among a hundred thousand requests', async () => {
    const database = await open()
    await fill(database, { requests: 100_000, perRestaurant: 100 })
    await database.transact(async (db) => {
      // As in the evening: somebody is on the way to most tables.
      await sql`update service_request set accepted_at = created_at
        where closed_at is null and created_at % 1000 > 0`.execute(db)
      await sql`insert into session (id, token_hash, restaurant_id, created_at)
        select id, id, id, 0 from restaurant`.execute(db)
      await sql`insert into push_subscription (restaurant_id, id, session_id, endpoint, p256dh, auth, created_at)
        select id, id, id, id, 'p', 'a', 0 from restaurant`.execute(db)
      await sql`insert into manager_note (restaurant_id, id, table_key, table_number, text, verified, created_at)
        select restaurant_id, id, table_key, table_number, 'n', 0, created_at from service_request`.execute(
        db,
      )
      await sql`insert into outside_channel (restaurant_id, id, kind, address, created_at)
        select id, 'c', 'webhook', 'a', 0 from restaurant`.execute(db)
      await sql`insert into outside_event (restaurant_id, channel_id, source, id, type, at, data, due_at, done_at)
        select restaurant_id, 'c', id, id, 't', created_at, '{}', created_at, created_at
        from service_request`.execute(db)
      await sql`insert into outside_past_event (restaurant_id, channel_id, source, at)
        select restaurant_id, 'c', id, created_at from service_request`.execute(db)
      await sql`insert into outside_alert (restaurant_id, channel_id, request_id, id, due_at, done_at)
        select restaurant_id, 'c', id, id, created_at, created_at from service_request`.execute(db)
      await sql`insert into push_delivery (restaurant_id, subscription_id, tag, id, payload, urgency, until, stays,
        attempts, next_at)
        select restaurant_id, restaurant_id, id, id, '{}', 'high', created_at, 1, 0,
          case when created_at % 1000 = 0 then created_at end from service_request`.execute(db)
      if (database.engine === 'postgres') await sql`analyze`.execute(db)
    })
    const { waiting, settled } = dueQueries(database.reader, 200)
    const { reader } = database
    const plans = {
      service_request_unpushed: waiting,
      service_request_push_outdated: settled,
      manager_note_created_at: reader.deleteFrom('managerNote').where('createdAt', '<', 100),
      outside_event_done_at: reader.deleteFrom('outsideEvent').where('doneAt', '<', 100),
      outside_past_event_at: reader.deleteFrom('outsidePastEvent').where('at', '<', 100),
      outside_alert_done_at: reader.deleteFrom('outsideAlert').where('doneAt', '<', 100),
      push_delivery_until: reader.deleteFrom('pushDelivery').where('until', '<', 100),
      push_delivery_due: undeliverable(reader, 100_000),
    }
    for (const [index, query] of Object.entries(plans))
      expect(await explainQuery(database, query.compile())).toContain(index)
  })
})
