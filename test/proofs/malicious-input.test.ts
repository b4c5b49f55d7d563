import { connect } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import * as v from 'valibot'
import { beforeAll, describe, expect, it } from 'vitest'
import { api, type Route } from '#contract/api.ts'
import { ErrorBody, errorStatus, RefusalParams } from '#contract/errors.ts'
import { ClientMessage, type ServerMessage } from '#contract/live.ts'
import { operationOf } from '#contract/permissions.ts'
import { maliciousTexts, maliciousValues } from '../../fuzz/malicious.ts'
import { write } from '../../src/server/core/transaction.ts'
import { endpoints } from '../../src/server/http/endpoints.ts'
import {
  type TestResponse,
  password,
  setUpApp,
  startTestApp,
  type TestBrowser,
  type TestSocket,
} from '../support/app.ts'
import { fieldsOf, rightFields } from '../support/contract-fields.ts'
import { uniqueAddress } from '../support/restaurants/logins.ts'
import { assignmentDay, snapshotTenant, startTenant, type Tenant } from '../support/restaurants/tenants.ts'

const minutes = 60_000

const atNoon = { scheduler: 'manual', clock: 'noon' } as const
const app = setUpApp({ ...atNoon, trustProxy: ['loopback'] })
let tenant: Tenant
beforeAll(async () => {
  tenant = await startTenant(app, 'Harbour Kitchen')
})

const routes: Route[] = endpoints.map(({ route }) => route)

/** The owner may call everything; logins use a new browser, since they change who is signed in. */
const callerOf = ({ path }: Route): TestBrowser =>
  /-(?:login|signup)$/u.test(path) ? app.browser() : tenant.owner

type Answered = Pick<TestResponse<unknown>, 'status' | 'body'>

const RefusalOnly = v.strictObject({
  ...ErrorBody.entries,
  params: v.optional(v.strictObject(RefusalParams.entries)),
})

/** A readable message, with a code that matches the status and no internal details. */
function isRefusal({ status, body }: Answered): boolean {
  const parsed = v.safeParse(RefusalOnly, body)
  if (!parsed.success || errorStatus[parsed.output.code] !== status) return false
  const { message } = parsed.output
  return (
    /^[A-Z].{3,}/u.test(message) && !/\bexpected\b|received|undefined|sql|constraint|stack/iu.test(message)
  )
}

