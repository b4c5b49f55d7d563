import { describe, expect, it } from 'vitest'
import { apiScopeOf } from '#contract/accounts/api-scopes.ts'
import {
  type ApiScope,
  apiScopeNames,
  type CreatedApiToken,
  maxApiTokens,
} from '#contract/accounts/api-tokens.ts'
import { api, type CallInput, type Reply, type Route } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { type Operation, permissions } from '#contract/permissions.ts'
import { setUpApp, type TestResponse, TestSocket } from '../../../../../test/support/app.ts'
import { anonymousActor } from '../../actor.ts'
import { authorize } from '../../authorize.ts'
import { Refusal } from '../../errors.ts'
import { write } from '../../transaction.ts'

const app = setUpApp()
type Restaurant = Awaited<ReturnType<typeof app.restaurant>>

const make = (
  { owner }: Pick<Restaurant, 'owner'>,
  scopes: ApiScope[] = [...apiScopeNames],
  days: 30 | null = null,
): Promise<CreatedApiToken> => owner.ok(api.apiTokens.create, { body: { name: 'Till', scopes, days } })

/** Software on another machine: no page, no cookies. */
class Software {
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  async send(method: string, path: string, init: { headers?: object; body?: unknown } = {}) {
    const response = await fetch(app.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
        ...init.headers,
      },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const body: unknown = isJson ? JSON.parse(text) : text
    return { status: response.status, body, headers: response.headers }
  }

  call<R extends Route>(route: R, input: CallInput<R>): Promise<TestResponse<Reply<R>>> {
    const { params = {}, query = {}, body } = input as Record<string, Record<string, string>>
    const path = Object.entries(params).reduce<string>(
      (url, [name, value]) => url.replace(`:${name}`, value),
      route.path,
    )
    const search = new URLSearchParams(query).toString()
    return this.send(route.method, search ? `${path}?${search}` : path, { body }) as Promise<
      TestResponse<Reply<R>>
    >
  }

  async connect(headers: Record<string, string> = {}): Promise<TestSocket> {
    const socket = new TestSocket(`${app.url.replace('http', 'ws')}/ws`, {
      authorization: `Bearer ${this.#token}`,
      ...headers,
    })
    await socket.opened
    return socket
  }
}

const ask = (restaurant: Restaurant, tableNumber: string) =>
  app.browser().ok(api.requests.send, {
    body: { restaurantId: restaurant.name, tableNumber, serviceType: 'drinks' },
  })

