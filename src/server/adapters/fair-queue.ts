import type { QueueKey } from '../core/ports.ts'
import type { Refusal } from '../core/errors.ts'

type Options = {
  maxRunning: number
  /** The number of tasks of one client that run at once. */
  maxRunningPerClient: number
  /** The number of tasks that can wait, for all clients together. */
  maxQueued: number
  /** The number of tasks that can wait for one client, and for one account across all clients. */
  maxQueuedPerClient: number
  maxQueuedPerAccount?: number
  createRefusal: (retryAfter: number, full: 'own' | 'whole') => Refusal
}

type Job = { key: QueueKey; begun: boolean; run: () => Promise<() => void>; refuse: () => void }

/**
 * Serves clients in turn, so that nobody waits for more than one task of each other client. When the queue is full,
 * the client with the longest line loses its last task to one with a shorter line, so nobody can block the others.
 */
export function createFairQueue(options: Options) {
  const queues = new Map<string, Job[]>()
  const runningByClient = new Map<string, number>()
  let running = 0
  let waiting = 0
  let averageMs = 25

  const queueOf = (key: string): Job[] => queues.get(key) ?? []
  const hasFreeSlot = (key: string): boolean =>
    running < options.maxRunning && (runningByClient.get(key) ?? 0) < options.maxRunningPerClient

  const refusal = (tasksAhead: number, full: 'own' | 'whole'): Refusal =>
    options.createRefusal(Math.max(1, Math.ceil((tasksAhead * averageMs) / options.maxRunning / 1000)), full)

  function countWaiting(account: string): number {
    let count = 0
    for (const line of queues.values()) for (const { key } of line) if (key.account === account) count++
    return count
  }

  function makeRoom({ of, account }: QueueKey): void {
    const own = queueOf(of).length
    if (own >= options.maxQueuedPerClient) throw refusal(own + running, 'own')
    if (account !== undefined && countWaiting(account) >= (options.maxQueuedPerAccount ?? Infinity))
      throw refusal(waiting + running, 'whole')
    if (waiting < options.maxQueued) return
    const longest = [...queues.values()].reduce((longer, line) =>
      line.length > longer.length ? line : longer,
    )
    const last = longest.findLastIndex(({ begun }) => !begun)
    if (longest.length <= own + 1 || last === -1) throw refusal(waiting + running, 'whole')
    waiting--
    for (const job of longest.splice(last, 1)) job.refuse()
  }

  function append(job: Job): void {
    const line = queues.get(job.key.of)
    if (line) line.push(job)
    else queues.set(job.key.of, [job])
    waiting++
  }

  /** A client that was served moves to the end. */
  function dequeue(): Job | undefined {
    for (const [key, line] of queues) {
      if (!hasFreeSlot(key)) continue
      const job = line.shift()
      queues.delete(key)
      if (line.length > 0) queues.set(key, line)
      waiting--
      return job
    }
    return undefined
  }

  function startNext(): void {
    for (let job = dequeue(); job; job = dequeue()) {
      const { of } = job.key
      const startedAt = performance.now()
      running++
      runningByClient.set(of, (runningByClient.get(of) ?? 0) + 1)
      void job.run().then((settle) => {
        running--
        const left = (runningByClient.get(of) ?? 1) - 1
        if (left > 0) runningByClient.set(of, left)
        else runningByClient.delete(of)
        averageMs = 0.8 * averageMs + 0.2 * (performance.now() - startedAt)
        settle()
        startNext()
      })
    }
  }

  /** A task that continues something that has `begun` is never refused: the client has part of the result already. */
  return <T>(
    key: QueueKey,
    task: () => Promise<T>,
    { begun = false }: { begun?: boolean } = {},
  ): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (!begun && !hasFreeSlot(key.of)) makeRoom(key)
      append({
        key,
        begun,
        run: () =>
          task().then(
            (value) => () => resolve(value),
            (error: unknown) => () => reject(error),
          ),
        refuse: () => reject(refusal(waiting + running, 'whole')),
      })
      startNext()
    })
}
