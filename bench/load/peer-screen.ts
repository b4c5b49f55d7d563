import { io, type Socket } from 'socket.io-client'
import type { PageScreen } from './page-screen.ts'

/** What a storm needs of a screen. */
export type CrewScreen = Pick<
  PageScreen,
  'traffic' | 'isWhole' | 'whole' | 'lost' | 'drop' | 'goOffline' | 'goOnline' | 'complete' | 'close'
> & { readonly requests: readonly { id: string; level?: number }[] }

type Request = { id: string; tableNumber: string }

/** The library's own pause before another attempt: a second, give or take a half. */
const retryMs = () => 500 + Math.random() * 1000

/** `once`: as where a server only passes messages on. */
export type PeerLists = 'on each connection' | 'once'

/** A crew screen on socket.io: on each connection it joins the room of its restaurant, and gets the open requests. */
export class PeerScreen implements CrewScreen {
  readonly traffic = { connections: 0, received: 0, receivedBytes: 0, sent: 0 }
  #socket: Socket
  #restaurantName: string
  #getsLists: PeerLists
  #requests: Map<string, Request> | undefined
  #whole = Promise.withResolvers<void>()
  #lost = Promise.withResolvers<void>()
  #retry: NodeJS.Timeout | undefined
  isWhole = false

  constructor(origin: string, restaurantName: string, getsLists: PeerLists = 'on each connection') {
    this.#restaurantName = restaurantName
    this.#getsLists = getsLists
    this.#socket = io(origin, { transports: ['websocket'], forceNew: true, reconnection: false })
    this.#socket.on('connect', () => void this.#join())
    this.#socket.on('connect_error', () => (this.#retry = setTimeout(() => this.goOnline(), retryMs())))
    this.#socket.on('disconnect', () => {
      this.isWhole = false
      this.#whole = Promise.withResolvers()
      this.#lost.resolve()
    })
    this.#socket.on('new-request', (request: Request) => this.#requests?.set(request.id, request))
    this.#socket.on('request-completed', (id: string) => this.#requests?.delete(id))
    this.#socket.onAny(() => this.traffic.received++)
    this.traffic.connections++
  }

  get requests(): readonly Request[] {
    return [...(this.#requests?.values() ?? [])]
  }

  whole(): Promise<void> {
    return this.#whole.promise
  }

  lost(): Promise<void> {
    return this.#lost.promise
  }

  drop(): void {
    this.#socket.io.engine.close()
  }

  /** Cuts the connection without a goodbye. It stays away until `goOnline`. */
  goOffline(): void {
    // Its types do not name the socket below.
    const socket: { terminate(): void } = Reflect.get(this.#socket.io.engine.transport, 'ws')
    socket.terminate()
  }

  goOnline(): void {
    clearTimeout(this.#retry)
    if (this.#socket.connected) return
    this.traffic.connections++
    this.#socket.connect()
  }

  async complete(id: string): Promise<void> {
    const table = this.#requests?.get(id)?.tableNumber
    await this.#socket.emitWithAck('complete-request', this.#restaurantName, table, id)
  }

  close(): void {
    clearTimeout(this.#retry)
    this.#socket.disconnect()
  }

  async #join(): Promise<void> {
    this.traffic.sent++
    const pending: Request[] = await this.#socket.emitWithAck('join-crew', this.#restaurantName)
    this.traffic.received++
    if (this.#getsLists === 'on each connection' || !this.#requests)
      this.#requests = new Map(pending.map((request) => [request.id, request]))
    this.isWhole = true
    this.#lost = Promise.withResolvers()
    this.#whole.resolve()
  }
}
