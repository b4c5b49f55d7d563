import { notFound } from '../../../core/errors.ts'
import type { Secrets } from '../../../ports/secrets.ts'

/** Where the sandbox keeps its objects, so that they survive a restart and every node finds them. */
export type SandboxStore = {
  get(id: string): Promise<{ value: string; version: number } | undefined>
  list(customerId: string, kind: string): Promise<string[]>
  insert(object: { id: string; customerId: string; kind: string; value: string }): Promise<boolean>
  replace(id: string, version: number, value: string): Promise<boolean>
}

/** Derived from a seed, so that creating an object twice finds the first one. */
export const deterministicId = (secrets: Secrets, prefix: string, seed: string): string =>
  `${prefix}_sbx_${secrets.digest(`${prefix}:${seed}`).replace(/\W/gu, '').slice(0, 24)}`

/** Reads and writes the sandbox's objects, which are stored as JSON. */
export class SandboxObjects {
  #store: SandboxStore

  constructor(store: SandboxStore) {
    this.#store = store
  }

  async get<T>(id: string): Promise<T | undefined> {
    const stored = await this.#store.get(id)
    return stored && JSON.parse(stored.value)
  }

  async getOrThrow<T>(id: string, what: string): Promise<T> {
    const object = await this.get<T>(id)
    if (!object) throw notFound(what)
    return object
  }

  async list<T>(customerId: string, kind: string): Promise<T[]> {
    const values = await this.#store.list(customerId, kind)
    return values.map((value): T => JSON.parse(value))
  }

  /** False if it exists already. */
  insert(kind: string, object: { id: string; customerId: string }): Promise<boolean> {
    const { id, customerId } = object
    return this.#store.insert({ id, customerId, kind, value: JSON.stringify(object) })
  }

  /** Retries if the object was changed by somebody else in the meantime. */
  async update<T>(id: string, what: string, change: (object: T) => T): Promise<T> {
    for (;;) {
      const stored = await this.#store.get(id)
      if (!stored) throw notFound(what)
      const before: T = JSON.parse(stored.value)
      const after = change(before)
      if (after === before || (await this.#store.replace(id, stored.version, JSON.stringify(after))))
        return after
    }
  }
}