describe('an API token', () => {
  it('is shown once, stored as a digest, listed with its last use, and recorded', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { apiToken, token } = await make(restaurant, ['floor:read'], 30)
    expect(token).toMatch(/^tableside_[\w-]{32}$/u)
    expect(apiToken).toEqual({
      id: expect.any(String),
      name: 'Till',
      scopes: ['floor:read'],
      createdAt: expect.any(Number),
      expiresAt: apiToken.createdAt + 30 * dayMs,
      lastUsedAt: null,
    })
    const stored = JSON.stringify(await app.ctx.db.reader.selectFrom('apiToken').selectAll().execute())
    expect(stored).toContain(app.ctx.secrets.digest(token))
    expect(stored).not.toContain(token)

    const own = await new Software(token).call(api.apiTokens.own, {})
    expect(own.body).toMatchObject({ name: 'Till', scopes: ['floor:read'], restaurantName: restaurant.name })
    await app.whenIdle()
    const listed = await restaurant.owner.ok(api.apiTokens.list, {})
    expect(listed).toMatchObject([{ id: apiToken.id, lastUsedAt: expect.any(Number) }])
    expect(JSON.stringify(listed)).not.toContain(token)

    await restaurant.owner.ok(api.apiTokens.remove, { params: { id: apiToken.id } })
    const { entries } = await restaurant.owner.ok(api.audit.list, { query: {} })
    expect(entries.map(({ action, detail }) => ({ action, detail })).slice(0, 2)).toMatchObject([
      { action: 'apiTokens.remove', detail: { name: 'Till' } },
      { action: 'apiTokens.create', detail: { name: 'Till', scopes: ['floor:read'] } },
    ])
    expect(JSON.stringify(entries)).not.toContain(token)
  })

  it('allows what its scopes say and nothing else, over all operations', () => {
    const actorWith = (scopes: ApiScope[]) => ({
      ...anonymousActor(),
      restaurantId: 'r',
      token: { id: 't', name: 'Till', scopes: new Set(scopes) },
    })
    const allowed = (scopes: ApiScope[]): Operation[] =>
      (Object.keys(permissions) as Operation[]).filter((operation) => {
        try {
          return authorize(actorWith(scopes), operation) === 'yes'
        } catch (error) {
          if (error instanceof Refusal && error.code === 'forbidden') return false
          throw error
        }
      })
    const inScope = (...scopes: string[]) =>
      Object.entries(apiScopeOf)
        .filter(([, scope]) => scopes.includes(scope))
        .map(([operation]) => operation)
        .toSorted()
    expect(allowed([]).toSorted()).toEqual(inScope('any'))
    for (const scope of apiScopeNames) expect(allowed([scope]).toSorted()).toEqual(inScope('any', scope))
    // Nothing that only an owner may do, or that grants power.
    const ownersOnly = allowed([...apiScopeNames]).filter(
      (operation) => permissions[operation].manager === 'no' && operation !== 'apiTokens.own',
    )
    expect(ownersOnly).toEqual([])
  })

  it('is refused for every call outside its scopes, whatever it sends', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const software = new Software((await make(restaurant)).token)
    for (const [group, routes] of Object.entries(api))
      for (const [name, route] of Object.entries(routes) as [string, Route][]) {
        if (`${group}.${name}` in apiScopeOf) continue
        const path = route.path.replaceAll(/:\w+/gu, 'x')
        const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : {}
        const { status } = await software.send(route.method, path, { body })
        expect({ call: `${route.method} ${path}`, status }).toEqual({
          call: `${route.method} ${path}`,
          status: 403,
        })
      }
  })

  it('reads the floor, the figures and what a table asked for, of its own restaurant only', async () => {
    const [own, other] = [await app.restaurant({ tables: ['1'] }), await app.restaurant({ tables: ['9'] })]
    const software = new Software((await make(own)).token)
    await ask(own, '1')
    await ask(other, '9')
    expect((await software.call(api.floor.tables, {})).body).toMatchObject([{ tableNumber: '1' }])
    expect((await software.call(api.analytics.overview, {})).body).toMatchObject({ requestsToday: 1 })
    expect((await software.call(api.tables.history, { query: { tableNumber: '1' } })).body).toHaveLength(1)
    const history = await software.call(api.tables.history, { query: { tableNumber: '9' } })
    expect(JSON.stringify(history.body)).not.toContain('drinks')
    const [foreign] = await other.owner.ok(api.apiTokens.list, {})
    expect(foreign).toBeUndefined()
  })

  it('lacks what its scopes do not name', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const software = new Software((await make(restaurant, ['floor:read'])).token)
    expect((await software.call(api.floor.tables, {})).status).toBe(200)
    expect(await software.call(api.analytics.overview, {})).toMatchObject({
      status: 403,
      body: { code: 'forbidden', message: 'This token does not have the scope figures:read' },
    })
    expect(await software.call(api.requests.send, { body: { tableNumber: '1' } })).toMatchObject({
      status: 403,
    })
  })

  it('never borrows the rights of a cookie beside it', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { token } = await make(restaurant, ['floor:read'])
    const answer = await restaurant.owner.fetch('/api/tokens', {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(403)
    await answer.text()
  })

  it('counts nowhere but in the header', async () => {
    const { token } = await make(await app.restaurant({ tables: ['1'] }))
    for (const name of ['token', 'access_token', 'authorization'])
      expect((await app.browser().send('GET', `/api/tables?${name}=${token}`)).status).toBe(401)
    const cookies = await fetch(`${app.url}/api/tables`, { headers: { cookie: `tsr=${token}` } })
    expect(cookies.status).toBe(401)
    await cookies.text()
  })

  it('is not valid once it has expired', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const software = new Software((await make(restaurant, ['floor:read'], 30)).token)
    expect((await software.call(api.floor.tables, {})).status).toBe(200)
    await write(app.ctx, ({ db }) =>
      db.updateTable('apiToken').set({ expiresAt: app.now() }).where('expiresAt', 'is not', null).execute(),
    )
    const answer = await software.call(api.floor.tables, {})
    expect(answer).toMatchObject({ status: 401, body: { message: 'This token is not valid' } })
    expect(answer.headers.get('www-authenticate')).toContain('invalid_token')
  })

  it('is refused while its restaurant is deleted', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const software = new Software((await make(restaurant)).token)
    const socket = await software.connect()
    await restaurant.owner.ok(api.restaurant.remove, { body: { restaurantName: restaurant.name } })
    expect(await socket.closed).toBe(4401)
    expect((await software.call(api.floor.tables, {})).status).toBe(401)
    await restaurant.owner.ok(api.restaurant.restore, {})
    expect((await software.call(api.floor.tables, {})).status).toBe(200)
  })

  it('is one of at most a few', async () => {
    const restaurant = await app.restaurant()
    for (let count = 0; count < maxApiTokens; count++) await make(restaurant, ['floor:read'])
    const body = { name: 'One more', scopes: ['floor:read' as const], days: null }
    expect(await restaurant.owner.call(api.apiTokens.create, { body })).toMatchObject({ status: 409 })
  })

  it('has its own limit', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { apiToken, token } = await make(restaurant)
    const calls = Array.from({ length: 600 }, () => app.ctx.limits.take('api-token', apiToken.id))
    await Promise.all(calls)
    const answer = await new Software(token).call(api.floor.tables, {})
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('cannot be used from the page of another site', async () => {
    const { token } = await make(await app.restaurant({ tables: ['1'] }))
    const software = new Software(token)
    const origin = 'https://evil.example'
    const body = { tableNumber: '1' }
    expect((await software.send('POST', '/api/seating/open', { body, headers: { origin } })).status).toBe(403)
    await expect(software.connect({ origin })).rejects.toThrow('403')
    // A socket with cookies needs an origin of ours as ever.
    await expect(software.connect({ cookie: 'tsr=x' })).rejects.toThrow('403')
  })

  it('never reaches the log', async () => {
    const { token } = await make(await app.restaurant({ tables: ['1'] }))
    const software = new Software(token)
    for (const address of ['127.0.0.1', '0:0:0:0::/64', 'local'])
      await app.ctx.limits.clear('refusal-log', address)
    await software.send('GET', '/api/tokens')
    await software.send('POST', '/api/seating/open', { body: { tableNumber: 'no such table' } })
    await new Software(`tableside_${'x'.repeat(32)}`).send('GET', '/api/tables')
    expect(app.lines.some((line) => line.includes('token-refused'))).toBe(true)
    expect(app.lines.filter((line) => line.includes(token) || line.includes('x'.repeat(32)))).toEqual([])
  })
})

