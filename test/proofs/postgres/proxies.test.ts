import { once } from 'node:events'
import { createServer, request as httpRequest, type RequestListener } from 'node:http'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { api, type Route } from '#contract/api.ts'
import { openPage } from '../../e2e/support/browser.ts'
import { press } from '../../e2e/support/locators.ts'
import { viewports } from '../../e2e/support/screenshots.ts'
import { password } from '../../support/app.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { allowConnections } from '../../support/network.ts'
import { freePort, portOf } from '../../support/ports.ts'
import { createTestAuthority } from '../../support/proxies/certificate.ts'
import { type DeployedProxy, deployedProxies } from '../../support/proxies/deployed-proxies.ts'
import { type ServerProcess, startServer } from '../../support/servers/server-process.ts'

const { authority, issued } = createTestAuthority()

let database: TestDatabase
let port: number
let nodePorts: [number, number]
let url: string
const nodes = new Map<number, ServerProcess>()

async function startNode(nodePort: number): Promise<void> {
  const node = await startServer(database.url, {
    NODE_ENV: 'production',
    BILLING: 'off',
    PORT: `${nodePort}`,
    HOST: '127.0.0.1',
    PUBLIC_URL: url,
    TRUST_PROXY: '127.0.0.1',
    GUEST_LIMITS: 'on',
  })
  nodes.set(nodePort, node)
}

beforeAll(async () => {
  database = await freshDatabase()
  port = await freePort()
  nodePorts = [await freePort(), await freePort()]
  url = `https://localhost:${port}`
  await Promise.all(nodePorts.map(startNode))
})
afterAll(async () => {
  await Promise.all([...nodes.values()].map((node) => node.stop()))
  await database.drop()
})

it.for(['nginx', 'Caddy'] as const)('two servers work behind %s as we configure it', async (name) => {
  const proxy = await deployedProxies[name]({ port, nodes: nodePorts, certificate: issued })
  onTestFinished(() => proxy.stop())
  await expect.poll(() => answerOf('/readyz', '127.0.0.1')).toBe(200)
  await redirectsToHttps(proxy)

  const restaurantName = `Behind ${name}`
  const crew = await openCrewScreen(restaurantName)
  await guestAsksAndIsAnswered(crew, restaurantName)
  await countsGuestsByTheirAddress(restaurantName)

  const [first] = nodePorts
  await nodes.get(first)?.stop()
  const answers = []
  for (let tries = 0; tries < 10; tries++) answers.push(await answerOf('/customer', '127.0.0.1'))
  expect(answers).toEqual(Array(10).fill(200))
  await crew.getByText('Live', { exact: true }).waitFor()
  await startNode(first)
})

it('Caddy goes on while every server lacks something that /readyz asks for', async () => {
  const asked: string[] = []
  const servers = await listen((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(request.url === '/readyz' ? 503 : 200).end()
  })
  const to = await freePort()
  const proxy = await deployedProxies.Caddy({ port: to, nodes: servers, certificate: issued })
  onTestFinished(() => proxy.stop())
  // Each server's health twice: it has then acted on the first answers.
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(4)
  expect(await answerOf('/customer', '127.0.0.1', { to })).toBe(200)
})

it.for(['nginx', 'Caddy'] as const)(
  'while servers are replaced, pages get their files from the version that has them, behind %s',
  async (name) => {
    const path = '/assets/crew-00000000.js'
    // The next version, beside one that does not have its files.
    const [next] = await listen((request, response) => {
      response.writeHead(request.url?.startsWith(path) || request.url === '/servingz' ? 200 : 404).end()
    })
    const to = await freePort()
    const proxy = await deployedProxies[name]({ port: to, nodes: [nodePorts[0], next], certificate: issued })
    onTestFinished(() => proxy.stop())
    const answers = []
    for (let tries = 0; tries < 20; tries++) answers.push(await answerOf(path, '127.0.0.1', { to }))
    expect(answers).toEqual(Array(20).fill(200))
  },
)

