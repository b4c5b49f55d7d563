import { type Compilable, Kysely, type QueryCreator, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema.ts'
import type { SnakeCasePostgresDialect, SnakeCaseSqliteDialect } from './snake-case.ts'

type Value = string | number | null
export type Input = Readonly<Record<string, Value>>
export type Row = Record<string, unknown>

/** What a statement's query sees: the tables, and its inputs as one more. `n` counts the inputs from 1. */
type WithInput<I, DB> = DB & { input: I & { n: number } }

type Options<I, R, DB> = {
  /** For PostgreSQL's log and views. */
  name: string
  /** The type of each column of `input`. */
  input: { [K in keyof I]-?: 'text' | 'bigint' | 'integer' }
  /** The query for any number of inputs, which it reads from the table `input`. A column that its rows lack does not compile. */
  query: (db: QueryCreator<WithInput<I, DB>>) => Compilable & { execute: () => Promise<R[]> }
  /**
   * Which input a row belongs to. A query that only reads returns `n` with each row. A query that writes returns rows with
   * the same values in these columns as their inputs; no two inputs of one execution may have the same ones.
   */
  match: (R extends { n: number } ? 'n' : never) | readonly (keyof I & keyof R & string)[]
  /**
   * For one that changes rows which other statements change, too: what locks them, and for each of its columns the one of
   * `input` with the same value, which is null for a new row.
   */
  locks?: { with: AnyStatement; row: Readonly<Record<string, keyof I & string>> }
}

export type CompiledStatement = { name: string; sql: string; parameters: readonly unknown[] }

/**
 * A query of a hot path, for inputs `I` and rows `R`: compiled once for each engine and prepared once on each connection.
 * On PostgreSQL one execution serves a list of inputs, so what many transactions ask for at the same moment costs one
 * round trip.
 */
export type Statement<I, R> = AnyStatement & { readonly types?: (input: I) => R }

type StatementLocks = {
  with: AnyStatement
  inputOf: (input: Input) => Input | undefined
  /** Whether an execution by itself locks in the order in which all do. One that may add rows does not. */
  isOrdered: boolean
}

export type AnyStatement = {
  name: string
  onlyReads: boolean
  /** For one input: each of its columns is a parameter. */
  forSqlite: (dialect: SnakeCaseSqliteDialect) => CompiledStatement
  /** For a list of inputs: each column is a parameter, an array. */
  forPostgres: (dialect: SnakeCasePostgresDialect) => CompiledStatement
  /** The key of the input at this place in its list. The rows for it have the same key. */
  keyOfInput: (input: Input, index: number) => string
  /** How the rows that it changes are locked together with those of other statements. */
  locks: StatementLocks | undefined
  /** An execution changes the rows of its inputs in the order of these. */
  orderOf: (input: Input) => string
  keyOfRow: (row: Row) => string
}

export function defineStatement<I extends Record<keyof I, Value>, R, DB = Schema>(
  options: Options<I, R, DB>,
): Statement<I, R> {
  const { input, match, locks } = options
  const named = Object.entries(locks?.row ?? {})
  const order = match === 'n' ? [] : match
  let sqlite: CompiledStatement | undefined
  let postgres: CompiledStatement | undefined
  const valuesOf = (row: Row, columns: readonly string[]): string =>
    columns.length === 1 ? String(row[columns[0] ?? '']) : columns.map((column) => row[column]).join('\n')
  const statement: AnyStatement = {
    name: options.name,
    onlyReads: match === 'n',
    forSqlite: (dialect) =>
      (sqlite ??= withoutArrays(
        compile(options, dialect, (columns) => sql`(values (${sql.join(columns)}, 1))`),
      )),
    forPostgres: (dialect) =>
      (postgres ??= compile(options, dialect, (columns) => {
        const types: Record<string, string> = input
        const arrays = columns.map((column) => sql`${column}::${sql.raw(types[column.name] ?? 'text')}[]`)
        return sql`(select * from unnest(${sql.join(arrays)}) with ordinality)`
      })),
    keyOfInput: (values, index) => (match === 'n' ? String(index + 1) : valuesOf(values, match)),
    locks: locks && {
      with: locks.with,
      inputOf: (values) =>
        named.every(([, column]) => values[column] !== null)
          ? Object.fromEntries(named.map(([name, column]) => [name, values[column] ?? null]))
          : undefined,
      isOrdered: named.map(([, column]) => column).join() === order.join(),
    },
    orderOf: (values) => order.map((column) => values[column]).join('\n'),
    keyOfRow: (row) => (match === 'n' ? String(row['n']) : valuesOf(row, match)),
  }
  statements.push(statement)
  return statement
}

/** All that were defined, for the test of their plans. */
export const statements: AnyStatement[] = []

/**
 * The same as `column = value`, but PostgreSQL finds no other way to it than an index that begins with the column. Where it
 * takes the table for empty or small, as after ANALYZE on a new database, it would read the whole index first and then
 * look each row up among the inputs. Further columns of the index are compared as usual.
 */
export const isOnly = (column: string, value: string | RawBuilder<string>): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} = any(array[${typeof value === 'string' ? sql.ref(value) : value}])`

/** The value, for a condition that PostgreSQL is not to look anything up by before it knows another column. */
export const onceKnown = (known: string, value: string): RawBuilder<string> =>
  sql<string>`case when ${sql.ref(known)} is not null then ${sql.ref(value)} end`

/** SQLite knows neither arrays nor plans of that kind. */
const withoutArrays = ({ sql: text, ...statement }: CompiledStatement): CompiledStatement => ({
  ...statement,
  sql: text.replaceAll(/= any\(array\[([^\]]+)\]\)/gu, '= $1'),
})

function compile<I, R, DB>(
  { name, input, query }: Options<I, R, DB>,
  dialect: SnakeCasePostgresDialect | SnakeCaseSqliteDialect,
  selectInput: (columns: InputColumn[]) => RawBuilder<I & { n: number }>,
): CompiledStatement {
  const columns = Object.keys(input)
  const rows = selectInput(columns.map((column) => new InputColumn(column)))
  const db = new Kysely<DB>({ dialect })
  const { sql, parameters } = query(db.with(`input(${columns.join(', ')}, n)`, () => rows)).compile()
  return { name, sql, parameters }
}

/** Stands in a compiled query for what the input has in a column. */
class InputColumn {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export const bindParameters = (
  { parameters }: CompiledStatement,
  valueOf: (column: string) => unknown,
): unknown[] =>
  parameters.map((parameter) => (parameter instanceof InputColumn ? valueOf(parameter.name) : parameter))

/** The rows that a driver returned as arrays, as objects with the names of the code. */
export function toRows(columns: readonly string[], rows: readonly Record<number, unknown>[]): Row[] {
  return rows.map((values) => {
    const row: Row = {}
    for (let index = 0; index < columns.length; index++) row[columns[index] ?? ''] = values[index]
    return row
  })
}
