import type { Pool, PoolClient } from 'pg'

/** What is lost with a connection, and how many reads wait for a slow one. Then the next connection is taken. */
const maxReads = 64
/** A connection that has not answered for so long has a slow read, or is broken; in milliseconds. */
const slowAfterMs = 250

type Shared = {
  client: Promise<PoolClient>
  state: 'connecting' | 'answering' | 'slow'
  reads: number
  unanswered: number
}

/**
 * Lets reads share connections: each is sent at once, behind those that are not answered yet, and none waits for a free
 * one. Where none answers, they wait for the next free one, as without sharing.
 */
export class SharedConnections {
  #pool: Pool
  #shared = new Set<Shared>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  get options(): Pool['options'] {
    return this.#pool.options
  }

  async connect(): Promise<PoolClient> {
    const shared = this.#choose()
    shared.unanswered++
    shared.reads++
    return shared.client
  }

  async end(): Promise<void> {
    await this.#pool.end()
  }

  #choose(): Shared {
    if (this.#shared.size < this.#pool.options.max) return this.#open()
    const joinable = [...this.#shared].filter(({ reads }) => reads < maxReads)
    const leastBusy = (state: Shared['state']) =>
      joinable.filter((shared) => shared.state === state).toSorted((a, b) => a.unanswered - b.unanswered)[0]
    return leastBusy('answering') ?? leastBusy('connecting') ?? this.#open()
  }

  #open(): Shared {
    const shared: Shared = { client: this.#pool.connect(), state: 'connecting', reads: 0, unanswered: 0 }
    this.#shared.add(shared)
    const forget = () => this.#shared.delete(shared)
    shared.client.then((client) => {
      shared.state = 'answering'
      const timer = setTimeout(() => {
        shared.state = 'slow'
      }, slowAfterMs).unref()
      client.once('end', forget)
      const release = client.release.bind(client)
      client.release = (error) => {
        shared.state = 'answering'
        timer.refresh()
        if (--shared.unanswered > 0) return
        clearTimeout(timer)
        forget()
        client.off('end', forget)
        release(error)
      }
    }, forget)
    return shared
  }
}
