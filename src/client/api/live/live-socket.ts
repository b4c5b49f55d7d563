import { backoffMs } from '#contract/backoff.ts'
import type { closeCodes, ServerMessage } from '#contract/live.ts'
import { onWake } from '../../lib/browser/on-wake.ts'
import type { ProbeResult } from '../http.ts'

const signedOutCode: typeof closeCodes.signedOut = 4401
const pingIntervalMs = 15_000
export const replyTimeoutMs = 5_000
const patienceMs = 15_000
const stableAfterMs = 5_000
const hangsAfterMs = 1_000
const backoff = { firstMs: 1_000, growth: 1.6 }

type SocketEvents = {
  onOpen: () => void
  onMessage: (data: unknown) => void
  /** The connection is gone; unless the session ended, for the server's reason, a new one is being opened. */
  onClose: (end: 'signed-out' | 'lost', reason?: string) => void
  /** The device woke up, and it is not known yet whether the connection survived. */
  onSuspect: () => void
  /** Has to send something that the server answers. */
  onPing: () => void
}

type SocketOptions = {
  url?: (() => string) | undefined
  maxRetryDelayMs: number
  /** Asked before each attempt but the first: browsers slow down sockets that failed often, by up to 5 s. */
  probeServer?: (() => Promise<ProbeResult>) | undefined
}

type Timer = ReturnType<typeof setTimeout>

/**
 * A socket that reconnects by itself. It is our own rather than a package because a screen that wakes up must not
 * wait for the next scheduled attempt.
 */
export class LiveSocket {
  #options: SocketOptions
  #events: SocketEvents
  #socket: WebSocket | null = null
  #running = false
  #open = false
  #tries = 0
  #triedAt = 0
  #lastMessageAt: number | null = null
  #isSuspect = false
  #retry: Timer | undefined
  #openTimer: Timer | undefined
  #deadline: Timer | undefined
  #heartbeat: Timer | undefined
  #stopListening = (): void => {}

  constructor(options: SocketOptions, events: SocketEvents) {
    this.#options = options
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
    const socket = new WebSocket((this.#options.url ?? defaultUrl)())
    this.#socket = socket
    this.#triedAt = Date.now()
    const whileCurrent =
      <E>(listener: (event: E) => void) =>
      (event: E) => {
        if (this.#socket === socket) listener(event)
      }
    const receive = ({ data }: MessageEvent<unknown>): void => this.#handleMessage(data)
    const close = ({ code, reason }: CloseEvent): void => this.#handleClose(code, reason)
    socket.addEventListener('open', whileCurrent(this.#handleOpen))
    socket.addEventListener('message', whileCurrent(receive))
    socket.addEventListener('close', whileCurrent(close))
    this.#openTimer = setTimeout(() => void this.#checkAttempt(), replyTimeoutMs)
  }

  /** A server that answers is only slow: whoever gave up would stand at the end of its queue again. */
  async #checkAttempt(): Promise<void> {
    const socket = this.#socket
    const answers = (await this.#options.probeServer?.()) === 'answers'
    if (this.#socket !== socket || this.#open) return
    if (!answers || timeFrom(this.#triedAt) >= patienceMs) return this.#handleClose()
    this.#openTimer = setTimeout(() => void this.#checkAttempt(), replyTimeoutMs)
  }

  /** Does not wait for the close event, which a dead socket never sends. */
  #drop(end: 'signed-out' | 'lost', reason?: string): void {
    const socket = this.#socket
    this.#socket = null
    this.#open = false
    for (const timer of [this.#retry, this.#openTimer, this.#deadline]) clearTimeout(timer)
    this.#deadline = undefined
    if (!socket) return
    socket.close()
    this.#events.onClose(end, reason)
  }

  #handleClose(code?: number, reason?: string): void {
    if (code === signedOutCode) {
      this.#drop('signed-out', reason)
      this.stop()
      return
    }
    const isFirstLoss = this.#open && this.#tries === 0
    this.#drop('lost')
    if (!this.#running) return
    const delayMs = this.#nextDelay()
    // Behind a proxy another node takes over at once; all that lost theirs come spread over a whole second.
    if (isFirstLoss) this.#retry = setTimeout(() => this.#connect(), Math.random() * backoff.firstMs)
    else this.#retryIn(delayMs)
  }

  #retryIn(delayMs: number): void {
    this.#retry = setTimeout(() => void this.#retryWhenReachable(), delayMs)
  }

  async #retryWhenReachable(): Promise<void> {
    const retry = this.#retry
    const fails = (await this.#options.probeServer?.()) === 'fails'
    if (this.#retry !== retry || this.#socket || !this.#running) return
    // A network that swallows the question may only be slow, and is worth a longer attempt.
    if (!fails) return this.#connect()
    this.#tries = 0
    this.#retryIn(this.#nextDelay())
  }

  #nextDelay(): number {
    const delay = backoffMs(this.#tries, { ...backoff, maxMs: this.#options.maxRetryDelayMs })
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
      // An attempt from before may hang for as long as the network was away.
      if (!this.#socket || timeFrom(this.#triedAt) > hangsAfterMs) this.#connect()
      return
    }
    this.#isSuspect = timeFrom(this.#lastMessageAt ?? 0) > pingIntervalMs + replyTimeoutMs
    this.#ping()
    this.#events.onSuspect()
  }
}

/** Also where the clock was set back meanwhile. Clocks that cannot be set stand still while a device sleeps. */
const timeFrom = (at: number): number => Math.abs(Date.now() - at)

const defaultUrl = (): string => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`

export function parseMessage(data: unknown, isMessage = hasType): ServerMessage | null {
  const value = parseJson(data)
  return isMessage(value) ? value : null
}

/** Of a message that a page cannot read. */
export function typeOf(data: unknown): string | null {
  const value = parseJson(data)
  return hasType(value) ? value.type : null
}

function parseJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return null
  }
}

const hasType = (value: unknown): value is ServerMessage =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const isHidden = (): boolean => typeof document !== 'undefined' && document.hidden
