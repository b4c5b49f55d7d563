import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { errorStatus } from '#contract/errors.ts'
import { closeCodes } from '#contract/live.ts'
import type { Actor } from '../core/actor.ts'
import type { Log } from '../core/ports.ts'
import type { Socket } from './connection.ts'
import { Refusal, toErrorBody } from '../core/errors.ts'
import type { Gateway } from './gateway.ts'

const maxFrameBytes = 16 * 1024

type Admission = { actor: Actor; cookies: string[] } | { status: number; reason: string }

/** Accepts `/ws` on the HTTP server. The upgrade is answered only after `admit` has identified the client. */
export function acceptWebSockets(
  server: Server,
  gateway: Pick<Gateway, 'admit' | 'isDraining' | 'open'>,
  admit: (request: IncomingMessage) => Promise<Admission>,
  log: Log,
): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false })
  const cookies = new WeakMap<IncomingMessage, string[]>()
  const batchWrites = createWriteBatcher()
  sockets.on('headers', (lines, request) => {
    for (const cookie of cookies.get(request) ?? []) lines.push(`Set-Cookie: ${cookie}`)
  })

  server.on('upgrade', (request, stream, head) => {
    stream.on('error', (error) => log.info({ error }, 'socket failed during the upgrade'))
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

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const path = URL.parse(request.url ?? '/', 'http://host')?.pathname
    if (path !== '/ws') return rejectUpgrade(stream, 404, 'Not found')
    const admission = await admit(request)
    if ('status' in admission) return rejectUpgrade(stream, admission.status, admission.reason)
    // A stream that is gone already would never release its reservation.
    if (stream.destroyed) return
    const { actor } = admission
    stream.once('close', gateway.admit(actor))
    cookies.set(request, admission.cookies)
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', (error) => log.info({ error }, 'live socket failed'))
      if (gateway.isDraining()) return socket.close(closeCodes.tooMany, 'The server is restarting')
      gateway.open(toSocket(socket, stream, batchWrites), actor)
    })
  }
}

function rejectUpgrade(stream: Duplex, status: number, reason: string, retryAfter?: number): void {
  const retryHeader = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  stream.end(`HTTP/1.1 ${status} ${reason}\r\n${retryHeader}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}

/**
 * System calls are the most expensive part of a broadcast, and requests committed together are broadcast together:
 * everything sent to a socket in one turn of the event loop leaves in one write at its end.
 */
function createWriteBatcher(): (stream: Duplex) => void {
  let corkedStreams: Duplex[] = []
  const uncorkAll = () => {
    const streams = corkedStreams
    corkedStreams = []
    for (const stream of streams) stream.uncork()
  }
  return (stream) => {
    if (stream.writableCorked > 0) return
    stream.cork()
    if (corkedStreams.push(stream) === 1) process.nextTick(uncorkAll)
  }
}

function toSocket(socket: WebSocket, stream: Duplex, batchWrites: (stream: Duplex) => void): Socket {
  return {
    // `ws` writes to the same stream at once too, so pings and closes keep their place.
    send: (frame) => {
      if (socket.readyState !== WebSocket.OPEN) return
      batchWrites(stream)
      stream.write(frame)
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
    ping: () => {
      if (socket.readyState === WebSocket.OPEN) socket.ping()
    },
    get bufferedBytes() {
      return socket.bufferedAmount
    },
    onMessage: (listener) =>
      socket.on('message', (data, isBinary) => {
        if (socket.readyState !== WebSocket.OPEN) return
        if (isBinary || !Buffer.isBuffer(data)) socket.close(1003, 'Text only')
        else listener(data.toString())
      }),
    onPong: (listener) => socket.on('pong', listener),
    onClose: (listener) => socket.on('close', listener),
  }
}
