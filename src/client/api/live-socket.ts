import type { closeCodes } from '#contract/live.ts'
import { backoffMs } from '../lib/backoff.ts'
import { onWake } from '../lib/on-wake.ts'

const signedOutCode: typeof closeCodes.signedOut = 4401
const pingIntervalMs = 15_000
export const replyTimeoutMs = 5_000
const stableAfterMs = 5_000
const backoff = { firstMs: 1_000, growth: 1.6 }

type SocketEvents = {
  onOpen: () => void
  onMessage: (data: unknown) => void
  /** The connection is gone; unless the session ended, a new one is being opened. */
  onClose: (reason: 'signed-out' | 'lost') => void
  /** The device woke up, and it is not known yet whether the connection survived. */
  onSuspect: () => void
  /** Has to send something that the server answers. */
  onPing: () => void
}

type Timer = ReturnType<typeof setTimeout>

/**
 * A socket that reconnects by itself. It is our own rather than a package because a screen that wakes up must not
 * wait for the next scheduled attempt.
 */
export class LiveSocket {
  #url: () => string
  #maxRetryDelayMs: number
  #events: SocketEvents
  #socket: WebSocket | null = null
  #running = false
  #open = false
  #tries = 0
  #lastMessageAt: number | null = null
  #isSuspect = false
  #retry: Timer | undefined
  #openTimer: Timer | undefined
  #deadline: Timer | undefined
  #heartbeat: Timer | undefined
  #stopListening = (): void => {}

  constructor(url: () => string, maxRetryDelayMs: number, events: SocketEvents) {
    this.#url = url
    this.#maxRetryDelayMs = maxRetryDelayMs
    this.#events = events
  }

  get isOpen(): boolean {
    return this.#open
  }

  /** Open, and presumably alive. */
  get isHealthy(): boolean {
    return this.#open && !this.#isSuspect
  }

  get lastMessageAt(): number | null {
    return this.#lastMessageAt
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#heartbeat = setInterval(this.#ping, pingIntervalMs)
    this.#stopListening = onWake(this.#wake, { offline: true })
    this.#connect()
  }

  stop(): void {
    this.#running = false
    clearInterval(this.#heartbeat)
    this.#stopListening()
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
      <E>(listener: (event: E) => void) =>
      (event: E) => {
        if (this.#socket === socket) listener(event)
      }
    const receive = ({ data }: MessageEvent<unknown>): void => this.#handleMessage(data)
    const close = ({ code }: CloseEvent): void => this.#handleClose(code)
    socket.addEventListener('open', whileCurrent(this.#handleOpen))
    socket.addEventListener('message', whileCurrent(receive))
    socket.addEventListener('close', whileCurrent(close))
    this.#openTimer = setTimeout(() => this.#handleClose(), replyTimeoutMs)
  }

  /** Does not wait for the close event, which a dead socket never sends. */
  #drop(reason: 'signed-out' | 'lost'): void {
    const socket = this.#socket
    this.#socket = null
    this.#open = false
    for (const timer of [this.#retry, this.#openTimer, this.#deadline]) clearTimeout(timer)
    this.#deadline = undefined
    if (!socket) return
    socket.close()
    this.#events.onClose(reason)
  }

  #handleClose(code?: number): void {
    if (code === signedOutCode) {
      this.#drop('signed-out')
      this.stop()
      return
    }
    this.#drop('lost')
    if (this.#running) this.#retry = setTimeout(() => this.#connect(), this.#nextDelay())
  }

  #nextDelay(): number {
    const delay = backoffMs(this.#tries, { ...backoff, maxMs: this.#maxRetryDelayMs })
    this.#tries += 1
    return delay
  }

  #handleOpen = (): void => {
    clearTimeout(this.#openTimer)
    this.#openTimer = setTimeout(() => {
      this.#tries = 0
    }, stableAfterMs)
    this.#open = true
    this.#markAlive()
    this.#events.onOpen()
  }

  #handleMessage(data: unknown): void {
    this.#markAlive()
    this.#events.onMessage(data)
  }

  #markAlive(): void {
    this.#lastMessageAt = Date.now()
    this.#isSuspect = false
    clearTimeout(this.#deadline)
    this.#deadline = undefined
  }

  #ping = (): void => {
    if (!this.#open || isHidden()) return
    this.#events.onPing()
    this.#deadline ??= setTimeout(() => this.#connect(), replyTimeoutMs)
  }

  /** The device or its network woke up: an open socket has to answer a ping, a closed one reconnects at once. */
  #wake = (): void => {
    if (!this.#open) {
      this.#tries = 0
      if (!this.#socket) this.#connect()
      return
    }
    this.#isSuspect = Date.now() - (this.#lastMessageAt ?? 0) > pingIntervalMs + replyTimeoutMs
    this.#ping()
    this.#events.onSuspect()
  }
}

const isHidden = (): boolean => typeof document !== 'undefined' && document.hidden
