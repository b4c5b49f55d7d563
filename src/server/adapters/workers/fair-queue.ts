import type { Refusal } from '../../core/errors.ts'
import type { QueueKey, Standing } from '../../ports/sign-in.ts'

type Options = {
  maxRunning: number
  /** The number of tasks of one client that run at once. */
  maxRunningPerClient: number
  /** The number of tasks that can wait, for all clients together. */
  maxQueued: number
  /** The number of tasks that can wait for one client, and for one account across all clients. */
  maxQueuedPerClient: number
  maxQueuedPerAccount?: number
  /** How many waiting tasks of each standing may take a place from a lower one, however short the lines are. */
  keptPlaces?: Record<Standing, number>
  createRefusal: (retryAfter: number, full: Full) => Refusal
}

/** Whether only the client's own line is full, or the whole queue. */
type Full = 'own' | 'whole'

type Job = { key: QueueKey; begun: boolean; run: () => Promise<() => void>; refuse: () => void }

const ranks: Record<Standing, number> = { known: 2, named: 1 }
const rankOf = ({ standing }: QueueKey): number => (standing === undefined ? 0 : ranks[standing])

/**
 * Serves clients in turn, so that nobody waits for more than one task of each other client. When the queue is full,
 * the client with the longest line loses its last task to one with a shorter line, so nobody can block the others. Where
 * many clients have one task each, those that places are kept for take them from the rest.
 */
export class FairQueue {
  #options: Options
  #lines = new Map<string, Job[]>()
  #waiting = 0
  #running = 0
  #runningByClient = new Map<string, number>()
  #averageMs = 25

  constructor(options: Options) {
    this.#options = options
  }

  /** A task that continues something that has `begun` is never refused: the client has part of the result already. */
  add<T>(key: QueueKey, task: () => Promise<T>, { begun = false }: { begun?: boolean } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!begun && !this.#hasFreeSlot(key.of)) this.#makeRoom(key)
      this.#append({
        key,
        begun,
        run: () =>
          task().then(
            (value) => () => resolve(value),
            (error: unknown) => () => reject(error),
          ),
        refuse: () => reject(this.#refusal(this.#waiting + this.#running, 'whole')),
      })
      this.#startJobs()
    })
  }

  #hasFreeSlot(client: string): boolean {
    const { maxRunning, maxRunningPerClient } = this.#options
    return this.#running < maxRunning && (this.#runningByClient.get(client) ?? 0) < maxRunningPerClient
  }

  #refusal(tasksAhead: number, full: Full): Refusal {
    const waitMs = (tasksAhead * this.#averageMs) / this.#options.maxRunning
    return this.#options.createRefusal(Math.max(1, Math.ceil(waitMs / 1000)), full)
  }

  #makeRoom(key: QueueKey): void {
    const { of, account } = key
    const { maxQueued, maxQueuedPerClient, maxQueuedPerAccount = Infinity } = this.#options
    const own = this.#lines.get(of)?.length ?? 0
    if (own >= maxQueuedPerClient) throw this.#refusal(own + this.#running, 'own')
    if (account !== undefined && this.#countWaiting(account) >= maxQueuedPerAccount)
      throw this.#refusal(this.#waiting + this.#running, 'whole')
    if (this.#waiting < maxQueued) return
    const lines = [...this.#lines.values()]
    const longest = lines.reduce((longer, line) => (line.length > longer.length ? line : longer))
    if (
      longest.length > own + 1 &&
      this.#refuseLast(longest, (job) => rankOf(job) <= rankOf(key) || !this.#isKept(job))
    )
      return
    // Those that have waited longest are next: the newest give way.
    const isLower = (job: QueueKey) => rankOf(job) < rankOf(key) && !this.#isKept(job)
    const hasKeptPlace = this.#countOf(key) < this.#kept(key)
    if (hasKeptPlace && lines.toReversed().some((line) => this.#refuseLast(line, isLower))) return
    throw this.#refusal(this.#waiting + this.#running, 'whole')
  }

  /** The last one of the line that may give way. False when it has none. */
  #refuseLast(line: Job[], mayGiveWay: (key: QueueKey) => boolean): boolean {
    const last = line.findLastIndex(({ begun, key }) => !begun && mayGiveWay(key))
    if (last === -1) return false
    const [job] = line.splice(last, 1)
    if (line.length === 0 && job) this.#lines.delete(job.key.of)
    this.#waiting--
    job?.refuse()
    return true
  }

  #isKept(job: QueueKey): boolean {
    return this.#countOf(job) <= this.#kept(job)
  }

  #kept({ standing }: QueueKey): number {
    return (standing && this.#options.keptPlaces?.[standing]) ?? 0
  }

  #countOf({ standing }: QueueKey): number {
    return this.#count((key) => key.standing === standing)
  }

  #countWaiting(account: string): number {
    return this.#count((key) => key.account === account)
  }

  #count(matches: (key: QueueKey) => boolean): number {
    let count = 0
    for (const line of this.#lines.values()) for (const { key } of line) if (matches(key)) count++
    return count
  }

  #append(job: Job): void {
    const line = this.#lines.get(job.key.of)
    if (line) line.push(job)
    else this.#lines.set(job.key.of, [job])
    this.#waiting++
  }

  /** A client that was served moves to the end. */
  #takeNext(): Job | undefined {
    for (const [client, line] of this.#lines) {
      if (!this.#hasFreeSlot(client)) continue
      const job = line.shift()
      this.#lines.delete(client)
      if (line.length > 0) this.#lines.set(client, line)
      this.#waiting--
      return job
    }
    return undefined
  }

  #startJobs(): void {
    for (let job = this.#takeNext(); job; job = this.#takeNext()) void this.#run(job)
  }

  async #run({ key, run }: Job): Promise<void> {
    const startedAt = performance.now()
    this.#countRunning(key.of, 1)
    const settle = await run()
    this.#countRunning(key.of, -1)
    this.#averageMs = 0.8 * this.#averageMs + 0.2 * (performance.now() - startedAt)
    settle()
    this.#startJobs()
  }

  #countRunning(client: string, change: 1 | -1): void {
    this.#running += change
    const running = (this.#runningByClient.get(client) ?? 0) + change
    if (running > 0) this.#runningByClient.set(client, running)
    else this.#runningByClient.delete(client)
  }
}
