import {
  type ClientBase,
  type CustomTypesConfig,
  DatabaseError,
  Pool,
  type PoolConfig,
  type QueryArrayConfig,
  TypeOverrides,
  types,
} from 'pg'
import { DatabaseUnavailable } from '../errors.ts'
import { toCamelCase } from '../snake-case.ts'
import { bindParameters, type CompiledStatement, type Input, type Row, toRows } from '../statement.ts'
import { PrimaryClient } from './postgres-client.ts'
import { isStalePlan, spread } from './postgres-retry.ts'

type Options = PoolConfig & {
  /** Whether the connections are to a pooler. It keeps nothing of a session, prepared statements included. */
  toPooler?: boolean
  /** Called when a query got no answer within `query_timeout`. */
  onUnanswered?: () => void
}

export function createPool(url: string, max: number, options: Options = {}): Pool {
  const { toPooler = false, onUnanswered = () => {}, ...config } = options
  const pool = new Pool({
    ...config,
    Client: PrimaryClient,
    connectionString: url,
    max,
    pipeline: true,
    types: numericTypes(),
    // Includes the wait for a free connection: a rush of writes queues here and must not be refused.
    connectionTimeoutMillis: 30_000,
    // The system then asks every second, and gives up after ten.
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'tableside',
  })
  spreadLifetimes(pool)
  const toError = (error: unknown): unknown => {
    if (error instanceof Error && error.message === unanswered) onUnanswered()
    return toUnavailable(error)
  }
  // A lost connection fails the query that it was running, and the pool opens a new one. Without a listener the same
  // error would also end the process.
  const ignoreLostConnection = () => {}
  pool.on('error', ignoreLostConnection)
  pool.on('connect', (client) => {
    client.on('error', ignoreLostConnection)
    if (toPooler) sendUnprepared(client, toError)
    else prepareStatements(client, toError)
  })
  const connect = pool.connect.bind(pool)
  return Object.assign(pool, {
    connect: () =>
      connect().catch((error: unknown) => {
        throw isInternal(error) ? unreachable(error) : toUnavailable(error)
      }),
  })
}

/** Connections that were opened together would end together, and those who come next would wait for all new ones. */
function spreadLifetimes({ options }: Pool): void {
  const { maxLifetimeSeconds } = options
  if (maxLifetimeSeconds > 0)
    Object.defineProperty(options, 'maxLifetimeSeconds', {
      get: () => maxLifetimeSeconds * (1 - spread() / 4),
    })
}

/** What `pg` says then; it has no code for it. */
const unanswered = 'Query read timeout'

/** Those that nobody uses: the next transaction opens another one. */
export function dropIdle(pool: Pool): void {
  for (let count = pool.idleCount; count > 0; count--)
    pool.connect().then(
      (client) => {
        client.release(true)
        if (client instanceof PrimaryClient) client.drop()
      },
      () => {},
    )
}

/** An error that PostgreSQL did not send itself: it was not reached, or the connection broke. */
function toUnavailable(error: unknown): unknown {
  return error instanceof DatabaseError ? error : unreachable(error)
}

/** For one who connects it is an outage: after a crash on a full disk no file can be written that a session begins with. */
const isInternal = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code ?? '').startsWith('XX')

const unreachable = (cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable('PostgreSQL cannot be reached', { cause })

/** What callers are told instead. */
type ToError = (error: unknown) => unknown

function sendUnprepared(client: ClientBase, toError: ToError): void {
  const query = client.query.bind(client)
  Object.assign(client, {
    query: async (statement: string | QueryArrayConfig, values: unknown[] = []) => {
      try {
        if (typeof statement === 'string') return await query(statement, values)
        const { name: _, ...unnamed } = statement
        return await query(unnamed)
      } catch (error) {
        throw toError(error)
      }
    },
  })
}

/** Lists of varying length make endless different statements; the long ones are not worth keeping. */
const statementCacheLimits = { count: 500, values: 24 }
const statementNames = new Map<string, string>()
let statementCount = 0

/**
 * Makes each connection parse and plan a statement once and then only run it. A newer version of the product may add a
 * column to a table meanwhile: then all statements are prepared anew.
 */
function prepareStatements(client: ClientBase, toError: ToError): void {
  const query = client.query.bind(client)
  const run = (text: string, values: unknown[]) => {
    const name = statementName(text, values.length)
    return name === undefined ? query(text, values) : query({ name, text, values })
  }
  Object.assign(client, {
    query: async (statement: string | QueryArrayConfig, values: unknown[] = []) => {
      try {
        return await (typeof statement === 'string' ? run(statement, values) : query(statement))
      } catch (error) {
        if (!isStalePlan(error) || typeof statement !== 'string') throw toError(error)
        statementNames.clear()
        // Inside a transaction this fails too, because the transaction is already lost.
        return run(statement, values).catch(() => {
          throw error
        })
      }
    },
  })
}

function statementName(text: string, valueCount: number): string | undefined {
  const existing = statementNames.get(text)
  if (existing !== undefined || valueCount === 0 || valueCount > statementCacheLimits.values) return existing
  if (statementNames.size >= statementCacheLimits.count) return undefined
  const name = `s${++statementCount}`
  statementNames.set(text, name)
  return name
}

/** Executes a statement on a connection, with a list for each of its parameters. */
export async function executeStatement(
  client: ClientBase,
  { name, sql: text, parameters }: CompiledStatement,
  inputs: readonly Input[],
): Promise<Row[]> {
  const values = bindParameters({ name, sql: text, parameters }, (column) =>
    inputs.map((input) => input[column]),
  )
  const { fields, rows } = await client.query({ name, text, values, rowMode: 'array' })
  return toRows(
    fields.map((field) => toCamelCase(field.name)),
    rows,
  )
}

/** Reads counts, sums and averages as numbers, as SQLite returns them; no value in the tables exceeds 2^53. */
function numericTypes(): CustomTypesConfig {
  const overrides = new TypeOverrides()
  overrides.setTypeParser(types.builtins.INT8, Number)
  overrides.setTypeParser(types.builtins.NUMERIC, Number)
  return overrides
}
