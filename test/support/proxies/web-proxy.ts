import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'

const isRewritable =
  /^\/(service-worker\.js|guest-worker\.js|waiter|customer\?.*|api\/service-requests(\/mine\?.*)?)$/u

/** Stands before a server, as the network or as another build of it. A page may also have it as its proxy. */
export class WebProxy {
  readonly url: string
  mode: 'up' | 'hanging' | 'away' = 'up'
  /** Some networks let nothing but plain requests through. */
  letsSocketsThrough = true
  /** Changes an answer on its way; null for one that is gone. */
  rewrite:
    | ((path: string, body: string, headers: IncomingHttpHeaders) => string | null | Promise<string | null>)
    | null = null
  #target: () => number
  #sockets = new Set<Socket>()
  #server = createServer((incoming, response) => {
    if (this.mode === 'away') return incoming.socket.destroy()
    if (this.mode === 'hanging') return undefined
    const { method, headers } = incoming
    const { pathname, search } = new URL(incoming.url ?? '/', this.url)
    const path = pathname + search
    // Uncompressed, so that it can be rewritten.
    const options = {
      port: this.#target(),
      path,
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
    }
    const outgoing = request(options, (answer) => {
      if (!this.rewrite || !isRewritable.test(path)) {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        return answer.pipe(response)
      }
      const { 'content-length': _, etag: _etag, 'last-modified': _modified, ...kept } = answer.headers
      const { rewrite } = this
      return void textOf(answer).then(async (body) => {
        const rewritten = await rewrite(path, body, kept)
        response.writeHead(rewritten === null ? 410 : (answer.statusCode ?? 502), kept)
        response.end(rewritten)
      })
    })
    outgoing.once('error', () => incoming.socket.destroy())
    return incoming.pipe(outgoing)
  })

  constructor(port: number, target: () => number) {
    this.url = `http://localhost:${port}`
    this.#target = target
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server.on('upgrade', ({ url, rawHeaders }: IncomingMessage, socket: Socket, head: Buffer) => {
      if (!this.letsSocketsThrough) return void socket.destroy()
      return this.#tunnel(socket, (upstream) => {
        const lines = [`GET ${url} HTTP/1.1`]
        for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
        upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
        upstream.write(head)
      })
    })
    // A browser asks its proxy for this before it opens a WebSocket.
    this.#server.on('connect', (_incoming: IncomingMessage, socket: Socket) =>
      this.#tunnel(socket, () => socket.write('HTTP/1.1 200 Connected\r\n\r\n')),
    )
    this.#server.listen(port, 'localhost')
  }

  #tunnel(socket: Socket, begin: (upstream: Socket) => void): void {
    if (this.mode === 'away') return void socket.destroy()
    if (this.mode === 'hanging') return
    const upstream = connect(this.#target(), 'localhost', () => {
      begin(upstream)
      upstream.pipe(socket).pipe(upstream)
    })
    socket.once('close', () => upstream.destroy())
    for (const end of [socket, upstream]) end.once('error', () => socket.destroy())
  }

  /** What is open ends; what comes finds the new mode. */
  switchTo(mode: WebProxy['mode']): void {
    this.mode = mode
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.switchTo('away')
    await once(this.#server, 'close')
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
