import type { StatementRunner } from '../db.ts'
import type { AnyStatement, Input, Row } from '../statement.ts'

/** Executes a statement once for a list of inputs. */
export type ExecuteStatement = (statement: AnyStatement, inputs: readonly Input[]) => Promise<Row[]>

/** When this many executions of a statement are on their way, what else asks for it waits, and then shares the next. */
const maxExecutions = 2

type Batch = [statement: AnyStatement, calls: Call[]]
type Call = { input: Input; resolve: (rows: Row[]) => void; reject: (error: unknown) => void }

/**
 * Gathers what is asked for in one turn of the event loop or while a statement is on its way, executes each statement
 * once for all of it, and sends all executions together.
 */
export class StatementBatcher {
  #execute: ExecuteStatement
  #inStep: boolean
  #waiting = new Map<AnyStatement, Call[]>()
  #executing = new Map<AnyStatement, number>()
  #isScheduled = false
  #isClosed = false

  /**
   * `inStep`: what is asked for during an execution waits for its end, so that transactions that share a connection take
   * their steps together.
   */
  constructor(execute: ExecuteStatement, { inStep }: { inStep: boolean }) {
    this.#execute = execute
    this.#inStep = inStep
  }

  readonly run: StatementRunner = (statement, inputs) => {
    if (this.#isClosed) throw new Error('A statement came after the end of its transaction')
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
    if (this.#isScheduled || this.#ready().length === 0) return
    this.#isScheduled = true
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isScheduled = false
        try {
          this.#send(this.#ready())
        } catch {
          // The callers know.
        }
      }),
    )
  }

  #ready(): Batch[] {
    return [...this.#waiting].filter(([statement]) =>
      this.#inStep ? this.#executing.size === 0 : (this.#executing.get(statement) ?? 0) < maxExecutions,
    )
  }

  /** Sends what waits now. Throws, and sends nothing of it, when a statement would change a row twice. */
  flush(): void {
    this.#send([...this.#waiting])
  }

  #send(batches: Batch[]): void {
    for (const [statement] of batches) this.#waiting.delete(statement)
    try {
      const sorted = batches.map(([statement, calls]) => ({ statement, calls: sortByKey(statement, calls) }))
      for (const { statement, calls } of sorted) void this.#executeBatch(statement, calls)
    } catch (error) {
      rejectAll(batches, error)
      throw error
    }
  }

  /** What still waits is never sent. */
  close(): void {
    this.#isClosed = true
    rejectAll([...this.#waiting], new Error('The transaction ended before this statement was sent'))
    this.#waiting.clear()
  }

  async #executeBatch(statement: AnyStatement, calls: Call[]): Promise<void> {
    this.#executing.set(statement, (this.#executing.get(statement) ?? 0) + 1)
    try {
      const inputs = calls.map(({ input }) => input)
      const rows = Map.groupBy(await this.#execute(statement, inputs), (row) => statement.keyOfRow(row))
      calls.forEach(({ input, resolve }, index) =>
        resolve(rows.get(statement.keyOfInput(input, index)) ?? []),
      )
    } catch (error) {
      for (const { reject } of calls) reject(error)
    } finally {
      const others = (this.#executing.get(statement) ?? 1) - 1
      if (others > 0) this.#executing.set(statement, others)
      else this.#executing.delete(statement)
      this.#schedule()
    }
  }
}

function rejectAll(batches: Batch[], error: unknown): void {
  for (const [, calls] of batches) for (const { reject } of calls) reject(error)
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
