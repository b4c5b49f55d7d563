import { setMaxListeners } from 'node:events'
import { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { TeamMessage } from '#contract/crew/messages.ts'
import type { ServerMessage } from '#contract/live.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import type { ProbeResult } from '../../src/client/api/http.ts'
import { LiveChannel } from '../../src/client/api/live/live-channel.ts'
import {
  initialRequestsState,
  requestsReducer,
} from '../../src/client/features/crew/requests/requests-reducer.ts'
import { initialMessagesState, messagesReducer } from '../../src/client/features/messages/messages-reducer.ts'
import { createSeenReports } from '../systems/seen-reports.ts'

/** Who opens a crew page, and where. */
export type Seat = {
  /** The address of the server, or of the proxy before it. */
  origin: string
  cookie: string
  restaurantName: string
  crewMemberId: string
}

/** One address has too few ports for several storms of 10,000 connections. */
const localAddresses = Array.from({ length: 16 }, (_, index) => `127.0.0.${index + 1}`)

/** The screen that is just opening a socket: browsers add its cookie and origin by themselves. */
let opening: PageScreen | null = null
let opened = 0

function willOpen(screen: PageScreen): void {
  opening = screen
}

class PageSocket extends WebSocket {
  #traffic: Traffic | undefined

  constructor(url: string) {
    const screen = opening
    opening = null
    super(url, {
      perMessageDeflate: false,
      ...(screen && {
        origin: screen.seat.origin,
        headers: { cookie: screen.seat.cookie },
        localAddress: localAddresses[opened++ % localAddresses.length],
        ...(screen.isAway && {
          createConnection: () => new Socket().destroy(new Error('There is no network')),
        }),
      }),
    })
    // The page hears of it by the close event.
    this.on('error', () => {})
    if (!screen) return
    const { traffic } = screen
    this.#traffic = traffic
    this.on('message', (data: Buffer) => {
      traffic.received++
      traffic.receivedBytes += data.length
    })
    screen.socketOpened(this)
  }

  override send(text: string): void {
    if (this.#traffic) this.#traffic.sent++
    super.send(text)
  }
}

/** What has gone over all connections of one screen: messages, without the pings of the protocol. */
type Traffic = { connections: number; received: number; receivedBytes: number; sent: number }

/**
 * Gives pages the parts of a browser that the live channel needs: every page is visible. Returns a function that takes
 * them away.
 */
export function actAsBrowser(): () => void {
  const browserDocument = Object.assign(new EventTarget(), { hidden: false })
  // All pages listen to the same one.
  setMaxListeners(0, browserDocument)
  const before = Object.getOwnPropertyDescriptors(globalThis)
  const globals = {
    WebSocket: PageSocket,
    document: browserDocument,
    PageTransitionEvent: class extends Event {},
  }
  for (const [name, value] of Object.entries(globals)) setGlobal(name, value)
  return () => {
    for (const name of Object.keys(globals)) {
      const descriptor = Object.entries(before).find(([other]) => other === name)?.[1]
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    }
  }
}

const setGlobal = (name: string, value: unknown) =>
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })

/** As the page asks. */
async function probe(origin: string): Promise<ProbeResult> {
  const signal = AbortSignal.timeout(2_000)
  return await fetch(`${origin}/healthz`, { signal }).then(
    async (response) => {
      await response.body?.cancel()
      return response.ok ? 'answers' : 'fails'
    },
    () => (signal.aborted ? 'silent' : 'fails'),
  )
}

/** Runs the task with a window of its own, where it may listen to events. */
function inWindow<T>(window: EventTarget, task: () => T): T {
  setGlobal('window', window)
  try {
    return task()
  } finally {
    Reflect.deleteProperty(globalThis, 'window')
  }
}

/**
 * What a crew page is to the server: the page's own live channel with everything that the Crew Dashboard sends by
 * itself. Call `actAsBrowser` first.
 */
