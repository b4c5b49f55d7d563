import { once } from 'node:events'
import * as v from 'valibot'
import { afterEach, beforeEach, vi } from 'vitest'
import { type WebSocket as Peer, WebSocketServer } from 'ws'
import { type ClientMessageInput, type MessageOf, ServerMessage } from '#contract/live.ts'
import { LiveChannel } from '../../../src/client/api/live/live-channel.ts'
import { freePort } from '../ports.ts'
import { stubBrowserWebSocket } from './jsdom-socket.ts'

/** A server that sends and does only what a test tells it to. */
class FakeServer {
  #server: WebSocketServer | null = null
  #port: number | undefined
  #sockets: Peer[] = []
  #received: ClientMessageInput[] = []
  /** The messages that carry several; these are received one by one too. */
  readonly resumes: MessageOf<ClientMessageInput, 'resume'>[] = []
  #waiting: (() => void)[] = []
  opened = 0

  async start(): Promise<void> {
    this.#port ??= await freePort()
    this.#server = new WebSocketServer({ port: this.#port, host: '127.0.0.1', maxPayload: 16_384 })
    await once(this.#server, 'listening')
    this.#server.on('connection', (socket) => {
      this.opened += 1
      this.#sockets.push(socket)
      socket.on('message', (data: Buffer) => {
        const message: ClientMessageInput = JSON.parse(data.toString())
        if (message.type === 'resume') this.resumes.push(message)
        this.#received.push(...(message.type === 'resume' ? message.messages : [message]))
        this.#waiting.shift()?.()
      })
    })
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/ws`
  }

  async next(): Promise<ClientMessageInput> {
    for (;;) {
      const message = this.#received.shift()
      if (message) return message
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  async nextOf(type: ClientMessageInput['type']): Promise<ClientMessageInput> {
    for (;;) {
      const message = await this.next()
      if (message.type === type) return message
    }
  }

  send(message: ServerMessage | string): void {
    this.#sockets.at(-1)?.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  async ack(type: ClientMessageInput['type']): Promise<void> {
    this.send({ type: 'ack', ref: (await this.nextOf(type)).ref })
  }

  close(code: number): void {
    this.#sockets.at(-1)?.close(code)
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate()
    this.#sockets = []
    this.#received = []
    const server = this.#server
    this.#server = null
    if (server) await new Promise((resolve) => server.close(resolve))
  }
}

export const snapshot = (seq: number): ServerMessage => ({
  type: 'pending-requests',
  seq,
  requests: [],
  recent: [],
})

type ChannelOptions = NonNullable<ConstructorParameters<typeof LiveChannel>[0]>

/** A page's live channel, and the server that it reaches. */
export class LivePage {
  server = new FakeServer()
  live: LiveChannel
  #releases: (() => void)[] = []

  constructor() {
    this.live = this.open()
  }

  async start(): Promise<void> {
    stubBrowserWebSocket()
    this.server = new FakeServer()
    await this.server.start()
    this.open()
  }

  /** As a page does that has just been opened. */
  open(options: ChannelOptions = {}): LiveChannel {
    const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)
    this.live = new LiveChannel({ url: () => this.server.url, isMessage, ...options })
    return this.live
  }

  acquire(): void {
    this.#releases.push(this.live.acquire())
  }

  subscribe(stream: 'requests' | 'messages' = 'requests'): void {
    this.#releases.push(this.live.subscribe(stream))
  }

  /** Connects, follows the requests, and receives their snapshot. */
  async connect(sequence = 0): Promise<void> {
    this.subscribe()
    this.acquire()
    await this.receiveSnapshot(sequence)
  }

  /** The one that it asks for. */
  async receiveSnapshot(sequence = 0): Promise<void> {
    await this.server.nextOf('get-pending-requests')
    this.server.send(snapshot(sequence))
    await this.waitForState('live')
  }

  async waitForState(state: string): Promise<void> {
    const { live } = this
    if (live.connection.state === state) return
    await new Promise<void>((resolve) => {
      const stop = live.onConnectionChange(() => {
        if (live.connection.state !== state) return
        stop()
        resolve()
      })
    })
  }

  /** The sequence numbers of the messages from now on. */
  recordSequences(): (number | undefined)[] {
    const sequences: (number | undefined)[] = []
    this.live.onMessage(({ seq }) => sequences.push(seq))
    return sequences
  }

  async loseServer(): Promise<void> {
    await this.server.stop()
    await this.waitForState('reconnecting')
  }

  async stop(): Promise<void> {
    for (const release of this.#releases) release()
    this.#releases = []
    await this.server.stop()
  }
}

/** Each test gets a server and a channel of its own. */
export function setUpLivePage(): LivePage {
  const page = new LivePage()
  beforeEach(() => page.start())
  afterEach(() => page.stop())
  return page
}

/** Time stands still except when a test advances it; the network goes on. */
export const freezeTime = (): void =>
  void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