/** Throws if the answer is a server error, or has one of these statuses without a readable message. */
function check(what: string, answer: Answered, statuses?: number[]): void {
  const { status } = answer
  const right = statuses ? statuses.includes(status) : status < 500
  if (right && (status < 400 || isRefusal(answer))) return
  throw new Error(`${what.slice(0, 160)}: ${status} ${JSON.stringify(answer.body)}`)
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

/** A body whose fields are all right. */
const base = (fields: string[]): Record<string, unknown> =>
  rightFields(fields, {
    restaurantName: tenant.name,
    password,
    day: assignmentDay,
    tableId: tenant.table.id,
    tableNumber: tenant.table.tableNumber,
    crewMemberId: tenant.member.id,
    colleagueId: tenant.colleague.id,
    hostId: tenant.host.id,
  })

const pathOf = (route: Route, param = 'no-such-thing'): string =>
  route.path.replace(/:\w+/u, encodeURIComponent(param))

async function send(
  browser: TestBrowser,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestResponse<unknown>> {
  const response = await browser.fetch(path, {
    method,
    headers: {
      'x-forwarded-for': uniqueAddress(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
}

/** Refused calls changed nothing of the restaurant. */
async function unchanged(work: () => Promise<TestResponse<unknown>[]>): Promise<void> {
  const before = await snapshotTenant(app, tenant.id)
  const answers = await work()
  if (answers.some(({ status }) => status < 400)) return
  if (!isDeepStrictEqual(await snapshotTenant(app, tenant.id), before))
    throw new Error('A refused call changed something')
}

const withBody = routes.filter(({ body }) => body !== undefined)
const named = (list: Route[]): [string, Route][] => list.map((route) => [operationOf(route), route])

describe('a body', () => {
  it.for(named(withBody))('of %s may have anything in any field', async ([call, route]) => {
    const fields = [...new Set(fieldsOf(route.body))]
    expect(fields.length).toBeGreaterThan(0)
    for (const field of fields) {
      await unchanged(async () => {
        const answers: TestResponse<unknown>[] = []
        for (const value of maliciousValues) {
          const body = { ...base(fields), [field]: value }
          const answer = await send(callerOf(route), route.method, pathOf(route), body)
          check(`${call} ${field}: ${JSON.stringify(value)}`, answer)
          answers.push(answer)
        }
        return answers
      })
    }
  })

  it.for(named(withBody))('of %s is an object with the fields it needs', async ([call, route]) => {
    const before = await snapshotTenant(app, tenant.id)
    for (const body of ['[]', 'null', '7', '"text"', 'true', '[{}]']) {
      const answer = await send(callerOf(route), route.method, pathOf(route), body)
      check(`${call} ${body}`, answer, [400])
    }
    const empty = await send(callerOf(route), route.method, pathOf(route), {})
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
    check(call, empty, [mayBeEmpty ? 404 : 400])
    expect(await snapshotTenant(app, tenant.id)).toEqual(before)
  })

  it.for(named(withBody))('of %s is JSON of a limited size', async ([call, route]) => {
    const post = async (type: string | null, body: string | Uint8Array<ArrayBuffer>, status: number) => {
      const response = await callerOf(route).fetch(pathOf(route), {
        method: route.method,
        body,
        headers: type === null ? {} : { 'content-type': type },
      })
      const answer = { status: response.status, body: await response.json() }
      check(`${call} ${type} ${body.slice(0, 40).toString()}`, answer, [status])
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

describe('an address', () => {
  it.for(named(routes.filter(({ params }) => params)))('of %s may name anything', async ([call, route]) => {
    await unchanged(async () => {
      const answers: TestResponse<unknown>[] = []
      for (const value of [...maliciousTexts, '..', '.', '../crew', 'a/b', '%']) {
        // A lone surrogate cannot be encoded: a browser sends its replacement character.
        const path = pathOf(route, value.toWellFormed())
        answers.push(await send(callerOf(route), route.method, path, route.body ? {} : undefined))
        const answer = answers.at(-1)
        if (answer) check(`${call} ${value}`, answer)
      }
      return answers
    })
  })

  it.for(named(routes.filter(({ query }) => query)))('of %s may have any query', async ([call, route]) => {
    const fields = fieldsOf(route.query)
    const good = new URLSearchParams(base(fields) as Record<string, string>)
    for (const field of fields) {
      for (const value of maliciousTexts) {
        const query = new URLSearchParams(good)
        query.set(field, value)
        check(
          `${call} ${field}: ${value}`,
          await send(callerOf(route), route.method, `${pathOf(route)}?${query}`),
        )
      }
      const twice = new URLSearchParams([...good, [field, 'true'], [field, 'true']])
      const path = `${pathOf(route)}?${twice}`
      check(`${call} ${field}`, await send(callerOf(route), route.method, path), [400])
    }
    for (const query of ['__proto__[a]=b', 'a[b]=c', '%', '%ff=%ff', '=&&=', 'x'.repeat(8_000)]) {
      check(`${call} ?${query}`, await send(callerOf(route), route.method, `${pathOf(route)}?${query}`))
    }
  })

  it('that does not exist is refused in the same way', async () => {
    for (const path of [
      '/api/crew/%',
      '/api/crew/%zz',
      '/api/crew/%c0%ae',
      `/api/crew/${'x'.repeat(2_000)}`,
      '/api/no-such-call',
      '/api',
      '/api//crew',
      '/API/crew',
      '/api/crew/a/b/c',
      '/%00',
      '/no-such-page',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        check(`${method} ${path}`, await send(tenant.owner, method, path), [400, 404])
      }
    }
  })

  it.for(['/%', '/%E0%A4%A', '/%zz?a=%', '/assets/%ff', '/waiter/%c0%ae'])(
    'is the page for it in a browser: %s',
    async (path) => {
      const response = await app.browser().fetch(path, { headers: { accept: 'text/html' } })
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(await response.text()).toContain('<div id="root">')
    },
  )
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
    const before = await snapshotTenant(app, tenant.id)
    for (const route of [...unsafe, { method: 'POST', path: '/customer' } as const]) {
      const response = await tenant.owner.fetch(route.path.replace(/:\w+/u, 'x'), {
        method: route.method,
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
      check(route.path, { status: response.status, body: await response.json() }, [403])
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
    expect(await snapshotTenant(app, tenant.id)).toEqual(before)
  })

  it('gains nothing by omitting the Origin', async () => {
    const body = JSON.stringify({ name: 'Mallory', role: 'Server' })
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const post = (more: string[]) =>
      raw(
        `POST /api/crew HTTP/1.1\r\n${['Host: localhost', 'Connection: close', ...headers, ...more].join('\r\n')}\r\n\r\n${body}`,
      )
    expect(statusOf(await post([`Cookie: ${tenant.owner.cookieHeader}`]))).toBe(403)
    expect(statusOf(await post([`Cookie: ${tenant.owner.cookieHeader}`, 'Origin: null']))).toBe(403)
    expect(statusOf(await post([]))).toBe(401)
  })

  it.for(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'posts no form of %s to a call',
    async (type) => {
      for (const [headers, status] of [
        [{}, 415],
        [{ origin: 'https://evil.example' }, 403],
      ] as const) {
        const response = await tenant.owner.fetch('/api/crew', {
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
      `Cookie: ${tenant.owner.cookieHeader}`,
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

const messages = ClientMessage.options.map(
  (option) =>
    [option.entries.type.literal, Object.keys(option.entries).filter((key) => key !== 'type')] as const,
)

/** A screen of the owner that acts as a crew member. */
async function screen(): Promise<TestSocket> {
  const socket = await tenant.owner.connect({ 'x-forwarded-for': uniqueAddress() })
  await socket.request({ type: 'set-crew-member-context', crewMemberId: tenant.member.id })
  return socket
}

let refs = 0
async function tell(socket: TestSocket, message: object, ref = `malicious ${++refs}`) {
  // A socket may send at most 20 messages a second, and these are two.
  app.advance(120)
  socket.sendRaw(JSON.stringify({ ref, ...message }))
  await socket.request({ type: 'ping' })
  return socket.received.find(
    (answer) => (answer.type === 'ack' || answer.type === 'error') && answer.ref === ref,
  )
}

/** The answer to a message, as an HTTP call would be answered. */
function inHttp(answer: ServerMessage | undefined): Answered {
  if (answer?.type === 'ack') return { status: 200, body: null }
  if (answer?.type !== 'error') return { status: 500, body: answer }
  return { status: errorStatus[answer.code], body: { code: answer.code, message: answer.message } }
}

describe('a live message', () => {
  // Earlier calls may have changed any setting.
  beforeAll(() =>
    tenant.owner.ok(api.restaurant.change, { body: { verifiedOnly: false, pinRequired: false } }),
  )

  it.for(messages)('%s may have anything in any field', async ([type, fields]) => {
    const socket = await screen()
    for (const field of fields.filter((field) => field !== 'ref')) {
      const before = await snapshotTenant(app, tenant.id)
      let taken = 0
      for (const value of maliciousValues) {
        const answer = await tell(socket, { ...base([...fields]), type, [field]: value })
        check(`${type} ${field}: ${JSON.stringify(value)}`, inHttp(answer))
        if (answer?.type === 'ack') taken++
      }
      if (taken === 0 && !isDeepStrictEqual(await snapshotTenant(app, tenant.id), before))
        throw new Error('A refused call changed something')
    }
    socket.close()
  })

  it.for(messages)('%s may have any ref, and no field at all', async ([type, fields]) => {
    const socket = await screen()
    for (const ref of [7, null, {}, [], 'x'.repeat(65), true]) {
      app.advance(60)
      socket.sendRaw(JSON.stringify({ ...base([...fields]), type, ref }))
      expect((await socket.next('error')).code).toBe('invalid')
    }
    check(type, inHttp(await tell(socket, { type })))
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

describe('a text', () => {
  const payloads = [
    `'; delete from restaurant; --`,
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</script><svg onload=alert(1)>',
    '{{constructor.constructor("alert(1)")()}}',
    'javascript:alert(1)//',
    '=HYPERLINK("http://evil")',
    '${jndi:ldap://evil}',
    '%s%s%n',
    '😀 Ünïcödé 東京',
  ]

  it.for(payloads)('such as %s is kept unchanged, and is treated only as text', async (payload) => {
    const owner = app.browser()
    const signUp = { restaurantName: payload, email: 'a@example.com', password }
    expect((await send(owner, 'POST', '/api/restaurant-signup', signUp)).body).toEqual({
      restaurantName: payload,
    })
    const table = payload.slice(0, 40).trim()
    expect(await owner.ok(api.floor.addTable, { body: { tableNumber: table } })).toMatchObject({
      tableNumber: table,
    })
    const [from, to] = [
      await owner.ok(api.crew.add, { body: { name: payload, role: 'Server' } }),
      await owner.ok(api.crew.add, { body: { name: 'Tom', role: 'Server' } }),
    ]
    expect(from.name).toBe(payload)
    await owner.ok(api.managers.setCredentials, { body: { username: payload, password } })
    expect(await owner.ok(api.managers.currentUser, {})).toMatchObject({
      restaurantName: payload,
      managerUsername: payload,
    })
    const socket = await owner.connect()
    await socket.request({ type: 'set-crew-member-context', crewMemberId: from.id })
    expect(
      await socket.request({ type: 'send-team-message', targetCrewId: to.id, messageText: payload }),
    ).toMatchObject({
      message: { messageText: payload, senderCrewName: payload, restaurantId: payload },
    })
    const guest = app.browser()
    await guest.ok(api.requests.send, {
      body: { restaurantId: payload, tableNumber: table, serviceType: 'check' },
    })
    const query = new URLSearchParams({ r: payload, t: table, k: payload })
    const html = await (await guest.fetch(`/customer?${query}`)).text()
    expect(html).not.toMatch(/<script>alert|<img src=x|<svg onload/u)
    const wrong = new URLSearchParams({ r: payload, t: `${table.slice(0, 30)} 2` })
    expect(await (await guest.fetch(`/customer?${wrong}`)).text()).not.toMatch(
      /<script>alert|<img src=x|<svg onload/u,
    )
    expect(
      await app.ctx.db.reader.selectFrom('restaurant').select('id').where('id', '=', tenant.id).execute(),
    ).toHaveLength(1)
  })

  it('with NUL or half a character is refused', async () => {
    const { owner, name, colleague } = tenant
    const wrong = { status: 400, body: { code: 'invalid', message: 'Please use only visible characters' } }
    const login = (body: object, path: string) => send(app.browser(), 'POST', path, body)
    for (const bad of ['a\0b', 'a\ud800b']) {
      expect(await login({ restaurantName: bad, password }, '/api/restaurant-login')).toMatchObject(wrong)
      for (const path of ['/api/demo-login', '/api/waiter-login', '/api/management-login']) {
        expect(await login({ restaurantName: name, username: bad, password }, path)).toMatchObject(wrong)
      }
      expect(await login({ restaurantId: bad, tableNumber: '1' }, '/api/service-requests')).toMatchObject(
        wrong,
      )
      const credentials = { username: bad, password }
      expect(await owner.call(api.managers.setCredentials, { body: credentials })).toMatchObject(wrong)
    }
    expect(await send(owner, 'GET', '/api/check-manager-credentials/a%00b')).toMatchObject(wrong)
    expect(await send(owner, 'GET', '/api/crew-by-restaurant?restaurantId=a%00b')).toMatchObject(wrong)
    const socket = await screen()
    const message = { type: 'send-team-message', targetCrewId: colleague.id, messageText: 'a\0b' } as const
    expect(await socket.request(message)).toMatchObject({ code: 'invalid' })
    for (const path of [
      '/customer?r=a%00b',
      '/customer?r=a%00b&t=1',
      `/customer?r=Harbour+Kitchen&t=%00&k=%00`,
    ]) {
      expect((await app.browser().fetch(path)).status).toBe(200)
    }
    const form = new URLSearchParams({
      r: 'a\0b',
      t: '\0',
      id: '\0',
      k: '\0',
      serviceType: '\0',
      action: '\0',
    })
    const posted = await app.browser().fetch('/customer', { method: 'POST', body: form })
    expect(posted.status).toBeLessThan(500)
  })
})

describe('a guest', () => {
  const request = (body: object, browser = app.browser(), address = uniqueAddress()) =>
    browser
      .fetch('/api/service-requests', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify(body),
      })
      .then(async (response) => ({
        status: response.status,
        body: (await response.json()) as { code?: string; message?: string },
        wait: response.headers.get('retry-after'),
      }))

  it('learns what does not exist', async () => {
    expect(await request({ restaurantId: 'No Such Place', tableNumber: '1' })).toMatchObject({
      status: 404,
      body: { code: 'not_found', message: 'Restaurant not found' },
    })
    expect(await request({ restaurantId: tenant.name, tableNumber: '99' })).toMatchObject({
      status: 404,
      body: { message: "We couldn't find table 99. Please check the number on your table." },
    })
    // There are several restaurants here, and none is configured as the default.
    for (const restaurantId of ['default', ' DEFAULT ', undefined]) {
      expect(await request({ restaurantId, tableNumber: '1' })).toMatchObject({ status: 404 })
    }
    const guest = await app.browser().connect()
    expect(
      await guest.request({ type: 'service-request', restaurantId: 'No Such Place', tableNumber: '1' }),
    ).toMatchObject({ type: 'error', code: 'not_found', message: 'Restaurant not found' })
  })

  it.for(['champagne', '', null, 7, {}, ['check'], 'CHECK', '__proto__'])(
    'who asks for %j calls a waiter',
    async (serviceType) => {
      const { name } = await app.restaurant()
      expect(await request({ restaurantId: name, tableNumber: '1', serviceType })).toMatchObject({
        status: 201,
        body: { request: { serviceType: 'general' } },
      })
    },
  )

  it('learns that the 3 hours are over', async () => {
    const guest = app.browser()
    const { name } = await app.restaurant()
    const body = { restaurantId: name, tableNumber: '1' }
    expect((await request(body, guest)).status).toBe(201)
    app.advance(179 * minutes)
    expect((await request({ ...body, serviceType: 'food' }, guest)).status).toBe(201)
    app.advance(1 * minutes + 1)
    expect(await request({ ...body, serviceType: 'check' }, guest)).toMatchObject({
      status: 410,
      body: {
        code: 'visit_expired',
        message:
          'Your session has expired after 3 hours. Please scan the QR code again or reset your session to continue.',
      },
    })
    expect((await request({ ...body, tableNumber: '2' }, guest)).status).toBe(201)
    const reset = new URLSearchParams({ r: name, t: '1', action: 'reset' })
    await guest.fetch('/customer', { method: 'POST', body: reset })
    expect((await request({ ...body, serviceType: 'check' }, guest)).status).toBe(201)
  })

  const often =
    /^You have asked many times in a short while\. Please wait \d+ (second|minute)s? and try again\.$/u
  const busy = /^Many requests are arriving right now\. Please wait \d+ (second|minute)s? and try again\.$/u

  function expectLimit(
    answer: Awaited<ReturnType<typeof request>>,
    words: RegExp,
    withinSeconds: number,
  ): void {
    const message: unknown = expect.stringMatching(words)
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited', message } })
    expect(Number(answer.wait)).toBeGreaterThan(withinSeconds / 2)
    expect(Number(answer.wait)).toBeLessThanOrEqual(withinSeconds)
  }

  it('may send 12 requests in 10 minutes, repeats not counted', async () => {
    const guest = app.browser()
    const { name } = await app.restaurant()
    const at = (table: number) => request({ restaurantId: name, tableNumber: String(table) }, guest)
    for (let table = 1; table <= 12; table++) expect((await at(table)).status).toBe(201)
    expectLimit(await at(13), often, 600)
    expect((await at(12)).status).toBe(200)
    app.advance(10 * minutes)
    expect((await at(13)).status).toBe(201)
  })

  it('shares 20 requests in 10 minutes with the table', async () => {
    const { name, device } = await app.restaurant()
    const crew = await device.connect()
    const once = async () => {
      app.advance(100)
      const answer = await request({ restaurantId: name, tableNumber: 'x' })
      if ('request' in answer.body) {
        await crew.request({ type: 'complete-request', id: (answer.body.request as { id: string }).id })
      }
      return answer
    }
    for (let n = 0; n < 20; n++) expect((await once()).status).toBe(201)
    expectLimit(await once(), often, 600)
    expect((await request({ restaurantId: name, tableNumber: 'y' })).status).toBe(201)
  })

  const many = (length: number, ask: (n: number) => ReturnType<typeof request>) =>
    Promise.all(Array.from({ length }, (_, n) => ask(n))).then((answers) =>
      answers.filter(({ status }) => status === 201),
    )

  it('shares 240 requests a minute with the restaurant', async () => {
    const { name } = await app.restaurant()
    const at = (table: number) => request({ restaurantId: name, tableNumber: `t${table}` })
    expect(await many(240, at)).toHaveLength(240)
    expectLimit(await at(240), busy, 60)
    app.advance(1 * minutes)
    expect((await at(240)).status).toBe(201)
  })

  it('shares 600 requests in 10 minutes with the address, or with the /64 of an IPv6 one', async () => {
    const names = [await app.restaurant(), await app.restaurant(), await app.restaurant()].map(
      ({ name }) => name,
    )
    const at = (table: number, address = `2001:db8:7:7::${(table + 1).toString(16)}`) =>
      request({ restaurantId: names[table % 3], tableNumber: `t${table}` }, app.browser(), address)
    expect(await many(600, at)).toHaveLength(600)
    expectLimit(await at(600, '2001:db8:7:7:ffff:ffff:ffff:ffff'), busy, 600)
    expect((await at(600, '2001:db8:7:8::1')).status).toBe(201)
  })
})

describe('a secret', () => {
  const canary = 'canary-7f3a'
  const pin = '73914682'

  it('appears in no line of the log, not even when the database fails', async () => {
    const watched = await startTestApp(atNoon)
    const owner = watched.browser()
    const names = { restaurantName: 'Watched', email: 'a@example.com' }
    const secret = `${canary}-password`
    await owner.ok(api.accounts.signUp, { body: { ...names, password: secret } })
    await owner.send('POST', '/api/restaurant-login', {
      restaurantName: 'Watched',
      password: `${canary}-wrong`,
    })
    await owner.send('POST', '/api/restaurant-login', `{"password":"${canary}`)
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const { id: tom } = await owner.ok(api.crew.add, { body: { name: 'Tom', role: 'Server' } })
    await owner.ok(api.crew.change, { params: { id }, body: { pin, username: 'maya', password: secret } })
    await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password: secret } })
    const k = `1.${canary}`
    await owner.call(api.requests.send, { body: { restaurantId: 'Watched', tableNumber: '1', k } })
    await owner.fetch(`/customer?r=Watched&t=1&k=${k}`)
    await owner.fetch(`/api/demo-crew/${canary}`)
    await owner.fetch(`/t/${canary}`)
    const socket = await owner.connect()
    await socket.request({ type: 'set-crew-member-context', crewMemberId: id, pin })
    const message = { type: 'send-team-message', targetCrewId: tom, messageText: `${canary} text` } as const
    expect(await socket.request(message)).toMatchObject({ type: 'ack' })
    socket.sendRaw(`{"type":"send-team-message","messageText":"${canary}`)
    await socket.next('error')

    await write(watched.ctx, ({ db }) => sql`alter table team_message rename to gone`.execute(db))
    await write(watched.ctx, ({ db }) => sql`alter table manager rename to gone_too`.execute(db))
    expect(await socket.request(message)).toEqual({
      type: 'error',
      ref: expect.any(String),
      code: 'internal',
      message: 'Something went wrong',
    })
    const failed = await owner.call(api.managers.setCredentials, {
      body: { username: 'boss', password: secret },
    })
    expect(failed).toMatchObject({ status: 500, body: { code: 'internal', message: 'Something went wrong' } })

    const log = watched.lines.join('\n')
    expect(watched.lines.filter((line) => line.includes('"level":"error"'))).toHaveLength(2)
    expect([canary, pin, ...owner.cookies.values()].filter((secret) => log.includes(secret))).toEqual([])
    // These two were requested.
    watched.lines.length = 0
    await watched.stop()
  })

  it('is never sent to a forged address', async () => {
    const direct = await startTestApp(atNoon)
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) {
      const response = await direct.browser().fetch('/api/restaurant-login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.2.3.${n}` },
        body: JSON.stringify({ restaurantName: 'Anywhere', password: 'wrong-password' }),
      })
      statuses.push(response.status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    await direct.stop()
  })
})