it('a browser shows a page of which one of two servers has no files', async () => {
  const [whole] = nodePorts
  const [old] = await listen(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    // As our own do: see the test above.
    const location = `${pathname}?asked=${Number(searchParams.get('asked')) + 1}`
    if (pathname.startsWith('/assets/')) response.writeHead(307, { location }).end()
    else
      httpRequest({ port: whole, host: '127.0.0.1', path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      }).end()
  })
  const to = await freePort()
  const proxy = await deployedProxies.Caddy({ port: to, nodes: [whole, old], certificate: issued })
  onTestFinished(() => proxy.stop())
  const page = await openPage({
    viewport: viewports.tablet,
    ignoreHTTPSErrors: true,
    tolerate: [/\/api\/auth\/user/],
  })
  const redirects: string[] = []
  page.on('response', (response) => {
    if (response.status() === 307) redirects.push(response.url())
  })
  await page.goto(`${proxy.url}/restaurant-login`)
  await page.getByLabel('Restaurant Name').waitFor()
  expect(redirects.length).toBeGreaterThan(0)
})

/** Until a proxy asks for its health, a server that stops refuses the pages that it has just sent away. */
const sentToStoppingServer = /WebSocket connection to/

it('nginx gives the other server what carries an id, and nothing else that a server did not answer', async () => {
  const received: string[] = []
  const answer: RequestListener = (request, response) => {
    const path = request.url ?? ''
    request.resume().once('end', () => {
      response.writeHead(received.includes(path) ? 200 : 503).end()
      received.push(path)
    })
  }
  const servers = await listen(answer)
  const to = await freePort()
  const proxy = await deployedProxies.nginx({ port: to, nodes: servers, certificate: issued })
  onTestFinished(() => proxy.stop())
  received.length = 0
  const post = async (path: string) => {
    const status = await answerOf(path, '127.0.0.1', { to, body: {} })
    return [status, received.filter((each) => each === path).length]
  }
  for (const { path } of [api.crew.add, api.apiTokens.create, api.accounts.signUp])
    expect(await post(path)).toEqual([503, 1])
  for (const { path } of [api.requests.send, api.guestNotes.send, api.buttons.press])
    expect(await post(path)).toEqual([200, 2])
  expect(await post('/customer')).toEqual([200, 2])
  expect(await answerOf('/readyz', '127.0.0.1', { to })).toBe(200)
})

it('nginx gives up a machine that is silent after seconds', async () => {
  const [answering] = await listen((_request, response) => response.writeHead(200).end())
  const to = await freePort()
  const nodes: [number, number] = [answering, await silentPort()]
  const proxy = await deployedProxies.nginx({ port: to, nodes, certificate: issued })
  onTestFinished(() => proxy.stop())
  const startedAt = performance.now()
  const answers = await Promise.all([1, 2].map(() => answerOf('/customer', '127.0.0.1', { to })))
  expect(answers).toEqual([200, 200])
  // It would be a minute each.
  expect(performance.now() - startedAt).toBeLessThan(30_000)
})

/** Where nobody takes connections, and two wait already: the system answers no more of them. */
async function silentPort(): Promise<number> {
  const thread = new Worker(
    `const { parentPort } = require('node:worker_threads')
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`,
    { eval: true },
  )
  onTestFinished(async () => void (await thread.terminate()))
  const [silent] = await once(thread, 'message')
  allowConnections(`http://127.0.0.1:${silent}`)
  const waiting = [1, 2].map(() => connect({ host: '127.0.0.1', port: silent }))
  onTestFinished(() => waiting.forEach((socket) => socket.destroy()))
  await Promise.all(waiting.map((socket) => once(socket, 'connect')))
  return silent
}

/** The ports of two servers that answer so. */
async function listen(answer: RequestListener): Promise<[number, number]> {
  const servers = [createServer(answer), createServer(answer)] as const
  for (const server of servers) server.listen(0, '127.0.0.1')
  await Promise.all(servers.map((server) => once(server, 'listening')))
  onTestFinished(() => servers.forEach((server) => server.close()))
  return [portOf(servers[0]), portOf(servers[1])]
}

