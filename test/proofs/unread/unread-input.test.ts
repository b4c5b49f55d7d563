import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { fieldsOf } from '../../support/contract-fields.ts'
import {
  check,
  deep,
  messages,
  named,
  pathOf,
  routes,
  setUpMaliciousCalls,
  withBody,
} from '../../support/malicious-calls.ts'

// Nothing here gets as far as a statement with what was sent in it.

const malicious = setUpMaliciousCalls()
const { app, callerOf, call, base, screen, tell } = malicious

describe('a body', () => {
  it.for(named(withBody))('of %s is an object with the fields it needs', async ([name, route]) => {
    const before = await malicious.snapshot()
    for (const body of ['[]', 'null', '7', '"text"', 'true', '[{}]']) {
      const answer = await call(route, body)
      check(`${name} ${body}`, answer, [400])
    }
    const empty = await call(route, {})
    // Nothing that it must say, and nothing has that id; here nobody is offered a demo.
    const mayBeEmpty = [
      api.accounts.tryDemo,
      api.crew.change,
      api.crew.restore,
      api.floor.restoreTable,
      api.sections.restore,
      api.managerNotes.take,
      api.managerNotes.close,
      api.managers.restore,
    ].some((each) => each === route)
    check(name, empty, [mayBeEmpty ? 404 : 400])
    expect(await malicious.snapshot()).toEqual(before)
  })

  it.for(named(withBody))('of %s is JSON of a limited size', async ([name, route]) => {
    const post = async (type: string | null, body: string | Uint8Array<ArrayBuffer>, status: number) => {
      const response = await callerOf(route).fetch(pathOf(route), {
        method: route.method,
        body,
        headers: type === null ? {} : { 'content-type': type },
      })
      const answer = { status: response.status, body: await response.json() }
      check(`${name} ${type} ${body.slice(0, 40).toString()}`, answer, [status])
    }
    const json = JSON.stringify(base(fieldsOf(route.body)))
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      await post(type, json, 415)
    }
    for (const broken of [
      '',
      '{',
      '{"a":}',
      "{'a':1}",
      'undefined',
      '{"a":1}}',
      '\ufeff{',
      '\0',
      deep(100_000).slice(1),
    ]) {
      await post('application/json', broken, 400)
    }
    await post('application/json', Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00), 400)
    for (const poison of ['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"admin":true}}}']) {
      await post('application/json', poison, 400)
    }
    expect('admin' in {}).toBe(false)
    await post('application/json', JSON.stringify({ x: 'x'.repeat(256 * 1024) }), 413)
    await post('application/json', deep(100_000), 400)
  })
})

