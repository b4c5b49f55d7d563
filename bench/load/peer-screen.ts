import { io, type Socket } from 'socket.io-client'
import type { PageScreen } from './page-screen.ts'

/** What a storm needs of a screen. */
export type CrewScreen = Pick<
  PageScreen,
  'traffic' | 'isWhole' | 'whole' | 'lost' | 'drop' | 'goOnline' | 'complete' | 'close'
> & { readonly requests: readonly { id: string; level?: number }[] }

type Request = { id: string; tableNumber: string }

/** The library's own pause before another attempt: a second, give or take a half. */
const retryMs = () => 500 + Math.random() * 1000

/** A crew screen on socket.io: it joins the room of its restaurant and gets the open requests, on each connection. */
export class PeerScreen implements CrewScreen {
  readonly traffic = { connections: 0, received: 0, receivedBytes: 0, sent: 0 }
  #socket: Socket
  #restaurantName: string
  #requests = new Map<string, Request>()
  #whole = Promise.withResolvers<void>()
  #lost = Promise.withResolvers<void>()
  #retry: NodeJS.Timeout | undefined
  isWhole = false

  constructor(origin: string, restaurantName: string) {
    this.#restaurantName = restaurantName
    this.#socket = io(origin, { transports: ['websocket'], forceNew: true, reconnection: false })
    this.#socket.on('connect', () => void this.#join())
    this.#socket.on('connect_error', () => (this.#retry = setTimeout(() => this.goOnline(), retryMs())))
    this.#socket.on('disconnect', () => {
      this.isWhole = false
      this.#whole = Promise.withResolvers()
      this.#lost.resolve()
    })
    this.#socket.on('new-request', (request: Request) => this.#requests.set(request.id, request))
    this.#socket.on('request-completed', (id: string) => this.#requests.delete(id))
    this.#socket.onAny(() => this.traffic.received++)
    this.traffic.connections++
  }

  get requests(): readonly Request[] {
    return [...this.#requests.values()]
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

  goOnline(): void {
    clearTimeout(this.#retry)
    if (this.#socket.connected) return
    this.traffic.connections++
    this.#socket.connect()
  }

  async complete(id: string): Promise<void> {
    const table = this.#requests.get(id)?.tableNumber
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
    this.#requests = new Map(pending.map((request) => [request.id, request]))
    this.isWhole = true
    this.#lost = Promise.withResolvers()
    this.#whole.resolve()
  }
}
