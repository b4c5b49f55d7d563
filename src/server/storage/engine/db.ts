import { isKyselyProps, Kysely, type KyselyConfig, type KyselyProps } from 'kysely'
import type { Schema } from '../schema.ts'
import type { AnyStatement, Input, Row, Statement } from './statement.ts'

/** Executes a statement for each input, and returns the rows of each. */
export type StatementRunner = (statement: AnyStatement, inputs: readonly Input[]) => Promise<Row[][]>

/** Kysely for most queries, and statements for those of the hot paths. */
export class Db extends Kysely<Schema> {
  #runStatement: StatementRunner

  constructor(options: KyselyConfig | KyselyProps, runStatement: StatementRunner) {
    if (isKyselyProps(options)) super(options)
    else super(options)
    this.#runStatement = runStatement
  }

  /** The rows for one input. */
  async run<I, R>(statement: Statement<I, R>, input: I & Input): Promise<R[]>
  async run(statement: AnyStatement, input: Input): Promise<unknown[]> {
    const [rows = []] = await this.#runStatement(statement, [input])
    return rows
  }

  /** The rows for each input. */
  async runAll<I, R>(statement: Statement<I, R>, inputs: readonly (I & Input)[]): Promise<R[][]>
  async runAll(statement: AnyStatement, inputs: readonly Input[]): Promise<unknown[][]> {
    return inputs.length === 0 ? [] : this.#runStatement(statement, inputs)
  }
}
