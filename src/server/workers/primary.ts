import cluster, { type Worker } from 'node:cluster'
import { setTimeout } from 'node:timers/promises'
import { createLimitGossip, type Gossip, type LimitGossip } from '../adapters/limit-gossip.ts'
import { type ProcessMetrics, readPrimary, toPrometheus } from '../adapters/metrics.ts'
import { toErrorBody } from '../core/errors.ts'
import { createSocketCounter, type ReserveSocket } from '../live/limits/socket-limits.ts'
import type { Log } from '../ports/monitoring.ts'
import type { Call, CallAnswer, PrimaryMessage, WorkerMessage } from './messages.ts'

/** A worker that ends sooner is not replaced at once. All in milliseconds. */
const shortLifeMs = 10_000
const firstPauseMs = 250
const maxPauseMs = 30_000
const measureTimeoutMs = 1_000

type InternalMessage = { act?: string; seq?: number; ack?: number }

/** A worker, as the primary sees it. */
class WorkerHandle {
  readonly startedAt = Date.now()
  readonly releases = new Map<number, () => void>()
  /** False if it ended before it was ready. */
  readonly ready: Promise<boolean>
  readonly ended: Promise<void>
  isReady = false
  hasEnded = false
  isDismissed = false
  /** How it ended. */
  exit: { code: number | null; signal: string | null } = { code: null, signal: null }
  #worker: Worker
  #measured: ((metrics: ProcessMetrics[]) => void)[] = []

  constructor(
    worker: Worker,
    onCalls: (member: WorkerHandle, calls: Call[]) => Promise<CallAnswer[]>,
    gossip: Gossip,
  ) {
    this.#worker = worker
    giveBackConnections(worker)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.ready = promise
    this.ended = new Promise((done) => {
      const end = (code: number | null, signal: string | null) => {
        this.exit = { code, signal }
        this.hasEnded = true
        for (const answer of this.#measured.splice(0)) answer([])
        resolve(false)
        done()
      }
      worker.once('exit', end)
      worker.on('error', () => {
        // It could not be started at all. Any other that cannot be reached has ended, or is about to.
        if (worker.process.pid === undefined) end(null, null)
      })
    })
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'ready') {
        this.isReady = true
        resolve(true)
      } else if (message.kind === 'measured') this.#measured.shift()?.([message.metrics])
      else if (message.kind === 'limits') gossip.receive(message.signal)
      else if (message.kind === 'limits-missed') gossip.missed()
      else
        void onCalls(this, message.calls).then((answers) =>
          this.send({ kind: 'answers', batch: message.batch, answers }),
        )
    })
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  send(message: PrimaryMessage): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => {})
  }

  /** Lets it finish what it has begun. */
  async dismiss(options: { replaced: boolean }): Promise<void> {
    this.isDismissed = true
    if (this.isReady) this.send({ kind: 'stop', ...options })
    else this.#worker.process.kill('SIGTERM')
    await this.ended
  }

  async measure(): Promise<ProcessMetrics[]> {
    if (this.hasEnded) return []
    const measured = new Promise<ProcessMetrics[]>((resolve) => this.#measured.push(resolve))
    this.send({ kind: 'measure' })
    return Promise.race([measured, setTimeout(measureTimeoutMs, [], { ref: false })])
  }
}

/**
 * Node waits forever for a worker to take the connection that is being handed to it, even if that worker dies. Then it
 * is told that the worker did not take it, so that the next worker gets it. Nothing of this is documented.
 */
function giveBackConnections({ process: child }: Worker): void {
  const handedOver = new Set<number>()
  const send = child.send.bind(child)
  Object.assign(child, {
    send(...[message, ...others]: [InternalMessage, ...unknown[]]) {
      if (message.act === 'newconn' && message.seq !== undefined) handedOver.add(message.seq)
      return Reflect.apply(send, child, [message, ...others])
    },
  })
  child.on('internalMessage', ({ ack }: InternalMessage) => ack !== undefined && handedOver.delete(ack))
  child.once('exit', function giveBack() {
    // Until everything that it said has been read.
    if (child.connected) return void setImmediate(giveBack)
    if (handedOver.size === 0) return
    // Node leaves this out, and would go on handing connections to this worker.
    child.emit('disconnect')
    for (const ack of handedOver) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
  })
}

/**
 * Starts the workers, replaces those that die, and counts for all of them. It serves nobody itself, but hands each
 * connection to the next worker.
 */
