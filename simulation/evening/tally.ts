import type { Breach } from '../checkers/evidence.ts'

/** Lost: something acknowledged that is not stored. Untrue: something that a guest was told. Broken: any other promise. */
export type Counter = 'lost' | 'untrue' | 'broken'

const counterOf = (promise: string, { about }: Breach): Counter => {
  if (promise === 'taps' || promise === 'acts') return 'lost'
  const isTold = promise === 'guestTruth' || (promise === 'listening' && about.startsWith('phone'))
  return isTold ? 'untrue' : 'broken'
}

/** Counts breaches of promises: each tap, request, screen or device once, however often it is found. */
export class Tally {
  #found: Record<Counter, Set<string>> = { lost: new Set(), untrue: new Set(), broken: new Set() }

  count(counter: Counter): number {
    return this.#found[counter].size
  }

  get isClean(): boolean {
    return this.count('lost') + this.count('untrue') + this.count('broken') === 0
  }

  /** The counter that it was added to, or null if it had been counted before. */
  add(promise: string, breach: Breach): Counter | null {
    const counter = counterOf(promise, breach)
    const found = this.#found[counter]
    const key = counter === 'broken' ? `${promise} ${breach.about}` : breach.about
    if (found.has(key)) return null
    found.add(key)
    return counter
  }
}
