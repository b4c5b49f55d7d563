import { CompiledQuery, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { openDatabase } from './engine/database.ts'
import { SnakeCasePostgresDialect, SnakeCaseSqliteDialect } from './engine/snake-case.ts'
import { type AnyStatement, bindParameters, statements } from './engine/statement.ts'
import type { Database, Db } from './engine/types.ts'
import './request-events.ts'
import './requests.ts'
import './sessions.ts'
import './streams.ts'
import './tap-context.ts'
import './visits.ts'

const requestCount = 1_000_000

const compileOnly = () => {
  throw new Error('This dialect only compiles')
}
const postgres = new SnakeCasePostgresDialect({ pool: async () => compileOnly() })
const sqlite = new SnakeCaseSqliteDialect({ database: async () => compileOnly() })

async function open(): Promise<Database> {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const database = await openDatabase(url)
  onTestFinished(() => database.close())
  return database
}

/** Restaurants of 10,000 requests each, of which the last has many open ones. */
async function fill(database: Database): Promise<void> {
  const n = sql.raw(
    database.engine === 'postgres'
      ? `(select generate_series(0, ${requestCount - 1}) as i) as n`
      : `(with recursive n(i) as (select 0 union all select i + 1 from n where i < ${requestCount - 1}) select i from n) as n`,
  )
  await database.transact(async (db) => {
    if (database.engine === 'postgres') await sql`set local statement_timeout = 0`.execute(db)
    const indexes = await dropIndexes(db, database.engine)
    await sql`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
      select 'r' || i, 'r' || i, 'UTC', 1, 'k', 0 from ${n} where i < ${requestCount / 10_000}`.execute(db)
    await sql`insert into service_request (restaurant_id, id, table_number, table_key, service_type, created_at,
        local_day, asks, last_asked_at, seen, level, verified, closed_at)
      select 'r' || (i / 10000), 'q' || i, 't' || i, 't' || i, 'drinks', i, '2026-01-01', 1, i, 0, 0, 0,
        case when i % 20 > 0 then i end from ${n}`.execute(db)
    for (const definition of indexes) await sql.raw(definition).execute(db)
    await sql`insert into restaurant_name (name_key, restaurant_id) select id, id from restaurant`.execute(db)
    await sql`insert into floor_table (restaurant_id, id, table_number, number_key, category, created_at)
      select restaurant_id, 't' || id, table_number, table_key, 'table', 0 from service_request
      where created_at % 100 = 0`.execute(db)
    await sql`insert into guest_visit (restaurant_id, guest_id, table_key, started_at)
      select restaurant_id, id, table_key, 0 from service_request where created_at % 20 = 0`.execute(db)
    await sql`insert into request_event (restaurant_id, id, request_id, at, kind, actor_kind)
      select restaurant_id, id, id, created_at, 'created', 'guest' from service_request
      where created_at % 10 = 0`.execute(db)
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

/** One line for each step of the plan. */
async function explain(database: Database, statement: AnyStatement): Promise<string[]> {
  return database.transact(async (db) => {
    const query = async (text: string, parameters: unknown[] = []): Promise<string[]> => {
      const { rows } = await db.executeQuery<{ detail?: string; queryPlan?: string }>(
        CompiledQuery.raw(text, parameters),
      )
      return rows.flatMap((row) => row.detail ?? Object.values(row))
    }
    if (database.engine === 'sqlite') {
      const compiled = statement.forSqlite(sqlite)
      return query(
        `explain query plan ${compiled.sql}`,
        bindParameters(compiled, () => null),
      )
    }
    const compiled = statement.forPostgres(postgres)
    const values = bindParameters(compiled, () => '{}').map((value) =>
      typeof value === 'string' ? `'${value}'` : 'null',
    )
    await query(`prepare explained as ${compiled.sql}`)
    const steps = await query(`explain execute explained(${values.join(', ')})`)
    await query('deallocate explained')
    return steps
  })
}

/** Steps that read more of a table than the rows they need; `input` is what the statement was given. */
const isScan = (step: string): boolean =>
  /Seq Scan|Hash|Merge Join|AUTOMATIC/u.test(step) ||
  (step.startsWith('SCAN ') && !/input|CONSTANT|^SCAN i$/u.test(step))

/** Also steps that find rows of a table that grows by less than what the statement was given. */
const isPartialScan = (step: string, index: number, steps: string[]): boolean =>
  isScan(step) ||
  (/Scan.* on (?:service_request|request_event|guest_visit)\b/u.test(step) &&
    !/Index Cond: .*unnest/u.test(steps[index + 1] ?? ''))

describe('the plan of each statement of the hot paths', () => {
  it('follows the indexes, on empty tables and among a million requests', async () => {
    const database = await open()
    const scansOf = async (isScan: typeof isPartialScan): Promise<Record<string, string[]>> => {
      const plans = await Promise.all(
        statements.map(
          async (statement) => [statement.name, (await explain(database, statement)).filter(isScan)] as const,
        ),
      )
      return Object.fromEntries(plans.filter(([, scans]) => scans.length > 0))
    }
    expect(statements.length).toBeGreaterThan(7)
    expect(await scansOf(isScan)).toEqual({})
    await fill(database)
    expect(await scansOf(isPartialScan)).toEqual({})
  })

  it('finds a request that is named by its id through its key, however many are open', async () => {
    const database = await open()
    const closing = statements.find(({ name }) => name === 'close-request')
    if (!closing) throw new Error('The statement is gone')
    expect((await explain(database, closing)).join('\n')).toContain(
      database.engine === 'postgres' ? 'service_request_id' : '(restaurant_id=? AND id=?)',
    )
  })
})
