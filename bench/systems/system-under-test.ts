import type { ServiceType } from '#contract/requests/requests.ts'
import type { ServerProcess } from '../../test/support/servers/server-process.ts'
import { openConnections } from '../load/http-client.ts'

/**
 * How guests send: over the live channel, over HTTP with the cookie of an earlier visit, or over HTTP as a phone that
 * was never there before.
 */
export type Transport = 'live' | 'http' | 'new phone'

type NewRequest = { id: string; serviceType: ServiceType }

/** The system has answered that it does not do it, or not now: a result to be counted. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** One phone at one table. */
export type Guest = {
  /** Resolves when the server says that the request is stored; fails with `Refused` when it says that it is not. */
  sendRequest(request: NewRequest): Promise<void>
  close(): void
}

/** One crew screen of one restaurant. */
export type Screen = {
  /** "On my way", for a request that it shows. Fails with `Refused` when the server does not do it, as `complete` does. */
  accept(id: string): Promise<void>
  complete(id: string): Promise<void>
  /** Cuts the connection without closing it properly. */
  drop(): void
  /** Resolves with the number of open requests that the new connection received. */
  reconnect(): Promise<number>
  close(): void
}

/** Taps, completions and other writes, and the commits that they have shared. */
export type WriteCounts = { writes: number; commits: number }

/** One or more servers in processes of their own on one database, and how their clients talk to them. */
export type SystemUnderTest = {
  name: string
  servers: readonly ServerProcess[]
  databaseUrl: string
  /** The database's main process, if it is a process of its own on this machine. */
  databasePid: number | null
  /** Prepares HTTP connections for this many guests. */
  openConnections(count: number): Promise<void>
  openGuest(transport: Transport, restaurant: number, table: string): Promise<Guest>
  /** `onRequest` is called with the id of each new request, and of all open ones whenever the whole list comes. */
  openScreen(restaurant: number, onRequest: (id: string) => void): Promise<Screen>
  /** Since it was started, where the system counts them. */
  countWrites?(): Promise<WriteCounts>
  stop(): Promise<void>
}

export const restaurantName = (restaurant: number): string => `Restaurant ${restaurant}`

/** What every system has in common. */
export function describeServers(servers: readonly ServerProcess[]) {
  return {
    servers,
    async openConnections(count: number) {
      const each = Math.ceil(count / servers.length)
      await Promise.all(servers.map(({ url }) => openConnections(new URL('/healthz', url), each)))
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
    },
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

  failOne(id: string, error: unknown): void {
    this.#waiting.get(id)?.reject(error)
    this.#waiting.delete(id)
  }

  fail(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
