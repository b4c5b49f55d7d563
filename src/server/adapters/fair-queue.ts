import type { Turn } from '../core/ports.ts'
import type { Refusal } from '../core/errors.ts'

type Options = {
  atOnce: number
  /** How many of one caller's run at once. */
  atOnceOfOne: number
  /** How many wait, over all callers. */
  longest: number
  /** How many of one caller's wait, and how many for one account, whoever asks for it. */
  longestOfOne: number
  longestOfAccount?: number
  refusal: (retryAfter: number, full: 'own' | 'whole') => Refusal
}

type Job = { turn: Turn; begun: boolean; run: () => Promise<() => void>; refuse: () => void }

/**
 * Lets callers take turns, so that nobody waits for more than one piece of work of each other caller. When the queue
 * is full, the longest line gives a place up to whoever has a shorter one: no caller can keep the others out.
 */
export function fairQueue(options: Options) {
  const lines = new Map<string, Job[]>()
  const runningOf = new Map<string, number>()
  let running = 0
  let waiting = 0
  let usualMs = 25

  const lineOf = (key: string): Job[] => lines.get(key) ?? []
  const isFree = (key: string): boolean =>
    running < options.atOnce && (runningOf.get(key) ?? 0) < options.atOnceOfOne

  const refusal = (before: number, full: 'own' | 'whole'): Refusal =>
    options.refusal(Math.max(1, Math.ceil((before * usualMs) / options.atOnce / 1000)), full)

  function waitingFor(account: string): number {
    let count = 0
    for (const line of lines.values()) for (const { turn } of line) if (turn.account === account) count++
    return count
  }

  function requirePlace({ of, account }: Turn): void {
    const own = lineOf(of).length
    if (own >= options.longestOfOne) throw refusal(own + running, 'own')
    if (account !== undefined && waitingFor(account) >= (options.longestOfAccount ?? Infinity))
      throw refusal(waiting + running, 'whole')
    if (waiting < options.longest) return
    const longest = [...lines.values()].reduce((most, line) => (line.length > most.length ? line : most))
    const last = longest.findLastIndex(({ begun }) => !begun)
    if (longest.length <= own + 1 || last === -1) throw refusal(waiting + running, 'whole')
    waiting--
    for (const job of longest.splice(last, 1)) job.refuse()
  }

  function join(job: Job): void {
    const line = lines.get(job.turn.of)
    if (line) line.push(job)
    else lines.set(job.turn.of, [job])
    waiting++
  }

  /** Whoever had a turn goes to the end. */
  function takeNext(): Job | undefined {
    for (const [key, line] of lines) {
      if (!isFree(key)) continue
      const job = line.shift()
      lines.delete(key)
      if (line.length > 0) lines.set(key, line)
      waiting--
      return job
    }
    return undefined
  }

  function startNext(): void {
    for (let job = takeNext(); job; job = takeNext()) {
      const { of } = job.turn
      const startedAt = performance.now()
      running++
      runningOf.set(of, (runningOf.get(of) ?? 0) + 1)
      void job.run().then((answer) => {
        running--
        const left = (runningOf.get(of) ?? 1) - 1
        if (left > 0) runningOf.set(of, left)
        else runningOf.delete(of)
        usualMs = 0.8 * usualMs + 0.2 * (performance.now() - startedAt)
        answer()
        startNext()
      })
    }
  }

  /** `begun` work is never refused: somebody has half of it already. */
  return <T>(turn: Turn, work: () => Promise<T>, { begun = false }: { begun?: boolean } = {}): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (!begun && !isFree(turn.of)) requirePlace(turn)
      join({
        turn,
        begun,
        run: () =>
          work().then(
            (value) => () => resolve(value),
            (error: unknown) => () => reject(error),
          ),
        refuse: () => reject(refusal(waiting + running, 'whole')),
      })
      startNext()
    })
}
