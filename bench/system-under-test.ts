import type { ServiceType } from '#contract/requests.ts'

export type Transport = 'live' | 'http'

type NewNeed = { id: string; serviceType: ServiceType }

/** One phone at one table. */
export type Guest = {
  /** Resolves when the server says that it is stored. */
  ask(need: NewNeed): Promise<void>
  close(): void
}

/** One crew screen of one restaurant. */
export type Screen = {
  complete(id: string): Promise<void>
  /** Cuts the line without a word. */
  drop(): void
  /** Opens a new one, and resolves with the number of open requests that it was told of. */
  comeBack(): Promise<number>
  close(): void
}

/** What is measured: a server in a process of its own, and how a client of it speaks. */
export type SystemUnderTest = {
  name: string
  pid: number
  /** Has so many HTTP connections of guests ready. */
  openConnections(count: number): Promise<void>
  openGuest(transport: Transport, restaurant: number, table: string): Promise<Guest>
  /** `heard` is called with the id of each new request. */
  openScreen(restaurant: number, heard: (id: string) => void): Promise<Screen>
  /** What it complained about. */
  lines: readonly string[]
  stop(): Promise<void>
}

/** In the load generator: calls that wait for an answer which carries their name. */
export class PendingAnswers<T> {
  #waiting = new Map<string, { resolve: (answer: T) => void; reject: (error: unknown) => void }>()

  waitFor(name: string): Promise<T> {
    return new Promise((resolve, reject) => this.#waiting.set(name, { resolve, reject }))
  }

  settle(name: string, answer: T): void {
    this.#waiting.get(name)?.resolve(answer)
    this.#waiting.delete(name)
  }

  fail(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
