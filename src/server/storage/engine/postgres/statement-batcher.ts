import type { StatementRunner } from '../db.ts'
import type { AnyStatement, Input, Row } from '../statement.ts'

/** Executes a statement once for a list of inputs. */
export type ExecuteStatement = (statement: AnyStatement, inputs: readonly Input[]) => Promise<Row[]>

/** When this many executions of a statement are on their way, what else asks for it waits, and then shares the next. */
const maxExecutions = 2

type Batch = [statement: AnyStatement, calls: Call[]]
/** `rows`: those that are there already, and that other statements may change, too. */
type SortedBatch = { statement: AnyStatement; calls: Call[]; rows: Input[] }
type Call = { input: Input; resolve: (rows: Row[]) => void; reject: (error: unknown) => void }

/**
 * Gathers what is asked for in one turn of the event loop or while a statement is on its way, executes each statement
 * once for all of it, and sends all executions together.
 */
export class StatementBatcher {
  #execute: ExecuteStatement
  #inStep: boolean
  #mayLock: () => boolean
  #waiting = new Map<AnyStatement, Call[]>()
  #executing = new Map<AnyStatement, number>()
  #isScheduled = false
  #isClosed = false

  /**
   * `inStep`: what is asked for during an execution waits for its end, so that transactions that share a connection take
   * their steps together. `mayLock`: whether all of them have come to where they lock rows, or have ended.
   */
  constructor(
    execute: ExecuteStatement,
    { inStep, mayLock = () => true }: { inStep: boolean; mayLock?: () => boolean },
  ) {
    this.#execute = execute
    this.#inStep = inStep
    this.#mayLock = mayLock
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

  /** To be called when `mayLock` may have changed. */
  proceed(): void {
    this.#schedule()
  }

  /**
   * After everything that can run now has run: the queue of ticks comes after that of promises. What is not in step also
   * comes after what other sockets bring in the same turn.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#ready().length === 0) return
    this.#isScheduled = true
    const send = () => {
      this.#isScheduled = false
      try {
        this.#send(this.#ready())
      } catch {
        // The callers know.
      }
    }
    if (this.#inStep) queueMicrotask(() => process.nextTick(send))
    else setImmediate(send)
  }

  #ready(): Batch[] {
    const mayLock = this.#mayLock()
    return [...this.#waiting].filter(([statement]) => {
      if (statement.locks && !mayLock) return false
      return this.#inStep ? this.#executing.size === 0 : (this.#executing.get(statement) ?? 0) < maxExecutions
    })
  }

  /** Sends what waits now. Throws, and sends nothing of it, when a statement would change a row twice. */
  flush(): void {
    this.#send([...this.#waiting])
  }

  #send(batches: Batch[]): void {
    for (const [statement] of batches) this.#waiting.delete(statement)
    try {
      const sorted = batches.map(([statement, calls]) => toSortedBatch(statement, calls))
      this.#lockRows(sorted)
      for (const { statement, calls } of newRowsLast(sorted)) void this.#executeBatch(statement, calls)
    } catch (error) {
      rejectAll(batches, error)
      throw error
    }
  }

  /**
   * Statements change their rows one after the other, so what several of them will change is locked before. So is what
   * one of them will change beside rows that it adds.
   */
  #lockRows(batches: readonly SortedBatch[]): void {
    const locking = batches.filter(({ rows }) => rows.length > 0)
    const [first] = locking
    const lock = first?.statement.locks
    if (!lock || (locking.length === 1 && (lock.isOrdered || first.calls.length === 1))) return
    const byOrder = new Map(locking.flatMap(({ rows }) => rows).map((row) => [lock.with.orderOf(row), row]))
    const rows = [...byOrder].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
    // If it fails, so do those that follow it.
    this.#execute(lock.with, rows).catch(() => {})
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
 * Sorted in the order in which all nodes lock rows. Two calls for one row are refused: one execution changes a row only
 * once, and the second call has to see what the first one wrote.
 */
function toSortedBatch(statement: AnyStatement, calls: Call[]): SortedBatch {
  if (statement.onlyReads) return { statement, calls, rows: [] }
  if (new Set(calls.map(({ input }) => statement.keyOfInput(input, 0))).size < calls.length)
    throw new Error('One execution of a statement cannot change a row twice')
  const sorted = calls
    .map((call) => ({ call, order: statement.orderOf(call.input) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ call }) => call)
  const rows = sorted.flatMap(({ input }) => {
    const row = statement.locks?.inputOf(input)
    return row ? [row] : []
  })
  return { statement, calls: sorted, rows }
}

/** Everybody locks what is there already before what they add. */
const newRowsLast = (batches: readonly SortedBatch[]): SortedBatch[] => {
  const addsRows = ({ statement }: SortedBatch) => statement.locks?.isOrdered === false
  return [...batches.filter((batch) => !addsRows(batch)), ...batches.filter(addsRows)]
}