export class PageScreen {
  readonly seat: Seat
  readonly traffic: Traffic = { connections: 0, received: 0, receivedBytes: 0, sent: 0 }
  /** How long the screen was without its lists, from each lost connection until it had both again; in milliseconds. */
  readonly absencesMs: number[] = []
  /** Whether its device has no network. */
  isAway = false
  #live: LiveChannel
  #window = new EventTarget()
  #release: () => void
  #socket: WebSocket | null = null
  #requests = initialRequestsState
  #messages = initialMessagesState
  #seen = createSeenReports(async (ids) => {
    await this.#live.request({ type: 'requests-seen', ids })
  })
  #absentSince: number | null = null

  constructor(seat: Seat, onMessage: (message: ServerMessage) => void = () => {}) {
    this.seat = seat
    const live = new LiveChannel({
      url: () => this.#openUrl(),
      probeServer: async () => (this.isAway ? 'fails' : probe(seat.origin)),
    })
    this.#live = live
    live.onMessage((message) => this.#receive(message))
    live.onMessage(onMessage)
    live.onConnectionChange(() => this.#connectionChanged())
    this.#release = inWindow(this.#window, () => live.acquire())
    live.setContext({ type: 'set-restaurant-context', restaurantId: seat.restaurantName })
    live.setContext({ type: 'set-crew-member-context', crewMemberId: seat.crewMemberId })
    live.setContext({ type: 'update-assigned-tables', tables: [] })
    live.setContext({ type: 'listening', sound: true, push: false, visible: true })
    live.subscribe('requests')
    live.subscribe('messages')
  }

  /** Oldest first, and before them those with a reminder. */
  get requests(): readonly ServiceRequest[] {
    return this.#requests.open
  }

  /** Oldest first. */
  get messages(): readonly TeamMessage[] {
    return this.#messages.stored
  }

  get isSignedOut(): boolean {
    return this.#live.connection.state === 'signed-out'
  }

  /** Connected, with both lists. */
  get isWhole(): boolean {
    return this.#live.connection.state === 'live' && this.#socket?.readyState === WebSocket.OPEN
  }

  async whole(): Promise<void> {
    while (!this.isWhole) {
      if (this.isSignedOut) throw new Error('The session of this screen has ended')
      await this.#nextChange()
    }
  }

  /** Resolves when the page has lost its connection; at once when it has none. */
  async lost(): Promise<void> {
    while (this.#live.connection.state === 'live') await this.#nextChange()
  }

  /** Cuts the connection without closing it properly. The page comes back after its own pause, or by `goOnline`. */
  drop(): void {
    this.#socket?.terminate()
  }

  /** Cuts the connection, and the page cannot come back before `goOnline`. */
  goOffline(): void {
    this.isAway = true
    this.drop()
  }

  /** The device's network is back: without a connection, the page opens one at once. */
  goOnline(): void {
    this.isAway = false
    this.#window.dispatchEvent(new Event('online'))
  }

  /** As a tap on "Mark Complete". */
  async complete(id: string): Promise<void> {
    await this.#live.request({ type: 'complete-request', id })
  }

  /** As a tap on "On my way". */
  async accept(id: string): Promise<void> {
    await this.#live.request({ type: 'accept-request', id })
  }

  close(): void {
    this.#seen.stop()
    this.#release()
  }

  socketOpened(socket: WebSocket): void {
    this.#socket = socket
    this.traffic.connections++
  }

  #openUrl(): string {
    willOpen(this)
    return `${this.seat.origin.replace(/^http/u, 'ws')}/ws`
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#live.onConnectionChange(() => {
        stop()
        resolve()
      })
    })
  }

  #connectionChanged(): void {
    const { state } = this.#live.connection
    if (state === 'reconnecting') this.#absentSince = performance.now()
    else if (state === 'live' && this.#absentSince !== null) {
      this.absencesMs.push(performance.now() - this.#absentSince)
      this.#absentSince = null
    }
  }

  #receive(message: ServerMessage): void {
    this.#requests = requestsReducer(this.#requests, message, Date.now())
    this.#messages = messagesReducer(this.#messages, message)
    for (const { id } of this.requests) this.#seen.shown(id)
  }
}