export class Primary {
  #count: number
  #log: Log
  #gossip: LimitGossip
  #reserveSocket: ReserveSocket
  #members = new Set<WorkerHandle>()
  #isStopping = false
  #replacing: Promise<void> = Promise.resolve()

  constructor(options: { workers: number; guestLimits: boolean }, log: Log) {
    this.#count = options.workers
    this.#log = log
    this.#gossip = createLimitGossip({ guests: options.guestLimits })
    this.#reserveSocket = createSocketCounter(this.#gossip)
  }

  /** The first worker prepares the database. False if it could not start; it has said why. */
  start(): Promise<boolean> {
    const starting = this.#start()
    this.#replacing = starting.then(() => {})
    return starting
  }

  async #start(): Promise<boolean> {
    const first = this.#startWorker()
    if (!(await first.ready)) return this.#isStopping
    // By way of any worker.
    this.#gossip.start((signals) => this.#findReady()?.send({ kind: 'publish', signals }))
    void this.#keepRunning(first)
    for (let started = 1; started < this.#count && !this.#isStopping; started++)
      void this.#keepRunning(this.#startWorker())
    return true
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#gossip.stop()
    await Promise.all([...this.#members].map((member) => member.dismiss({ replaced: false })))
  }

  /** One after another; each goes when its successor is ready. */
  replaceWorkers(): Promise<void> {
    this.#replacing = this.#replacing.then(async () => {
      const members = [...this.#members]
      for (const member of members) if (!(await this.#replace(member))) return
    })
    return this.#replacing
  }

  async #replace(member: WorkerHandle): Promise<boolean> {
    if (this.#isStopping || member.hasEnded) return true
    const successor = this.#startWorker()
    if (!(await successor.ready)) {
      if (!this.#isStopping) this.#log.error({}, 'a new worker could not start, so the old ones go on')
      return false
    }
    // If it died meanwhile, another has taken its place already.
    if (member.hasEnded) void successor.dismiss({ replaced: true })
    else {
      void this.#keepRunning(successor)
      await member.dismiss({ replaced: true })
    }
    return true
  }

  #startWorker(): WorkerHandle {
    const member = new WorkerHandle(
      cluster.fork(),
      (from, calls) => Promise.all(calls.map((call) => this.#answer(from, call))),
      this.#gossip,
    )
    this.#members.add(member)
    void member.ended.then(() => {
      this.#members.delete(member)
      for (const release of member.releases.values()) release()
    })
    return member
  }

  #findReady(): WorkerHandle | undefined {
    return [...this.#members].find(
      ({ isReady, isDismissed, hasEnded }) => isReady && !isDismissed && !hasEnded,
    )
  }

  async #keepRunning(first: WorkerHandle): Promise<void> {
    let member = first
    for (let shortLives = 0; ;) {
      await member.ended
      if (this.#isStopping || member.isDismissed) return
      this.#log.warn({ worker: member.pid, ...member.exit }, 'a worker ended, so another takes its place')
      shortLives = Date.now() - member.startedAt < shortLifeMs ? shortLives + 1 : 0
      if (shortLives > 0) await setTimeout(Math.min(firstPauseMs * 2 ** (shortLives - 1), maxPauseMs))
      if (this.#isStopping) return
      member = this.#startWorker()
    }
  }

  async #answer(member: WorkerHandle, call: Call): Promise<CallAnswer> {
    try {
      return (await this.#perform(member, call)) ?? { kind: 'done' }
    } catch (error) {
      return { kind: 'refused', error: toErrorBody(this.#log, error) }
    }
  }

  async #perform(member: WorkerHandle, call: Call): Promise<CallAnswer | void> {
    switch (call.kind) {
      case 'take':
      case 'check':
      case 'clear':
        return this.#gossip.limits[call.kind](...call.key)
      case 'take-all':
        return this.#gossip.limits.takeAll(call.taken, call.alsoChecked, call.cleared)
      case 'reserve-socket': {
        const release = await this.#reserveSocket(call.quotas)
        if (member.hasEnded) release()
        else member.releases.set(call.id, release)
        return
      }
      case 'release-socket': {
        member.releases.get(call.id)?.()
        member.releases.delete(call.id)
        return
      }
      case 'metrics':
        return { kind: 'metrics', text: await this.#measure() }
    }
  }

  async #measure(): Promise<string> {
    const ready = [...this.#members].filter((member) => member.isReady)
    const processes = await Promise.all(ready.map((member) => member.measure()))
    return toPrometheus([await readPrimary(ready.length), ...processes.flat()])
  }
}
