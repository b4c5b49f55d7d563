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
import { DatabaseUnavailable } from './errors.ts'
import { PrimaryClient } from './postgres-client.ts'
import { isStalePlan } from './postgres-retry.ts'
import { toCamelCase } from './snake-case.ts'
import { bindParameters, type CompiledStatement, type Input, type Row, toRows } from './statement.ts'

type Options = PoolConfig & {
  /** Whether the connections are to a pooler. It keeps nothing of a session, prepared statements included. */
  toPooler?: boolean
}

export function createPool(url: string, max: number, options: Options = {}): Pool {
  const { toPooler = false, ...config } = options
  const pool = new Pool({
    ...config,
    Client: PrimaryClient,
    connectionString: url,
    max,
    pipeline: true,
    types: numericTypes(),
    // Includes the wait for a free connection: a rush of writes queues here and must not be refused.
    connectionTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'tableside',
  })
  // A lost connection fails the query that it was running, and the pool opens a new one. Without a listener the same
  // error would also end the process.
  const ignoreLostConnection = () => {}
  pool.on('error', ignoreLostConnection)
  pool.on('connect', (client) => {
    client.on('error', ignoreLostConnection)
    if (toPooler) sendUnprepared(client)
    else prepareStatements(client)
  })
  const connect = pool.connect.bind(pool)
  return Object.assign(pool, {
    connect: () =>
      connect().catch((error: unknown) => {
        throw toUnavailable(error)
      }),
  })
}

/** An error that PostgreSQL did not send itself: it was not reached, or the connection broke. */
function toUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseError) return error
  return new DatabaseUnavailable('PostgreSQL cannot be reached', { cause: error })
}

function sendUnprepared(client: ClientBase): void {
  const query = client.query.bind(client)
  Object.assign(client, {
    query: async (statement: string | QueryArrayConfig, values: unknown[] = []) => {
      try {
        if (typeof statement === 'string') return await query(statement, values)
        const { name: _, ...unnamed } = statement
        return await query(unnamed)
      } catch (error) {
        throw toUnavailable(error)
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
function prepareStatements(client: ClientBase): void {
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
        if (!isStalePlan(error) || typeof statement !== 'string') throw toUnavailable(error)
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
