import { request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { TestBrowser } from '../app.ts'

export type HeldAnswer = { status: number; body: string; cookies: Map<string, string> }

export type HeldRequest = {
  /** Sends the rest of the body, and returns the answer. Its cookies do not enter the browser's jar. */
  finish(): Promise<HeldAnswer>
  /** Sends this part of the body. */
  sendMore(characters: number): void
  answer: Promise<HeldAnswer>
}

/** A request whose body is held back after its headers, at most until the test ends. It carries the current cookies. */
export async function holdRequest(
  url: string,
  browser: TestBrowser,
  method: string,
  path: string,
  body: unknown,
): Promise<HeldRequest> {
  const text = JSON.stringify(body)
  let sent = 0
  const call = request(url + path, {
    method,
    agent: false,
    headers: {
      origin: url,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      // The server requests the body once it has the headers.
      expect: '100-continue',
      ...(browser.cookieHeader !== '' && { cookie: browser.cookieHeader }),
    },
  })
  const answer = new Promise<HeldAnswer>((resolve, reject) => {
    call.once('error', reject)
    call.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const cookies = (response.headers['set-cookie'] ?? []).map((cookie) => {
          const [pair = ''] = cookie.split('; ')
          const at = pair.indexOf('=')
          return [pair.slice(0, at), cookie.includes('Max-Age=0') ? '' : pair.slice(at + 1)] as const
        })
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString(),
          cookies: new Map(cookies),
        })
      })
    })
  })
  answer.catch(() => {})
  // Otherwise the server of a test that fails meanwhile would wait for the rest.
  onTestFinished(() => void call.destroy())
  const ready = new Promise<void>((resolve) => call.once('continue', resolve))
  call.flushHeaders()
  await Promise.race([ready, answer])
  return {
    answer,
    sendMore(characters) {
      call.write(text.slice(sent, sent + characters))
      sent += characters
    },
    finish() {
      call.end(text.slice(sent))
      return answer
    },
  }
}
