import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { errorStatus } from '#contract/errors.ts'
import type { Actor } from '../core/actor.ts'
import { Refusal, toErrorBody } from '../core/errors.ts'
import { oncePerTurn } from '../core/tasks/once-per-turn.ts'
import type { Log } from '../ports/monitoring.ts'
import type { Socket } from './connection.ts'
import type { Gateway } from './gateway.ts'

const maxFrameBytes = 16 * 1024
/** A ping without content, as it goes over a WebSocket. */
const pingFrame = Buffer.from([0x89, 0])

type Admission = { actor: Actor } | { status: number; reason: string }

/** Accepts `/ws` on the HTTP server. The upgrade is answered only after `admit` has identified the client. */
export function acceptWebSockets(
  server: Server,
  gateway: Pick<Gateway, 'admit' | 'isDraining' | 'open'>,
  admit: (request: IncomingMessage) => Promise<Admission>,
  log: Log,
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const batchWrites = createWriteBatcher()
  // One for all sockets: a function of its own would keep everything that the upgrade needed.
  const logFailure = (error: unknown) => log.info({ error }, 'live socket failed')

  server.on('upgrade', (request, stream, head) => {
    stream.on('error', logFailure)
    void upgrade(request, stream, head).catch((error: unknown) => {
      const { code, message } = toErrorBody(log, error)
      rejectUpgrade(
        stream,
        errorStatus[code],
        message,
        error instanceof Refusal ? error.retryAfter : undefined,
      )
    })
  })

  /** Before the upgrade, so that a proxy can take the socket to another node without the page noticing. */
  function refuseWhileDraining(): void {
    if (gateway.isDraining()) throw new Refusal('unavailable', 'This node is stopping', { retryAfter: 1 })
  }

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const path = URL.parse(request.url ?? '/', 'http://host')?.pathname
    if (path !== '/ws') return rejectUpgrade(stream, 404, 'Not found')
    refuseWhileDraining()
    const admission = await admit(request)
    if ('status' in admission) return rejectUpgrade(stream, admission.status, admission.reason)
    const { actor } = admission
    const release = await gateway.admit(actor)
    // A stream that is gone already would never release its reservation.
    if (stream.destroyed) return release()
    stream.on('close', release)
    refuseWhileDraining()
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', logFailure)
      gateway.open(new StreamSocket(socket, stream, batchWrites), actor)
    })
  }
}

function rejectUpgrade(stream: Duplex, status: number, reason: string, retryAfter?: number): void {
  const retryHeader = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  // A client that keeps its half open would keep the server from stopping.
  stream.once('finish', () => stream.destroy())
  stream.end(`HTTP/1.1 ${status} ${reason}\r\n${retryHeader}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}

/**
 * System calls are the most expensive part of a broadcast, and requests committed together are broadcast together:
 * everything sent to a socket in one turn of the event loop leaves in one write at its end.
 */
function createWriteBatcher(): (stream: Duplex) => void {
  const uncorkAtEnd = oncePerTurn<Duplex>((streams) => {
    for (const stream of streams) stream.uncork()
  })
  return (stream) => {
    if (stream.writableCorked > 0) return
    stream.cork()
    uncorkAtEnd(stream)
  }
}

/** Thousands may be open, so each is one small object. */
class StreamSocket implements Socket {
  readonly #socket: WebSocket
  readonly #stream: Duplex
  readonly #batchWrites: (stream: Duplex) => void

  constructor(socket: WebSocket, stream: Duplex, batchWrites: (stream: Duplex) => void) {
    this.#socket = socket
    this.#stream = stream
    this.#batchWrites = batchWrites
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** `ws` writes to the same stream at once too, so pings and closes keep their place. */
  send(frame: Buffer): void {
    if (!this.#isOpen) return
    this.#batchWrites(this.#stream)
    this.#stream.write(frame)
  }

  ping(): void {
    if (this.#isOpen) this.#stream.write(pingFrame)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  listen({ onMessage, onHeard, onClose }: Parameters<Socket['listen']>[0]): void {
    this.#socket.on('message', (data, isBinary) => {
      onHeard()
      if (!this.#isOpen) return
      if (isBinary || !Buffer.isBuffer(data)) this.#socket.close(1003, 'Text only')
      else onMessage(data.toString())
    })
    this.#socket.on('pong', onHeard)
    this.#socket.on('close', onClose)
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }
}
