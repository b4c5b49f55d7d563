import type { StatementRunner } from './db.ts'
import type { AnyStatement, Input, Row } from './statement.ts'

/** Executes a statement once for a list of inputs. */
export type ExecuteStatement = (statement: AnyStatement, inputs: readonly Input[]) => Promise<Row[]>

type Call = { input: Input; resolve: (rows: Row[]) => void; reject: (error: unknown) => void }

/**
 * Gathers what is asked for in one turn of the event loop, executes each statement once for all of it, and sends all
 * executions together.
 */
export class StatementBatcher {
  #execute: ExecuteStatement
  #inStep: boolean
  #waiting = new Map<AnyStatement, Call[]>()
  #executing = 0
  #isScheduled = false

  /**
   * `inStep`: what is asked for during an execution waits for its end, so that transactions that share a connection take
   * their steps together.
   */
  constructor(execute: ExecuteStatement, { inStep }: { inStep: boolean }) {
    this.#execute = execute
    this.#inStep = inStep
  }

  readonly run: StatementRunner = (statement, inputs) => {
    const calls = this.#waiting.get(statement) ?? []
    this.#waiting.set(statement, calls)
    const results = inputs.map(
      (input) => new Promise<Row[]>((resolve, reject) => calls.push({ input, resolve, reject })),
    )
    this.#schedule()
    return Promise.all(results)
  }

  /** After everything that can run now has run: the queue of ticks comes after that of promises. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0 || (this.#inStep && this.#executing > 0)) return
    this.#isScheduled = true
    queueMicrotask(() => process.nextTick(() => this.flush()))
  }

  /** Sends what waits now. */
  flush(): void {
    this.#isScheduled = false
    const batches = [...this.#waiting]
    this.#waiting.clear()
    for (const [statement, calls] of batches) void this.#executeBatch(statement, calls)
  }

  async #executeBatch(statement: AnyStatement, calls: Call[]): Promise<void> {
    this.#executing++
    try {
      const sorted = sortByKey(statement, calls)
      const inputs = sorted.map(({ input }) => input)
      const rows = Map.groupBy(await this.#execute(statement, inputs), (row) => statement.keyOfRow(row))
      sorted.forEach(({ input, resolve }, index) =>
        resolve(rows.get(statement.keyOfInput(input, index)) ?? []),
      )
    } catch (error) {
      for (const { reject } of calls) reject(error)
    } finally {
      this.#executing--
      this.#schedule()
    }
  }
}

/**
 * In the order of the keys, so that all nodes lock rows in the same one. Two calls for one row are refused, because one
 * execution changes a row only once, and because who comes second is to see what the first one wrote.
 */
function sortByKey(statement: AnyStatement, calls: Call[]): Call[] {
  if (statement.onlyReads || calls.length === 1) return calls
  const byKey = new Map(calls.map((call) => [statement.keyOfInput(call.input, 0), call]))
  if (byKey.size < calls.length) throw new Error('One execution of a statement cannot change a row twice')
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, call]) => call)
}
