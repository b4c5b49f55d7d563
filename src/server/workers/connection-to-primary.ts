import type { Gossip } from '../adapters/limit-gossip.ts'
import type { ProcessMetrics } from '../adapters/metrics.ts'
import { Refusal } from '../core/errors.ts'
import { oncePerTurn } from '../core/tasks/once-per-turn.ts'
import type { ReserveSocket } from '../live/limits/socket-limits.ts'
import type { Limits, LimitsSignal } from '../ports/limits.ts'
import type { Call, CallAnswer, PrimaryMessage, WorkerMessage } from './messages.ts'

/** What the workers of one server share. */
export type SharedByWorkers = {
  limits: Limits
  reserveSocket: ReserveSocket
  /** Figures of all workers. `read` is called whenever one of them is asked for them. */
  shareMetrics(read: () => Promise<ProcessMetrics>): () => Promise<string>
  /** The primary's, by way of this worker's bus. */
  gossip: Gossip
}

type PendingCall = { call: Call; resolve: (answer: CallAnswer) => void }

/** A worker's end of the channel to the primary. */
export class ConnectionToPrimary implements SharedByWorkers {
  #unanswered = new Map<number, PendingCall[]>()
  #batches = 0
  #sockets = 0
  #readMetrics: (() => Promise<ProcessMetrics>) | undefined
  #publish: (signals: LimitsSignal[]) => void = () => {}

  constructor(onStop: (options: { replaced: boolean }) => void) {
    process.on('message', (message: PrimaryMessage) => {
      if (message.kind === 'answers') this.#settle(message.batch, message.answers)
      else if (message.kind === 'stop') onStop(message)
      else if (message.kind === 'publish') this.#publish(message.signals)
      else void this.#readMetrics?.().then((metrics) => send({ kind: 'measured', metrics }))
    })
  }

  reportReady(): void {
    send({ kind: 'ready' })
  }

  readonly limits: Limits = {
    take: (...key) => this.#do({ kind: 'take', key }),
    check: (...key) => this.#do({ kind: 'check', key }),
    clear: (...key) => this.#do({ kind: 'clear', key }),
    takeAll: (taken, alsoChecked = [], cleared = []) =>
      this.#do({ kind: 'take-all', taken, alsoChecked, cleared }),
  }

  readonly reserveSocket: ReserveSocket = async (quotas) => {
    const id = ++this.#sockets
    await this.#do({ kind: 'reserve-socket', id, quotas })
    return () => void this.#call({ kind: 'release-socket', id })
  }

  readonly gossip: Gossip = {
    start: (publish) => {
      this.#publish = publish
    },
    receive: (signal) => send({ kind: 'limits', signal }),
    missed: () => send({ kind: 'limits-missed' }),
    // The other workers go on.
    stop() {},
  }

  shareMetrics(read: () => Promise<ProcessMetrics>): () => Promise<string> {
    this.#readMetrics = read
    return async () => {
      const answer = await this.#call({ kind: 'metrics' })
      return answer.kind === 'metrics' ? answer.text : ''
    }
  }

  async #do(call: Call): Promise<void> {
    const answer = await this.#call(call)
    if (answer.kind !== 'refused') return
    const { code, message, ...options } = answer.error
    throw new Refusal(code, message, options)
  }

  /**
   * Calls of one turn of the event loop travel together and are answered together: it is cheaper, and taps that share
   * a transaction go on in step.
   */
  #call(call: Call): Promise<CallAnswer> {
    return new Promise((resolve) => this.#sendAtEnd({ call, resolve }))
  }

  #sendAtEnd = oncePerTurn<PendingCall>((calls) => {
    const batch = ++this.#batches
    this.#unanswered.set(batch, calls)
    send({ kind: 'calls', batch, calls: calls.map(({ call }) => call) })
  })

  #settle(batch: number, answers: CallAnswer[]): void {
    const calls = this.#unanswered.get(batch) ?? []
    this.#unanswered.delete(batch)
    answers.forEach((answer, index) => calls[index]?.resolve(answer))
  }
}

/** Without the primary, Node ends the worker. */
function send(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}
