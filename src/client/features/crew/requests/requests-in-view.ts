import { coveredEdgesOf, onCoveredEdges } from '../covered-edges.ts'

/** Watches whether the words that say which request it is can be read. Returns a function that stops watching. */
export type ObserveRequest = (words: HTMLElement, id: string) => () => void

/** The ids of the requests whose words are in view, and of those whose words are known not to be. */
type InView = { inView: ReadonlySet<string>; outOfView: ReadonlySet<string> }

const nothing: InView = { inView: new Set(), outOfView: new Set() }

/** Words that are cut off are not read. Less than 1, because edges fall between pixels. */
const wholly = 0.9

/** Which requests can be read in the window, where nothing that sticks to its edges covers them. */
export class RequestsInView {
  #requests = new Map<Element, { id: string; isInView: boolean | null }>()
  #current = nothing
  #listeners = new Set<() => void>()
  #observer: IntersectionObserver | null = null
  #margin = ''
  #stopListening: (() => void) | null = null

  observe: ObserveRequest = (words, id) => {
    const canLook = typeof IntersectionObserver !== 'undefined'
    this.#requests.set(words, { id, isInView: canLook ? null : true })
    if (!canLook) this.#publish()
    else if (this.#observer) this.#observer.observe(words)
    else this.#start()
    return () => {
      this.#observer?.unobserve(words)
      this.#requests.delete(words)
      if (this.#requests.size === 0) this.#stop()
      this.#publish()
    }
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get = (): InView => this.#current

  /** The ids of those in view that no dialog covers. */
  listUncovered(): string[] {
    return [...this.#requests].flatMap(([words, { id, isInView }]) =>
      isInView && !isCovered(words) ? [id] : [],
    )
  }

  #start(): void {
    this.#stopListening = onCoveredEdges(() => this.#watch())
    this.#watch()
  }

  #stop(): void {
    this.#stopListening?.()
    this.#observer?.disconnect()
    this.#observer = null
    this.#margin = ''
  }

  #watch(): void {
    const [first] = this.#requests.keys()
    if (!first) return
    const { top, bottom } = coveredEdgesOf(first)
    const margin = `${-top}px 0px ${-bottom}px`
    if (margin === this.#margin) return
    this.#margin = margin
    this.#observer?.disconnect()
    this.#observer = new IntersectionObserver(this.#note, { rootMargin: margin, threshold: wholly })
    for (const words of this.#requests.keys()) this.#observer.observe(words)
  }

  #note = (entries: IntersectionObserverEntry[]): void => {
    for (const { target, intersectionRatio } of entries) {
      const request = this.#requests.get(target)
      if (request) request.isInView = intersectionRatio >= wholly
    }
    this.#publish()
  }

  #publish(): void {
    const requests = [...this.#requests.values()]
    const idsOf = (isInView: boolean): Set<string> =>
      new Set(requests.filter((request) => request.isInView === isInView).map(({ id }) => id))
    const { inView, outOfView } = { inView: idsOf(true), outOfView: idsOf(false) }
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
