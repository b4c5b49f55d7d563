import { useState } from 'react'

/** Watches whether the words that say which request it is can be read. Returns a function that stops watching. */
export type ObserveRequest = (words: HTMLElement, id: string) => () => void

/** Where on the page each request is named: the number on its ticket, or its table in a line that names several. */
export type WatchedRequests = {
  ids: ReadonlyMap<HTMLElement, string>
  observe: ObserveRequest
  onChange: (listener: () => void) => () => void
}

/** The requests on tickets, and those that stand only in a line. */
export type ShownRequests = { tickets: WatchedRequests; names: WatchedRequests }

export function useShownRequests(): ShownRequests {
  return useState(() => ({ tickets: watchRequests(), names: watchRequests() }))[0]
}

function watchRequests(): WatchedRequests {
  const ids = new Map<HTMLElement, string>()
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  return {
    ids,
    observe(words, id) {
      ids.set(words, id)
      changed()
      return () => {
        ids.delete(words)
        changed()
      }
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
