import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { setUpApp } from '../../../test/support/app.ts'

const app = setUpApp()

/** What the server answers to this text before it closes the connection. */
async function answerTo(text: string): Promise<string> {
  const socket = connect(app.port, 'localhost').setEncoding('utf8')
  socket.write(text)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let answer = ''
  socket.on('data', (chunk) => (answer += String(chunk)))
  socket.on('end', () => resolve(answer))
  socket.on('error', reject)
  return promise
}

describe('a request that cannot be read', () => {
  it.each([
    [
      'headers of 20 kB',
      `GET /api/session HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
      { code: 'too_large', message: 'The headers of the request are too large' },
    ],
    [
      'no HTTP',
      'HELLO\r\n\r\n',
      '400 Bad Request',
      { code: 'invalid', message: 'The request could not be read' },
    ],
  ])('is answered with its reason: %s', async (_what, text, status, body) => {
    const [head = '', answer = ''] = (await answerTo(text)).split('\r\n\r\n')
    expect(head.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`)
    expect(JSON.parse(answer)).toEqual(body)
  })
})
