import type { ServiceType } from '#contract/requests.ts'
import type { startServer } from '../test/support/server-process.ts'
import { openConnections } from './http-client.ts'

export type Transport = 'live' | 'http'

type NewRequest = { id: string; serviceType: ServiceType }

/** One phone at one table. */
export type Guest = {
  /** Resolves when the server says that the request is stored. */
  sendRequest(request: NewRequest): Promise<void>
  close(): void
}

/** One crew screen of one restaurant. */
export type Screen = {
  complete(id: string): Promise<void>
  /** Cuts the connection without closing it properly. */
  drop(): void
  /** Resolves with the number of open requests that the new connection received. */
  reconnect(): Promise<number>
  close(): void
}

/** A server in a process of its own, and how its clients talk to it. */
export type SystemUnderTest = {
  name: string
  pid: number
  /** Prepares HTTP connections for this many guests. */
  openConnections(count: number): Promise<void>
  openGuest(transport: Transport, restaurant: number, table: string): Promise<Guest>
  /** `onRequest` is called with the id of each new request. */
  openScreen(restaurant: number, onRequest: (id: string) => void): Promise<Screen>
  /** What the server has logged. */
  lines: readonly string[]
  stop(): Promise<void>
}

export const restaurantName = (restaurant: number): string => `Restaurant ${restaurant}`

/** What every system has in common. */
export function describeServer(server: Awaited<ReturnType<typeof startServer>>) {
  const { pid, lines, url } = server
  return {
    pid,
    lines,
    openConnections: (count: number) => openConnections(new URL('/healthz', url), count),
    stop: () => server.stop(),
  }
}

/** Calls that wait for the answer with their id. */
export class PendingAnswers<T> {
  #waiting = new Map<string, { resolve: (answer: T) => void; reject: (error: unknown) => void }>()

  waitFor(id: string): Promise<T> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  settle(id: string, answer: T): void {
    this.#waiting.get(id)?.resolve(answer)
    this.#waiting.delete(id)
  }

  fail(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
