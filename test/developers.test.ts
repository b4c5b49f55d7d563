import { execFile, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { apiScopeOf } from '#contract/accounts/api-scopes.ts'
import { apiScopeNames } from '#contract/accounts/api-tokens.ts'
import { api, type Route } from '#contract/api.ts'
import { ClientMessage, ServerMessage } from '#contract/live.ts'
import { WebhookMessage } from '#contract/outside/webhooks.ts'
import { liveOperations, operationOf, permissions } from '#contract/permissions.ts'
import { shownExamples } from '../scripts/developers/write.ts'
import { setUpApp } from './support/app.ts'
import { allowConnections } from './support/network.ts'
import { freePort } from './support/ports.ts'
import { asyncApi, documentedOperations, openApi } from './support/reading/documented.ts'

// The example that receives webhooks compares the time with the machine's.
const app = setUpApp({ outboundAllow: ['127.0.0.0/8'], clock: 'running' })
let restaurant: Awaited<ReturnType<typeof app.restaurant>>
beforeAll(async () => {
  restaurant = await app.restaurant({ tables: ['4'] })
})

const routes = Object.values(api).flatMap((group): Route[] => Object.values(group))

/** All places in the document that a reference names. */
const referencesIn = (document: unknown): string[] => [
  ...new Set([...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/gu)].map(([, path = '']) => path)),
]

const isThere = (document: unknown, path: string): boolean =>
  path.split('/').reduce<unknown>((node, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined
  }, document) !== undefined

describe('the document of the HTTP calls', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(openApi))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(openApi.openapi).toMatch(/^3\.1\./u)
  })

  it('has every operation of the contract, and no other', () => {
    expect([...documentedOperations.keys()].toSorted()).toEqual(routes.map(operationOf).toSorted())
    for (const route of routes) {
      const operation = documentedOperations.get(operationOf(route))
      expect(operation).toMatchObject({
        method: route.method,
        path: route.path.replaceAll(/:(\w+)/gu, '{$1}'),
        'x-permissions': permissions[operationOf(route)],
      })
      expect(operation?.['x-scope']).toBe(apiScopeOf[operationOf(route)])
      const parameters = operation?.parameters?.map(({ in: place }) => place) ?? []
      expect({
        path: parameters.includes('path'),
        query: parameters.includes('query'),
        body: operation?.requestBody !== undefined,
      }).toEqual({
        path: route.params !== undefined,
        query: route.query !== undefined,
        body: route.body !== undefined,
      })
    }
  })

  it('has every message that webhooks get', () => {
    const types = WebhookMessage.options.map(({ entries }) => entries.type.literal)
    expect(Object.keys(openApi.webhooks).toSorted()).toEqual(types.toSorted())
  })

  it('refers only to what it contains', () => {
    const references = referencesIn(openApi)
    expect(references.length).toBeGreaterThan(50)
    expect(references.filter((path) => !isThere(openApi, path))).toEqual([])
  })

  it('says of each success what it contains, and passes on what the contract says of it', () => {
    const send = documentedOperations.get('requests.send')
    expect(send?.description).toContain('201 for a new request')
    expect(send?.requestBody).toMatchObject({
      content: { 'application/json': { schema: { required: ['tableNumber'] } } },
    })
    expect(openApi.components['schemas']?.['ServiceRequest']).toMatchObject({
      properties: { asks: { type: 'number', description: 'How many times the table asked for it.' } },
    })
    const empty = [...documentedOperations.values()].filter(({ responses }) =>
      JSON.stringify(responses).includes('"schema":{}'),
    )
    expect(empty.map(({ operationId }) => operationId)).toEqual([])
  })
})

describe('the document of the live channel', () => {
  it('is valid AsyncAPI 3', () => {
    const schema: object = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json')
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
    validate(asyncApi)
    expect(validate.errors).toBeNull()
  })

  it('has every message of the contract, and no other', () => {
    const client = ClientMessage.options.map(({ entries }) => entries.type.literal)
    const server = ServerMessage.options.map(({ entries }) => entries.type.literal)
    expect(Object.keys(asyncApi.components.messages).toSorted()).toEqual([...client, ...server].toSorted())
    expect(Object.keys(asyncApi.operations).toSorted()).toEqual(
      [...client.map((type) => `receive-${type}`), ...server.map((type) => `send-${type}`)].toSorted(),
    )
    for (const type of client)
      expect(asyncApi.operations[`receive-${type}`]).toMatchObject({ 'x-operation': liveOperations[type] })
    expect(asyncApi.components.messages['pending-requests']?.summary).toContain('Oldest first')
  })

  it('refers only to what it contains', () => {
    expect(referencesIn(asyncApi).filter((path) => !isThere(asyncApi, path))).toEqual([])
  })
})