/** Signs a restaurant up, and one of its screens in. */
async function openCrewScreen(restaurantName: string): Promise<Page> {
  const page = await openPage({
    viewport: viewports.tablet,
    ignoreHTTPSErrors: true,
    tolerate: [/\/api\/auth\/user/, sentToStoppingServer],
  })
  const post = async ({ path }: Route, data: unknown) => {
    const answer = await page.request.post(url + path, { data, headers: { origin: url } })
    expect({ ok: answer.ok(), text: await answer.text() }).toMatchObject({ ok: true })
  }
  await post(api.accounts.signUp, { restaurantName, email: 'owner@example.com', password, timeZone: 'UTC' })
  await post(api.floor.setUp, { setupType: 'custom', customTables: ['7'] })
  await page.context().clearCookies()
  await post(api.accounts.restaurantLogin, { restaurantName, password })
  await page.addInitScript((restaurant) => sessionStorage.setItem('restaurantId', restaurant), restaurantName)
  await page.goto(`${url}/waiter`)
  await page.getByText('Live', { exact: true }).waitFor()
  return page
}

async function guestAsksAndIsAnswered(crew: Page, restaurantName: string): Promise<void> {
  const guest = await openPage({
    viewport: viewports.phone,
    ignoreHTTPSErrors: true,
    tolerate: [sentToStoppingServer],
  })
  await guest.goto(`${url}/customer?${new URLSearchParams({ r: restaurantName, t: '7' })}`)
  await press(guest, 'Check/Bill')
  const ticket = crew.getByRole('listitem').filter({ hasText: 'Check/Bill' })
  await ticket.getByRole('button', { name: 'Mark Complete' }).click()
  await guest.getByText('Done', { exact: true }).first().waitFor()

  const cookies = [...(await guest.context().cookies()), ...(await crew.context().cookies())]
  expect(cookies.length).toBeGreaterThan(2)
  for (const cookie of cookies)
    expect(cookie).toMatchObject({ name: expect.stringMatching(/^__Host-/u), secure: true, path: '/' })
}

/** Somebody who tries passwords is stopped, whatever address they claim, and nobody else. */
async function countsGuestsByTheirAddress(restaurantName: string): Promise<void> {
  const tryPassword = (from: string, claimed: string) =>
    answerOf(api.accounts.restaurantLogin.path, from, {
      headers: { 'x-forwarded-for': claimed, forwarded: `for=${claimed}`, 'x-real-ip': claimed },
      body: { restaurantName, password: 'wrong-password-1' },
    })
  const statuses = []
  // At least one of two servers has then counted six.
  for (let tries = 0; tries < 11; tries++)
    statuses.push(await tryPassword('127.0.0.2', `198.51.100.${tries}`))
  expect(statuses.slice(0, 5)).toEqual(Array(5).fill(401))
  expect(statuses).toContain(429)
  expect(await tryPassword('127.0.0.3', '127.0.0.2')).toBe(401)
}

async function redirectsToHttps({ httpUrl }: DeployedProxy): Promise<void> {
  allowConnections(httpUrl)
  const sent = httpRequest(`${httpUrl}/customer?t=7`).end()
  const [{ statusCode, headers }] = await once(sent, 'response')
  expect({ statusCode, location: headers.location.replace(/:\d+/u, '') }).toEqual({
    statusCode: 308,
    location: 'https://localhost/customer?t=7',
  })
}

/** `to`: the port of another proxy. */
type Sent = { headers?: Record<string, string>; body?: unknown; to?: number }

/** The status of the last answer to somebody at this address, who follows redirects and trusts only our authority. */
async function answerOf(
  path: string,
  localAddress: string,
  { headers, body, to = port }: Sent = {},
): Promise<number> {
  const agent = new Agent({ ca: authority })
  const sent = request(`https://127.0.0.1:${to}${path}`, {
    agent,
    localAddress,
    servername: 'localhost',
    method: body === undefined ? 'GET' : 'POST',
    headers: { host: `localhost:${port}`, 'content-type': 'application/json', origin: url, ...headers },
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = await once(sent, 'response')
  await text(response)
  agent.destroy()
  const { location } = response.headers
  return location === undefined ? response.statusCode : answerOf(location, localAddress, { to })
}
