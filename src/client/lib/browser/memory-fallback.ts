export interface Store<Key extends string = string> {
  get: (key: Key) => string | null
  set: (key: Key, value: string) => void
  remove: (key: Key) => void
  clear: () => void
  keys: () => string[]
}

/** When the browser refuses storage or it is full, values are kept in memory as long as the page is open. */
export function withMemoryFallback(area: () => Storage): Store {
  const memory = new Map<string, string>()
  function attempt<T>(task: (storage: Storage) => T): T | null {
    try {
      return task(area())
    } catch {
      return null
    }
  }
  return {
    get: (key) => memory.get(key) ?? attempt((storage) => storage.getItem(key)),
    set(key, value) {
      memory.set(key, value)
      attempt((storage) => {
        storage.setItem(key, value)
        memory.delete(key)
      })
    },
    remove(key) {
      memory.delete(key)
      attempt((storage) => storage.removeItem(key))
    },
    clear() {
      memory.clear()
      attempt((storage) => storage.clear())
    },
    keys: () => [...new Set([...(attempt((storage) => Object.keys(storage)) ?? []), ...memory.keys()])],
  }
}
