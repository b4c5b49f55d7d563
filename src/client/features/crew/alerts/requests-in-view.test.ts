// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest'
import { RequestsInView } from './requests-in-view.ts'
import type { WatchedRequests } from './watched-requests.ts'

type Look = (entries: { target: Element; intersectionRatio: number }[]) => void

/** A browser that says what it sees when the test lets it. */
function stubObserver(): { seeAll: () => void } {
  const watched = new Map<Element, Look>()
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      #look: Look
      constructor(look: Look) {
        this.#look = look
      }
      observe = (words: Element) => void watched.set(words, this.#look)
      unobserve = (words: Element) => void watched.delete(words)
      disconnect = () => watched.clear()
    },
  )
  return {
    seeAll() {
      for (const [target, look] of watched) look([{ target, intersectionRatio: 1 }])
    },
  }
}

/** Tickets that come and go. */
function createTickets() {
  const ids = new Map<HTMLElement, string>()
  const listeners = new Set<() => void>()
  const watched: WatchedRequests = {
    ids,
    observe: () => () => undefined,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    watched,
    show: async (...shown: string[]): Promise<void> => {
      ids.clear()
      for (const id of shown) ids.set(document.createElement('h3'), id)
      for (const listener of listeners) listener()
      await Promise.resolve()
    },
  }
}

afterEach(() => vi.unstubAllGlobals())

it('has the screen draw tickets that have come before anybody is told of them', async () => {
  const browser = stubObserver()
  const { watched, show } = createTickets()
  await show('4', '7')
  const view = new RequestsInView(watched)
  const told: string[] = []
  view.subscribe(() => told.push([...view.get().inView].join(' ')))
  browser.seeAll()
  expect(told.at(-1)).toBe('4 7')
  told.length = 0

  await show('12', '21')
  expect(told).toEqual([])
  browser.seeAll()
  expect(told.at(-1)).toBe('12 21')
  // Nothing comes that the browser would look at.
  await show()
  expect(told.at(-1)).toBe('')
})