describe('the page for developers', () => {
  it('is there for everybody, with its documents, compressed and without scripts', async () => {
    const guest = app.browser()
    const page = await guest.fetch('/developers', { headers: { 'accept-encoding': 'br' } })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-encoding')).toBe('br')
    const html = await page.text()
    expect(html).not.toContain('<script')
    for (const [path, type] of [
      ['/developers/openapi.json', 'application/json'],
      ['/developers/asyncapi.json', 'application/json'],
      ['/developers/developers.css', 'text/css'],
    ] as const) {
      const file = await guest.fetch(path)
      expect({ path, status: file.status }).toEqual({ path, status: 200 })
      expect(file.headers.get('content-type')).toContain(type)
      await file.text()
    }
  })

  it('names every call, message and type, and every link on it leads somewhere', async () => {
    const html = await (await app.browser().fetch('/developers')).text()
    const ids = [...html.matchAll(/ id="([^"]+)"/gu)].map(([, id = '']) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(
      expect.arrayContaining([
        ...documentedOperations.keys(),
        ...Object.keys(asyncApi.components.messages).map((name) => `message-${name}`),
        ...Object.keys(openApi.components['schemas'] ?? {}).map((name) => `type-${name}`),
      ]),
    )
    const links = [...html.matchAll(/ href="#([^"]+)"/gu)].map(([, id = '']) => id)
    expect(links.filter((id) => !ids.includes(id))).toEqual([])
  })
})

describe('an example', () => {
  let token = ''
  beforeAll(async () => {
    const body = { name: 'Examples', scopes: [...apiScopeNames], days: 30 as const }
    ;({ token } = await restaurant.owner.ok(api.apiTokens.create, { body }))
  })

  const environment = () => ({ ...process.env, TABLESIDE_URL: app.url, TABLESIDE_TOKEN: token })
  const run = async (file: string, ...args: string[]): Promise<string> => {
    const path = `examples/${file}`
    return (await promisify(execFile)(process.execPath, [path, ...args], { env: environment() })).stdout
  }

  it('asks for drinks', async () => {
    expect(await run('ask-for-drinks.js', restaurant.name, '4')).toBe('Table 4: waiting\n')
    await expect(run('ask-for-drinks.js', 'No such place', '4')).rejects.toThrow('not_found')
  })

  it('reads figures', async () => {
    const { requestsToday } = await restaurant.owner.ok(api.analytics.overview, {})
    expect(await run('read-figures.js')).toBe(`Requests today: ${requestsToday}\n`)
  })

  it('follows requests', async () => {
    const { device } = restaurant
    const follower = spawn(process.execPath, ['examples/follow-requests.js'], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void follower.kill())
    const lines = createInterface({ input: follower.stdout })[Symbol.asyncIterator]()
    const next = async (): Promise<unknown> => (await lines.next()).value
    expect(await next()).toMatch(/^Open: \d$/u)
    const body = { restaurantId: restaurant.name, tableNumber: '4', serviceType: 'check' as const }
    const { request } = await app.browser().ok(api.requests.send, { body })
    expect(await next()).toBe('Table 4: check')
    const crew = await device.connect()
    await crew.request({ type: 'complete-request', id: request.id })
    expect(await next()).toBe('Done')
  })

  it('receives webhooks, and only those that are signed', async () => {
    const port = await freePort()
    const address = `http://127.0.0.1:${port}/`
    allowConnections(address)
    const body = { kind: 'webhook' as const, address }
    const { channel, secret } = await restaurant.owner.ok(api.outsideAlerts.addChannel, { body })
    const receiver = spawn(process.execPath, ['examples/receive-webhooks.js'], {
      env: { ...environment(), PORT: String(port), WEBHOOK_SECRET: secret ?? '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void receiver.kill())
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe(`Listening on ${port}`)
    expect((await fetch(address, { method: 'POST', body: '{"type":"test","data":{}}' })).status).toBe(401)
    const tested = await restaurant.owner.ok(api.outsideAlerts.sendTest, { params: { id: channel.id } })
    expect(tested.last).toMatchObject({ problem: null })
    expect((await lines.next()).value).toBe('test')
  })

  it('is on the page as it stands', async () => {
    const html = await (await app.browser().fetch('/developers')).text()
    for (const { file } of shownExamples) expect(html).toContain(`<code>examples/${file}</code>`)
  })
})
