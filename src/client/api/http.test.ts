import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { portOf } from '../../../test/support/ports.ts'
import { ApiError, call, buildUrl, errorMessage, probeServer } from './http.ts'

type ReceivedRequest = {
  method: string | undefined
  url: string | undefined
  type: string | undefined
  body: string
}

let server: Server
let received: ReceivedRequest[]
let answer: { status: number; body: string }

beforeEach(async () => {
  received = []
  answer = { status: 200, body: '[]' }
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      received.push({ method: request.method, url: request.url, type: request.headers['content-type'], body })
      response.writeHead(answer.status).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  const real = fetch
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(`http://127.0.0.1:${port}${path}`, init))
})
afterEach(() => {
  vi.unstubAllGlobals()
  server.closeAllConnections()
  server.close()
})

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => null,
    (error: unknown) => error,
  )

it('sends path, query and body of the route, and a content type only with a body', async () => {
  await call(api.floor.crewAssignments, {
    query: { restaurantId: 'Blue Door & Co', crewMemberId: 'maya', date: '2026-01-31' },
  })
  answer = { status: 200, body: '{"id":"a/b"}' }
  await failure(call(api.requests.cancel, { params: { id: 'a/b' } }))
  answer = { status: 201, body: '{"id":"maya","name":"Maya","role":"Server"}' }
  const added = await call(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  expect(added).toEqual({ id: 'maya', name: 'Maya', role: 'Server' })
  expect(received).toEqual([
    {
      method: 'GET',
      url: '/api/crew-assignments?restaurantId=Blue+Door+%26+Co&crewMemberId=maya&date=2026-01-31',
      type: undefined,
      body: '',
    },
    { method: 'POST', url: '/api/service-requests/a%2Fb/cancel', type: undefined, body: '' },
    { method: 'POST', url: '/api/crew', type: 'application/json', body: '{"name":"Maya","role":"Server"}' },
  ])
})

it('omits undefined parameters', () => {
  expect(buildUrl(api.floor.removeTable, { params: { id: 'x' }, query: { confirm: undefined } })).toBe(
    '/api/tables/x',
  )
})

it('throws the server’s message with its status and code', async () => {
  const body = '{"code":"conflict","message":"This table already exists"}'
  answer = { status: 409, body }
  expect(await failure(call(api.floor.tables))).toEqual(
    new ApiError(409, 'conflict', 'This table already exists', body),
  )
})

it('throws status and text when the response is not from our server', async () => {
  answer = { status: 502, body: 'Bad gateway' }
  expect(await failure(call(api.floor.tables))).toEqual(new ApiError(502, 'internal', '502: Bad gateway'))
  answer = { status: 503, body: '' }
  expect(await failure(call(api.floor.tables))).toEqual(
    new ApiError(503, 'internal', '503: Service Unavailable'),
  )
})

it.each([
  [500, '{"code":"internal","message":"Something went wrong"}', 'Something went wrong'],
  [503, '{"message":"Back at noon"}', 'Back at noon'],
  [409, '{"code":"new_code","message":"404: is a strange name"}', '404: is a strange name'],
  [500, '{"code":"internal"}', 'Failed to add table'],
  [500, '{"code":"internal","message":" "}', 'Failed to add table'],
  [502, '<h1>Bad gateway</h1>', 'Failed to add table'],
  [503, '', 'Failed to add table'],
])(
  'shows the message of an answer, and the fallback where it has none: %i %s',
  async (status, body, text) => {
    answer = { status, body }
    expect(errorMessage(await failure(call(api.floor.tables)), 'Failed to add table')).toBe(text)
  },
)

it('reports that the server could not be reached', async () => {
  server.closeAllConnections()
  server.close()
  expect(await failure(call(api.floor.tables))).toMatchObject({ status: 0, code: 'unavailable' })
})

it.each([
  ['answers', async () => new Response()],
  ['fails', async () => new Response('', { status: 503 })],
  ['fails', () => Promise.reject(new TypeError('Failed to fetch'))],
  [
    'silent',
    (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ],
])('finds that the server %s', async (result, fetched) => {
  vi.stubGlobal('fetch', fetched)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const aborting = new AbortController()
    setTimeout(() => aborting.abort(), ms / 1_000)
    return aborting.signal
  })
  expect(await probeServer()).toBe(result)
})
