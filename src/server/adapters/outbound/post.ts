import { type Agent, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import type { LookupFunction } from 'node:net'

export const responseTimeoutMs = 10_000
const maxResponseBytes = 10_000

export class NoAnswerError extends Error {}

type Post = {
  headers: Record<string, string>
  body: Buffer | string
  /** Without one the connection is closed afterwards. */
  agent?: Agent
  lookup?: LookupFunction
  signal: AbortSignal
}

/** Returns the status of the answer. Redirects are not followed: they could lead anywhere. */
export function post(url: URL, { headers, body, agent, lookup, signal }: Post): Promise<number> {
  return new Promise((resolveStatus, reject) => {
    const request = url.protocol === 'http:' ? requestPlain : requestSecure
    const options = { method: 'POST', headers, agent: agent ?? false, signal, ...(lookup && { lookup }) }
    const sending = request(url, options, (response) => {
      resolveStatus(response.statusCode ?? 0)
      // The body is not needed and may be endless.
      let length = 0
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > maxResponseBytes) response.destroy()
      })
      response.on('error', () => {})
    })
    const timer = setTimeout(() => sending.destroy(new NoAnswerError('no answer')), responseTimeoutMs)
    sending.once('close', () => {
      clearTimeout(timer)
      // After an upgrade, which nobody asked for, nothing else is emitted.
      reject(new Error('closed without an answer'))
    })
    sending.on('error', reject)
    sending.end(body)
  })
}
