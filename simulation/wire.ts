import { Agent, request } from 'node:http'
import { WebSocket } from 'ws'
import type { CallInput, Reply, Route } from '#contract/api.ts'
import type { ClientMessageInput, ServerMessage } from '#contract/live.ts'

/** Counts whatever arrives anywhere, so that the simulation can tell when nothing is on its way any more. */
export const traffic = {
  count: 0,
  /** Calls that are not answered yet. */
  calls: 0,
}

export type Answer<T> = { status: number; body: T }

export type Sent = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | undefined
}
export type Received = { status: number; type: string; text: string }

/** A node as browsers reach it; after a restart it has another port. */
export type Address = { readonly port: number; readonly agent: Agent }

export const createAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 64 })

/** One browser: its cookies, its calls and its live channel. */
export class Browser {
  readonly #cookies = new Map<string, string>()
  readonly #address: () => Address
  readonly #ownHeaders: Record<string, string>
  /** Where its live channel was opened last. */
  connectedTo: Address | null = null

  constructor(address: () => Address, ownHeaders: Record<string, string> = {}) {
    this.#address = address
    this.#ownHeaders = ownHeaders
  }

  #headers(): Record<string, string> {
    return {
      origin: `http://127.0.0.1:${this.#address().port}`,
      'sec-fetch-site': 'same-origin',
      ...(this.#cookies.size > 0 && {
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      }),
      ...this.#ownHeaders,
    }
  }

  /** Anything at all. Fails also while no server runs. */
  async send({ method, path, headers, body }: Sent): Promise<Received> {
    const { port, agent } = this.#address()
    traffic.calls++
    const answered = new Promise<Received>((resolve, reject) => {
      const call = request(
        { host: '127.0.0.1', port, agent, method, path, headers: { ...this.#headers(), ...headers } },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            traffic.count++
            for (const cookie of response.headers['set-cookie'] ?? []) this.#keep(cookie)
            resolve({
              status: response.statusCode ?? 0,
              type: response.headers['content-type'] ?? '',
              text: Buffer.concat(chunks).toString(),
            })
          })
        },
      )
      call.on('error', reject)
      call.end(body)
    })
    return answered.finally(() => traffic.calls--)
  }

  async call<R extends Route>(route: R, input: CallInput<R> & Parts): Promise<Answer<Reply<R>>> {
    const { params = {}, query = {}, body }: Parts = input
    const path = Object.entries(params).reduce<string>(
      (url, [name, value]) => url.replace(`:${name}`, encodeURIComponent(value)),
      route.path,
    )
    const search = new URLSearchParams(query).toString()
    const { status, text } = await this.send({
      method: route.method,
      path: search ? `${path}?${search}` : path,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    return { status, body: text ? JSON.parse(text) : undefined }
  }

  /** The answer to a call that must succeed. */
  async ok<R extends Route>(route: R, input: CallInput<R> & Parts): Promise<Reply<R>> {
    const { status, body } = await this.call(route, input)
    if (status >= 300) throw new Error(`${route.method} ${route.path}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ')
    const at = pair.indexOf('=')
    if (attributes.includes('Max-Age=0')) this.#cookies.delete(pair.slice(0, at))
    else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }

  /** `onMessage` hears everything in its order, also the answers. */
  async connect(onMessage: (message: ServerMessage) => void, onClose: () => void): Promise<Channel> {
    this.connectedTo = this.#address()
    const { port } = this.connectedTo
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: this.#headers() })
    const channel = new Channel(socket, onMessage, onClose)
    await channel.opened
    return channel
  }
}

type Parts = { params?: Record<string, string>; query?: Record<string, string>; body?: unknown }

/** The client's end of a live channel. */
export class Channel {
  readonly opened: Promise<void>
  #socket: WebSocket
  #refs = 0
  #waiting = new Map<string, (answer: ServerMessage | null) => void>()

  constructor(socket: WebSocket, onMessage: (message: ServerMessage) => void, onClose: () => void) {
    this.#socket = socket
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.on('error', reject)
    })
    socket.on('message', (data) => {
      traffic.count++
      if (!Buffer.isBuffer(data)) return
      const message: ServerMessage = JSON.parse(data.toString())
      onMessage(message)
      if (message.type !== 'ack' && message.type !== 'error') return
      this.#waiting.get(message.ref ?? '')?.(message)
      this.#waiting.delete(message.ref ?? '')
    })
    socket.once('close', () => {
      traffic.count++
      for (const answer of this.#waiting.values()) answer(null)
      this.#waiting.clear()
      onClose()
    })
  }

  /** Null if the connection ends before the answer arrives. */
  request(message: ClientMessageInput): Promise<ServerMessage | null> {
    const ref = `r${++this.#refs}`
    return new Promise((resolve) => {
      if (this.#socket.readyState !== WebSocket.OPEN) return resolve(null)
      this.#waiting.set(ref, resolve)
      this.#socket.send(JSON.stringify({ ...message, ref }))
    })
  }

  /** Anything at all. */
  send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text)
  }

  /** The network is gone, without a goodbye. */
  cut(): void {
    this.#socket.terminate()
  }

  /** Half-open: nothing arrives any more, and nobody knows. */
  freeze(): void {
    this.#socket.pause()
  }

  thaw(): void {
    this.#socket.resume()
  }
}
