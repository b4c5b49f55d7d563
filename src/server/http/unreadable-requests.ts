import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError } from 'fastify'
import { type ErrorBody, errorStatus } from '#contract/errors.ts'
import { invalid, Refusal } from '../core/errors.ts'

/** Answers on the raw connection, since input that is not HTTP or arrives too late reaches no route. */
export function refuseMalformedRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const { code, message } = malformedRequestError(error.code)
  const body = JSON.stringify({ code, message })
  // What is too large are the headers, not the body.
  const status = code === 'too_large' ? 431 : errorStatus[code]
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  socket.destroy(error)
}

function malformedRequestError(code: string | undefined): ErrorBody {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'timeout', message: 'The request took too long' }
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'too_large', message: 'The headers of the request are too large' }
    default:
      return { code: 'invalid', message: 'The request could not be read' }
  }
}

/** A path with invalid percent-encoding is taken literally, so that it is answered like any unknown path. */
export function escapeMalformedPath(url: string): string {
  const [path = ''] = url.split(/[?#;]/u)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** Replaces the messages of Fastify's errors about unreadable requests; all other errors are unchanged. */
export function translateFastifyError(error: FastifyError): Error {
  switch (error.statusCode) {
    case 400:
    case 414:
      return invalid('The request could not be read')
    case 412:
      return new Refusal('precondition_failed', 'The file has changed')
    case 413:
      return new Refusal('too_large', 'The request is too large')
    case 415:
      return new Refusal('unsupported', 'Please send JSON')
    case 416:
      return new Refusal('range_not_satisfiable', 'The file has no such part')
    case 404:
      return new Refusal('not_found', 'Not found')
    default:
      return error
  }
}