describe('software on the live channel', () => {
  it('follows and answers requests, and nobody takes it for a screen', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const socket = await new Software((await make(restaurant)).token).connect()
    await socket.request({ type: 'get-pending-requests' })
    const { request } = await ask(restaurant, '1')
    expect((await socket.next('new-request')).request.id).toBe(request.id)
    const query = { restaurantId: restaurant.name, tableNumber: '1' }
    expect(await app.browser().ok(api.requests.mine, { query })).toMatchObject({ listening: false })
    expect(await socket.request({ type: 'accept-request', id: request.id })).toMatchObject({
      request: { acceptedBy: { id: null, name: 'Crew' } },
    })
    expect(await socket.request({ type: 'complete-request', id: request.id })).toMatchObject({ type: 'ack' })
    for (const message of [
      { type: 'requests-seen', ids: [request.id] },
      { type: 'listening', sound: true, push: false },
      { type: 'set-restaurant-context', restaurantId: restaurant.name },
      { type: 'mute-table', tableNumber: '1', minutes: null },
      { type: 'service-request', tableNumber: '1', restaurantId: restaurant.name },
    ] as const)
      expect(await socket.request(message as Parameters<typeof socket.request>[0])).toMatchObject({
        type: 'error',
      })
    const events = await app.ctx.db.reader
      .selectFrom('requestEvent')
      .select(['kind', 'actorKind', 'actorName'])
      .where('requestId', '=', request.id)
      .where('kind', 'in', ['accepted', 'completed'])
      .execute()
    expect(new Set(events.map(({ actorKind, actorName }) => `${actorKind} ${actorName}`))).toEqual(
      new Set(['token Till']),
    )
    socket.close()
  })

  it('answers only with the scope for it, and nothing of another restaurant', async () => {
    const [own, other] = [await app.restaurant({ tables: ['1'] }), await app.restaurant({ tables: ['1'] })]
    const reader = await new Software((await make(own, ['requests:read'])).token).connect()
    const actor = await new Software((await make(own, ['requests:act'])).token).connect()
    const [mine, foreign] = [await ask(own, '1'), await ask(other, '1')]
    expect(await reader.request({ type: 'complete-request', id: mine.request.id })).toMatchObject({
      code: 'forbidden',
    })
    expect(await actor.request({ type: 'get-pending-requests' })).toMatchObject({ code: 'forbidden' })
    expect(await actor.request({ type: 'complete-request', id: foreign.request.id })).toMatchObject({
      code: 'not_found',
    })
    await reader.request({ type: 'get-pending-requests' })
    await ask(other, '1')
    await ask(own, '1')
    await reader.request({ type: 'ping' })
    expect(JSON.stringify(reader.received)).not.toContain(foreign.request.id)
    reader.close()
    actor.close()
  })

  it('is cut off when its token is revoked', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { apiToken, token } = await make(restaurant)
    const software = new Software(token)
    const socket = await software.connect()
    await socket.request({ type: 'get-pending-requests' })
    await restaurant.owner.ok(api.apiTokens.remove, { params: { id: apiToken.id } })
    expect(await socket.closed).toBe(4401)
    await expect(software.connect()).rejects.toThrow('401')
    expect((await software.call(api.floor.tables, {})).status).toBe(401)
  })

  it('is cut off with its next message once its token has expired', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { apiToken, token } = await make(restaurant, ['requests:read'], 30)
    const socket = await new Software(token).connect()
    await socket.request({ type: 'get-pending-requests' })
    await write(app.ctx, ({ db }) =>
      db.updateTable('apiToken').set({ expiresAt: app.now() }).where('id', '=', apiToken.id).execute(),
    )
    socket.send({ type: 'get-pending-requests' })
    expect(await socket.closed).toBe(4401)
  })
})

it('guessing tokens is slowed down, without keeping out valid ones from the same address', async () => {
  const software = new Software((await make(await app.restaurant({ tables: ['1'] }))).token)
  const statuses = new Set<number>()
  for (let count = 0; count <= 60; count++) {
    const answer = await fetch(`${app.url}/api/tables`, {
      headers: { authorization: `Bearer tableside_${String(count).padStart(32, '0')}` },
    })
    statuses.add(answer.status)
    await answer.text()
  }
  expect([...statuses]).toEqual([401, 429])
  expect((await software.call(api.floor.tables, {})).status).toBe(200)
})
