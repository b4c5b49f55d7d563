import type { closeCodes } from '#contract/live.ts'

const signedOutCode: typeof closeCodes.signedOut = 4401
const pingIntervalMs = 15_000
export const replyTimeoutMs = 5_000
const stableAfterMs = 5_000
const backoff = { firstMs: 1_000, growth: 1.6 }

type SocketEvents = {
  onOpen: () => void
  onMessage: (data: unknown) => void
  /** The connection is gone; the next one is on its way unless the session ended. */
  onClose: (reason: 'signed-out' | 'lost') => void
  /** The device woke up: whether the connection still stands will be known soon. */
  onSuspect: () => void
  /** Sends something that is answered. */
  onPing: () => void
}

type Timer = ReturnType<typeof setTimeout>

/**
 * A socket that comes back by itself. Written here and not taken from a package, because a screen that wakes
 * up must not sit out the pause before the next try.
 */
export class LiveSocket {
  #url: () => string
  #mostMs: number
  #events: SocketEvents
  #socket: WebSocket | null = null
  #running = false
  #open = false
  #tries = 0
  #heardAt: number | null = null
  #isDoubted = false
  #retry: Timer | undefined
  #patience: Timer | undefined
  #deadline: Timer | undefined
  #heartbeat: Timer | undefined

  /** `mostMs`: the longest pause before it tries again. */
  constructor(url: () => string, mostMs: number, events: SocketEvents) {
    this.#url = url
    this.#mostMs = mostMs
    this.#events = events
  }

  get isOpen(): boolean {
    return this.#open
  }

  /** Open, and nothing speaks against its being alive. */
  get isSound(): boolean {
    return this.#open && !this.#isDoubted
  }

  /** When the other side was last heard. */
  get heardAt(): number | null {
    return this.#heardAt
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#heartbeat = setInterval(this.#beat, pingIntervalMs)
    for (const [target, name] of wakeEvents()) target.addEventListener(name, this.#wake)
    this.#connect()
  }

  stop(): void {
    this.#running = false
    clearInterval(this.#heartbeat)
    for (const [target, name] of wakeEvents()) target.removeEventListener(name, this.#wake)
    this.#drop('lost')
  }

  send(text: string): boolean {
    if (this.#open) this.#socket?.send(text)
    return this.#open
  }

  #connect(): void {
    this.#drop('lost')
    const socket = new WebSocket(this.#url())
    this.#socket = socket
    const whileCurrent =
      <E>(work: (event: E) => void) =>
      (event: E) => {
        if (this.#socket === socket) work(event)
      }
    const hear = ({ data }: MessageEvent<unknown>): void => this.#heard(data)
    const close = ({ code }: CloseEvent): void => this.#closed(code)
    socket.addEventListener('open', whileCurrent(this.#opened))
    socket.addEventListener('message', whileCurrent(hear))
    socket.addEventListener('close', whileCurrent(close))
    this.#patience = setTimeout(() => this.#closed(), replyTimeoutMs)
  }

  /** Leaves the socket without waiting for its farewell, which a dead one never gives. */
  #drop(reason: 'signed-out' | 'lost'): void {
    const socket = this.#socket
    this.#socket = null
    this.#open = false
    for (const timer of [this.#retry, this.#patience, this.#deadline]) clearTimeout(timer)
    this.#deadline = undefined
    if (!socket) return
    socket.close()
    this.#events.onClose(reason)
  }

  #closed(code?: number): void {
    if (code === signedOutCode) {
      this.#drop('signed-out')
      this.stop()
      return
    }
    this.#drop('lost')
    if (this.#running) this.#retry = setTimeout(() => this.#connect(), this.#nextDelay())
  }

  /** Spread by chance, so that a restarted server is not met by all its screens at one moment. */
  #nextDelay(): number {
    const delay = Math.min(backoff.firstMs * backoff.growth ** this.#tries, this.#mostMs)
    this.#tries += 1
    return delay * (0.5 + Math.random() / 2)
  }

  #opened = (): void => {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => {
      this.#tries = 0
    }, stableAfterMs)
    this.#open = true
    this.#isAlive()
    this.#events.onOpen()
  }

  #heard(data: unknown): void {
    this.#isAlive()
    this.#events.onMessage(data)
  }

  #isAlive(): void {
    this.#heardAt = Date.now()
    this.#isDoubted = false
    clearTimeout(this.#deadline)
    this.#deadline = undefined
  }

  #beat = (): void => {
    if (!this.#open || isHidden()) return
    this.#events.onPing()
    this.#deadline ??= setTimeout(() => this.#connect(), replyTimeoutMs)
  }

  /** The device or its network woke up: an open socket must prove itself, a closed one is not waited for. */
  #wake = (): void => {
    if (isHidden()) return
    if (!this.#open) {
      this.#tries = 0
      if (!this.#socket) this.#connect()
      return
    }
    this.#isDoubted = Date.now() - (this.#heardAt ?? 0) > pingIntervalMs + replyTimeoutMs
    this.#beat()
    this.#events.onSuspect()
  }
}

const isHidden = (): boolean => typeof document !== 'undefined' && document.hidden

function* wakeEvents(): Generator<[EventTarget, string]> {
  if (typeof window === 'undefined') return
  yield [window, 'online']
  yield [window, 'offline']
  yield [window, 'pageshow']
  yield [document, 'visibilitychange']
}