/** Sends exactly these bytes, and reads the complete answer. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.on('data', (data) => (answer += data.toString('latin1')))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

const ask = (line: string, headers: string[] = []): Promise<string> =>
  raw(`${line}\r\n${['Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`)

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/u.exec(answer)?.[1])

describe('a request', () => {
  it.for(['FOO', 'PURGE', 'TRACE', 'PROPFIND', 'QUERY', 'LOCK', 'get'])(
    'with the method %s finds nothing',
    async (method) => {
      for (const path of ['/api/crew', '/customer', '/']) {
        const status = statusOf(await ask(`${method} ${path} HTTP/1.1`, [`Origin: ${app.url}`]))
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
      }
    },
  )

  it('reads no files except those of the client', async () => {
    const up = ['..', '%2e%2e', '.%2e', '..%2f..', '..%5c..', '..\\..', '%252e%252e', '....//']
    const starts = ['', '/assets', '/assets/x', '/customer', '//assets']
    const files = [
      'package.json',
      'server/guest-server.js',
      'manifest.json',
      'etc/passwd',
      'src/server/main.ts',
    ]
    for (const start of starts) {
      for (const step of up) {
        for (const file of files) {
          const answer = await ask(`GET ${start}/${step}/${step}/${file} HTTP/1.1`)
          expect(answer).toMatch(/^HTTP\/1\.1 40[034] /u)
          expect(answer).not.toMatch(/"tableside"|root:|import /u)
        }
      }
    }
    for (const path of ['/.git/config', '/manifest.json', '/server/guest-server.js', '/assets/', '/assets']) {
      expect({ path, status: statusOf(await ask(`GET ${path} HTTP/1.1`)) }).toEqual({ path, status: 404 })
    }
  })

  it.for([
    ['no version', 'GET /\r\n\r\n'],
    ['nonsense', '\0\x01\x02\r\n\r\n'],
    ['two lengths', 'POST /api/crew HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST /api/crew HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST /api/crew HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
    ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a line break in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\n b\r\r\n\r\n'],
  ])('with %s is turned away', async ([, bytes = '']) => {
    const status = statusOf(await raw(bytes))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })

  it.for([
    'tsr=',
    'tsr="x"',
    'tsr=%00',
    `tsr=${'x'.repeat(5_000)}`,
    ';;;=',
    'tsr=\x80\xff',
    `tsr=${'a'.repeat(32)}`,
  ])('with the cookie %s is a stranger', async (cookie) => {
    const answer = await ask('GET /api/session HTTP/1.1', [`Cookie: ${cookie}; tsr_g=%%%`])
    expect(statusOf(answer)).toBe(401)
  })
})

describe('a page of another site', () => {
  const unsafe = routes.filter(({ method }) => method !== 'GET')
  const foreign: [string, Record<string, string>][] = [
    ['from another origin', { origin: 'https://evil.example' }],
    ['from another port', { origin: 'http://localhost:1' }],
    ['from a name that only begins like ours', { origin: 'http://localhost.evil.example' }],
    ['from nowhere', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling', { 'sec-fetch-site': 'same-site' }],
  ]

  it.for(foreign)('writes nothing %s', async ([, headers]) => {
    const before = await malicious.snapshot()
    for (const route of [...unsafe, { method: 'POST', path: '/customer' } as const]) {
      const response = await malicious.tenant.owner.fetch(route.path.replace(/:\w+/u, 'x'), {
        method: route.method,
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
      check(route.path, { status: response.status, body: await response.json() }, [403])
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
    expect(await malicious.snapshot()).toEqual(before)
  })

  it('gains nothing by omitting the Origin', async () => {
    const body = JSON.stringify({ name: 'Mallory', role: 'Server' })
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const post = (more: string[]) =>
      raw(
        `POST /api/crew HTTP/1.1\r\n${['Host: localhost', 'Connection: close', ...headers, ...more].join('\r\n')}\r\n\r\n${body}`,
      )
    expect(statusOf(await post([`Cookie: ${malicious.tenant.owner.cookieHeader}`]))).toBe(403)
    expect(statusOf(await post([`Cookie: ${malicious.tenant.owner.cookieHeader}`, 'Origin: null']))).toBe(403)
    expect(statusOf(await post([]))).toBe(401)
  })

  it.for(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'posts no form of %s to a call',
    async (type) => {
      for (const [headers, status] of [
        [{}, 415],
        [{ origin: 'https://evil.example' }, 403],
      ] as const) {
        const response = await malicious.tenant.owner.fetch('/api/crew', {
          method: 'POST',
          headers: { 'content-type': type, ...headers },
          body: '{"name":"Mallory","role":"Server"}',
        })
        expect(response.status).toBe(status)
      }
    },
  )

  it.for([
    ['no Origin', []],
    ['another Origin', ['Origin: https://evil.example']],
    ['the Origin null', ['Origin: null']],
    ['a cross-site request', ['Sec-Fetch-Site: cross-site', 'Origin: OWN']],
    ['a same-site request', ['Sec-Fetch-Site: same-site', 'Origin: OWN']],
  ] as const)('opens no live channel with %s', async ([, headers]) => {
    const upgrade = [
      'GET /ws HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Cookie: ${malicious.tenant.owner.cookieHeader}`,
      ...headers.map((header) => header.replace('OWN', app.url)),
    ]
    expect(statusOf(await raw(`${upgrade.join('\r\n')}\r\n\r\n`))).toBe(403)
  })

  it.for(['//', '/no-such-socket', '/ws/../api/crew', 'http://[', '*'])(
    'opens no live channel at %s',
    async (path) => {
      const headers = ['Connection: Upgrade', 'Upgrade: websocket', `Origin: ${app.url}`]
      const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers.join('\r\n')}\r\n\r\n`)
      expect([400, 404]).toContain(statusOf(answer))
    },
  )
})

describe('a live message', () => {
  it.for(messages)('%s may have any ref, and no field at all', async ([type, fields]) => {
    const socket = await screen()
    for (const ref of [7, null, {}, [], 'x'.repeat(65), true]) {
      app.advance(60)
      socket.sendRaw(JSON.stringify({ ...base([...fields]), type, ref }))
      expect((await socket.next('error')).code).toBe('invalid')
    }
    check(type, await tell(socket, { type }))
    socket.close()
  })

  it('that is invalid is answered with an error, and the channel stays open', async () => {
    const socket = await screen()
    for (const text of [
      '',
      '{',
      'null',
      '7',
      '[]',
      '[{"type":"ping"}]',
      '{}',
      '{"type":null}',
      '{"type":["ping"]}',
      '{"type":"__proto__"}',
      '{"type":"constructor"}',
      '{"type":"toString","ref":"a"}',
      '{"__proto__":{"type":"ping"}}',
      deep(4_000),
      `{"type":"ping","x":${deep(4_000)}`,
      '\ufeff{"type":"ping"}',
      '{"type":"new-request"}',
    ]) {
      app.advance(60)
      socket.sendRaw(text)
      expect(await socket.next('error')).toMatchObject({ code: 'invalid', message: 'Message not understood' })
    }
    expect(await socket.request({ type: 'ping' })).toMatchObject({ type: 'ack' })
  })

  it('is at most 16 KiB long, and text', async () => {
    const ping = '{"type":"ping","ref":"long"}'
    const fits = await screen()
    fits.sendRaw(ping.padEnd(16 * 1024))
    expect(await fits.next('ack')).toMatchObject({ type: 'ack' })
    const [long, binary] = [await screen(), await screen()]
    long.sendRaw(ping.padEnd(16 * 1024 + 1))
    expect(await long.closed).toBe(1009)
    binary.sendRaw(Buffer.from(ping))
    expect(await binary.closed).toBe(1003)
    fits.close()
  })

  it('comes at most 20 times a second', async () => {
    const socket = await screen()
    for (let n = 0; n < 40; n++) socket.sendRaw('{"type":"ping"}')
    expect(await socket.closed).toBe(1008)
    expect(socket.ofType('error').at(-1)).toMatchObject({
      code: 'rate_limited',
      message: 'Too many messages. Please wait a moment.',
    })
  })
})
