import { coveredEdgesOf, onCoveredEdges } from '../covered-edges.ts'
import type { WatchedRequests } from './watched-requests.ts'

/** The ids of the requests whose words are in view, and of those whose words are known not to be. */
type InView = { inView: ReadonlySet<string>; outOfView: ReadonlySet<string> }

const nothing: InView = { inView: new Set(), outOfView: new Set() }

/** Words that are cut off are not read. Less than 1, because edges fall between pixels. */
const wholly = 0.9

const watches = new WeakMap<WatchedRequests, RequestsInView>()

/** The one watch of these requests, which looks while somebody listens. */
export function requestsInView(watched: WatchedRequests): RequestsInView {
  const watch = watches.get(watched) ?? new RequestsInView(watched)
  watches.set(watched, watch)
  return watch
}

/** Which requests can be read in the window, where nothing that sticks to its edges covers them. */
export class RequestsInView {
  #watched: WatchedRequests
  /** Null until the browser has looked. */
  #found = new Map<HTMLElement, boolean | null>()
  #current = nothing
  #listeners = new Set<() => void>()
  #observer: IntersectionObserver | null = null
  #margin = ''
  #isFollowing = false
  #stop: (() => void) | null = null

  constructor(watched: WatchedRequests) {
    this.#watched = watched
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (!this.#stop) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#end()
    }
  }

  get = (): InView => this.#current

  /** The ids of those in view that no dialog covers. */
  listUncovered(): string[] {
    return [...this.#watched.ids].flatMap(([words, id]) =>
      this.#found.get(words) && !isCovered(words) ? [id] : [],
    )
  }

  #start(): void {
    const ignoreEdges = onCoveredEdges(() => this.#look())
    const ignoreChanges = this.#watched.onChange(() => {
      if (this.#isFollowing) return
      this.#isFollowing = true
      queueMicrotask(() => {
        this.#isFollowing = false
        this.#follow()
      })
    })
    this.#stop = () => {
      ignoreEdges()
      ignoreChanges()
    }
    this.#follow()
  }

  #end(): void {
    this.#stop?.()
    this.#stop = null
    this.#forgetEdges()
    this.#found.clear()
  }

  #forgetEdges(): void {
    this.#observer?.disconnect()
    this.#observer = null
    this.#margin = ''
  }

  /** Watches what has come, and forgets what has gone. */
  #follow(): void {
    if (!this.#stop) return
    const { ids } = this.#watched
    const canLook = typeof IntersectionObserver !== 'undefined'
    let isLooking = false
    for (const words of this.#found.keys()) {
      if (ids.has(words)) continue
      this.#found.delete(words)
      this.#observer?.unobserve(words)
    }
    for (const words of ids.keys()) {
      if (this.#found.has(words)) continue
      this.#found.set(words, canLook ? null : true)
      this.#observer?.observe(words)
      isLooking = canLook
    }
    if (ids.size === 0) this.#forgetEdges()
    else if (canLook && !this.#observer) this.#look()
    // What has come is drawn first: the browser says right after that what it sees of it.
    if (!isLooking) this.#publish()
  }

  #look(): void {
    const [first] = this.#found.keys()
    if (!first) return
    const { top, bottom } = coveredEdgesOf(first)
    const margin = `${-top}px 0px ${-bottom}px`
    if (margin === this.#margin) return
    this.#margin = margin
    this.#observer?.disconnect()
    this.#observer = new IntersectionObserver(this.#note, { rootMargin: margin, threshold: wholly })
    for (const words of this.#found.keys()) this.#observer.observe(words)
  }

  #note = (entries: IntersectionObserverEntry[]): void => {
    for (const { target, intersectionRatio } of entries)
      if (target instanceof HTMLElement && this.#found.has(target))
        this.#found.set(target, intersectionRatio >= wholly)
    this.#publish()
  }

  #publish(): void {
    const idsOf = (isInView: boolean): Set<string> => {
      const found = [...this.#watched.ids].filter(([words]) => this.#found.get(words) === isInView)
      return new Set(found.map(([, id]) => id))
    }
    const [inView, outOfView] = [idsOf(true), idsOf(false)]
    if (isSame(inView, this.#current.inView) && isSame(outOfView, this.#current.outOfView)) return
    this.#current = { inView, outOfView }
    for (const listener of this.#listeners) listener()
  }
}

const isSame = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  some.size === others.size && [...some].every((id) => others.has(id))

function isCovered(words: Element): boolean {
  if (!('elementFromPoint' in document)) return false
  const { left, top, width, height } = words.getBoundingClientRect()
  const front = document.elementFromPoint(left + width / 2, top + height / 2)
  return !words.parentElement?.contains(front)
}
