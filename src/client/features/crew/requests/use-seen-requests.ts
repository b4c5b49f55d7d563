import { useCallback, useEffect, useRef } from 'react'
import type { LiveChannel } from '../../../api/live-channel.ts'
import { useLive } from '../../../api/use-live.ts'

const batchMs = 200
const maxIds = 500

/** Watches whether a ticket, or a line that lists several, is in view. Returns a function that stops watching. */
export type ObserveTicket = (ticket: HTMLElement, onView?: (inView: boolean) => void) => () => void

/**
 * Reports to the server which requests this screen really showed: their ticket or table name was in view on a visible
 * page.
 */
export function useSeenRequests(): ObserveTicket {
  const live = useLive()
  const reporter = useRef<SeenReporter>(null)

  const observe = useCallback<ObserveTicket>(
    (ticket, onView) => {
      reporter.current ??= new SeenReporter(live)
      return reporter.current.observe(ticket, onView)
    },
    [live],
  )

  useEffect(() => {
    const report = (): void => reporter.current?.scheduleReport()
    document.addEventListener('visibilitychange', report)
    return () => {
      document.removeEventListener('visibilitychange', report)
      reporter.current?.close()
      reporter.current = null
    }
  }, [])
  return observe
}

class SeenReporter {
  #live: LiveChannel
  #inView = new Set<Element>()
  #listeners = new Map<Element, (inView: boolean) => void>()
  #reported = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #observer: IntersectionObserver | null = null

  constructor(live: LiveChannel) {
    this.#live = live
    if (typeof IntersectionObserver === 'undefined') return
    this.#observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.#set(target, isIntersecting)
      this.scheduleReport()
    })
  }

  observe(ticket: HTMLElement, onView?: (inView: boolean) => void): () => void {
    if (onView) this.#listeners.set(ticket, onView)
    if (this.#observer) this.#observer.observe(ticket)
    else {
      this.#set(ticket, true)
      this.scheduleReport()
    }
    return () => {
      this.#listeners.delete(ticket)
      this.#observer?.unobserve(ticket)
      this.#set(ticket, false)
    }
  }

  scheduleReport(): void {
    if (document.hidden || this.#unreported().length === 0) return
    this.#timer ??= setTimeout(this.#report, batchMs)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#observer?.disconnect()
  }

  #set(ticket: Element, inView: boolean): void {
    if (inView) this.#inView.add(ticket)
    else this.#inView.delete(ticket)
    this.#listeners.get(ticket)?.(inView)
  }

  #unreported(): string[] {
    const ids = new Set([...this.#inView].flatMap(requestIdsOf))
    return [...ids].filter((id) => !this.#reported.has(id))
  }

  #report = (): void => {
    this.#timer = undefined
    if (document.hidden) return
    const ids = this.#unreported().slice(0, maxIds)
    if (ids.length === 0) return
    for (const id of ids) this.#reported.add(id)
    this.#live.request({ type: 'requests-seen', ids }).catch(() => {
      for (const id of ids) this.#reported.delete(id)
    })
  }
}

const requestIdsOf = (element: Element): string[] =>
  (element.getAttribute('data-request') ?? element.getAttribute('data-requests'))?.split(' ') ?? []
