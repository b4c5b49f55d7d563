import { useCallback, useEffect, useRef } from 'react'
import type { LiveChannel } from '../../../api/live-channel.ts'
import { useLive } from '../../../api/use-live.ts'

const batchMs = 200
/** With ids of 64 characters it is a message of 13 kB: a longer one than 16 kB costs the connection. */
const maxIds = 200

/** Watches whether the ticket of a request, or a line that lists several, is in view. Returns a function that stops watching. */
export type ObserveTicket = (ticket: HTMLElement, ids: readonly string[]) => () => void

const observeNothing: ObserveTicket = () => () => undefined

/**
 * Reports to the server which requests this screen really showed: their ticket or table name was in view on a visible
 * page. Nothing until it `isReady`.
 */
export function useSeenRequests(isReady: boolean): ObserveTicket {
  const live = useLive()
  const reporter = useRef<SeenReporter>(null)

  const observe = useCallback<ObserveTicket>(
    (ticket, ids) => {
      reporter.current ??= new SeenReporter(live)
      return reporter.current.observe(ticket, ids)
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
  return isReady ? observe : observeNothing
}

class SeenReporter {
  #live: LiveChannel
  #ids = new Map<Element, readonly string[]>()
  #inView = new Set<Element>()
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

  observe(ticket: HTMLElement, ids: readonly string[]): () => void {
    this.#ids.set(ticket, ids)
    if (this.#observer) this.#observer.observe(ticket)
    else {
      this.#set(ticket, true)
      this.scheduleReport()
    }
    return () => {
      this.#observer?.unobserve(ticket)
      this.#set(ticket, false)
      this.#ids.delete(ticket)
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
  }

  #unreported(): string[] {
    const unreported = new Set<string>()
    for (const element of this.#inView)
      for (const id of this.#ids.get(element) ?? []) if (!this.#reported.has(id)) unreported.add(id)
    return [...unreported]
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
    this.scheduleReport()
  }
}
