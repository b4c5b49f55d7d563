import { setTimeout } from 'node:timers/promises'
import { Kysely, type KyselyPlugin } from 'kysely'
import {
  type ClientBase,
  type ClientConfig,
  type CustomTypesConfig,
  DatabaseError,
  Pool,
  TypeOverrides,
  types,
} from 'pg'
import { isForeignKeyViolation } from './constraint-errors.ts'
import type { Database, Db, EngineOptions } from './types.ts'
import { DatabaseOpenError } from './open-error.ts'
import { SnakeCasePostgresDialect } from './snake-case.ts'
import { DatabaseUnavailable } from './outages.ts'
import type { Schema } from '../schema.ts'
import { createScopeFactory } from './transaction-scope.ts'

const maxAttempts = 5
/** "cached plan must not change result type" is one of these. */
const featureNotSupported = '0A000'
/** With serialization_failure and deadlock_detected PostgreSQL took everything back, and asks to be asked again. */
const retryableCodes = new Set(['40001', '40P01', featureNotSupported])

/** Opens a pool on a database that several nodes may share. */
export async function openPostgres(url: string, options: EngineOptions): Promise<Database> {
  await migrateOnce(url, options)
  const dialect = new SnakeCasePostgresDialect({ pool: createPool(url, options.maxConnections, timeouts) })
  const { plugins } = options
  const db = new Kysely<Schema>({ dialect, plugins })
  const openScope = createScopeFactory(dialect, plugins)
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  async function runOnce<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return db
      .transaction()
      .setIsolationLevel('read committed')
      .execute((transaction) =>
        transaction.getExecutor().provideConnection(async (connection) => {
          const scope = openScope(connection)
          try {
            return await work(scope.db)
          } finally {
            scope.end()
          }
        }),
      )
  }

  async function runWithRetries<T>(work: (db: Db) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await runOnce(work)
        options.onCommit(1)
        return result
      } catch (error) {
        if (attempt === maxAttempts || !isRetryable(error)) throw error
        await backOff(attempt)
      }
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(running)
    await db.destroy()
  }

  return {
    engine: 'postgres',
    url,
    reader: db,
    async transact(work) {
      if (closed) throw new DatabaseUnavailable('The database is closed')
      const answer = runWithRetries(work)
      running.add(answer)
      return answer.finally(() => running.delete(answer))
    },
    close: () => (closed ??= close()),
  }
}

/** For reading only, on two connections of its own. */
export function openPostgresReader(url: string, plugins: KyselyPlugin[]): Kysely<Schema> {
  const config = { statement_timeout: 60_000, options: '-c default_transaction_read_only=on' }
  return new Kysely<Schema>({
    dialect: new SnakeCasePostgresDialect({ pool: createPool(url, 2, config) }),
    plugins,
  })
}

/** On a connection of its own, with no time limit: a node that comes later waits here until the first is through. */
async function migrateOnce(url: string, { migrate }: EngineOptions): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new SnakeCasePostgresDialect({ pool: createPool(url, 1) }) })
  try {
    await requireConnection(db)
    await migrate(db)
  } finally {
    await db.destroy()
  }
}

/** What goes wrong here is the address, the account or the network; what goes wrong later is ours. */
async function requireConnection(db: Kysely<unknown>): Promise<void> {
  try {
    await db.getExecutor().provideConnection(async () => {})
  } catch (error) {
    throw new DatabaseOpenError('PostgreSQL', error instanceof DatabaseUnavailable ? error.cause : error)
  }
}

/** Longer than any query of the product takes, shorter than a guest waits. */
const timeouts: ClientConfig = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
}

function createPool(url: string, max: number, config: ClientConfig = {}): Pool {
  const pool = new Pool({
    ...config,
    connectionString: url,
    max,
    types: numericTypes(),
    // Also the wait for a free connection: a rush of writes queues here and must not be refused.
    connectionTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'tableside',
  })
  // A lost connection fails the query that it was running, and the pool makes a new one: without a
  // listener the same loss would also end the process.
  const ignoreLostConnection = () => {}
  pool.on('error', ignoreLostConnection)
  pool.on('connect', (client) => {
    client.on('error', ignoreLostConnection)
    prepareStatements(client)
  })
  const connect = pool.connect.bind(pool)
  return Object.assign(pool, {
    connect: () =>
      connect().catch((error: unknown) => {
        throw unavailableUnlessAnswered(error)
      }),
  })
}

/** PostgreSQL itself did not say that: there was no connection to it, or the connection broke. */
function unavailableUnlessAnswered(error: unknown): unknown {
  if (error instanceof DatabaseError) return error
  return new DatabaseUnavailable('PostgreSQL is not reached', { cause: error })
}

/** Lists of any length make statements without end; these are not worth keeping. */
const statementCacheLimits = { count: 500, values: 24 }
const statementNames = new Map<string, string>()
let statementCount = 0

/**
 * Each connection parses and plans a statement of ours once, and from then on only runs it. A newer version of the
 * product may add a column to a table while this one runs: then everything is prepared anew.
 */
function prepareStatements(client: ClientBase): void {
  const query = client.query.bind(client)
  const run = (text: string, values: unknown[]) => {
    const name = statementName(text, values.length)
    return name === undefined ? query(text, values) : query({ name, text, values })
  }
  Object.assign(client, {
    query: async (text: string, values: unknown[] = []) => {
      try {
        return await run(text, values)
      } catch (error) {
        if (!isStalePlan(error)) throw unavailableUnlessAnswered(error)
        statementNames.clear()
        // In a transaction this fails too, for that is lost already.
        return run(text, values).catch(() => {
          throw error
        })
      }
    },
  })
}

function statementName(text: string, values: number): string | undefined {
  const existing = statementNames.get(text)
  if (existing !== undefined || values === 0 || values > statementCacheLimits.values) return existing
  if (statementNames.size >= statementCacheLimits.count) return undefined
  const name = `s${++statementCount}`
  statementNames.set(text, name)
  return name
}

/** Counts, sums and means as numbers, as SQLite gives them; the tables hold nothing beyond 2^53. */
function numericTypes(): CustomTypesConfig {
  const overrides = new TypeOverrides()
  overrides.setTypeParser(types.builtins.INT8, Number)
  overrides.setTypeParser(types.builtins.NUMERIC, Number)
  return overrides
}

function isRetryable(error: unknown): boolean {
  // What was there when the transaction looked is gone: looking again says so in words.
  return (
    error instanceof DatabaseError && (retryableCodes.has(error.code ?? '') || isForeignKeyViolation(error))
  )
}

const isStalePlan = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === featureNotSupported

let backOffCount = 0

/** 10 to 20 ms, then twice as long each time; the golden ratio spreads those that wait at once. */
async function backOff(attempt: number): Promise<void> {
  const share = (++backOffCount * 0.618_034) % 1
  await setTimeout(10 * 2 ** (attempt - 1) * (1 + share))
}
