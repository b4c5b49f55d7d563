// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hourMs } from '#contract/durations.ts'
import { buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { createBrowserOutbox } from './browser-outbox.ts'
import { isOwnRequest } from './guest-storage.ts'
import type { OutboxEvent } from './outbox.ts'

const ask = buildTap()

/** The answers of the network, in order; the last one repeats. */
let answers: (() => Promise<Response>)[]
let posts: unknown[]
const respond = (status: number, body: string) => async () => new Response(body, { status })
const stored = respond(201, JSON.stringify({ request: { id: 'tap-1' } }))

beforeEach(() => {
  posts = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('fetch', (_url: string, { body }: { body: string }) => {
    posts.push(JSON.parse(body))
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    return answer?.()
  })
})
afterEach(() => vi.useRealTimers())

async function tap(): Promise<OutboxEvent[]> {
  const outbox = createBrowserOutbox()
  const events: OutboxEvent[] = []
  outbox.subscribeWithReplay((event) => events.push(event))
  outbox.add(ask)
  await vi.advanceTimersByTimeAsync(5_000)
  return events
}

it.each([
  ['the network fails', () => Promise.reject(new TypeError('Failed to fetch'))],
  ["a network's own sign-in page answers", respond(200, '<html>Welcome to our Wi-Fi</html>')],
  ['something else answers in JSON', respond(200, '{"ok":true}')],
  ['a proxy refuses in its own way', respond(403, '<html>Forbidden</html>')],
  ['the server has a problem', respond(500, '{"code":"internal","message":"Something went wrong"}')],
  ['the tap arrives too slowly', respond(408, '{"code":"timeout","message":"Too slow"}')],
  ['a gateway gets no answer', respond(504, '{"code":"timeout","message":"Too slow"}')],
  ['the server is busy', respond(503, '{"code":"unavailable","message":"Busy"}')],
])('waits while %s, and is sent afterwards', async (_, failure) => {
  answers = [failure, failure, stored]
  const events = await tap()
  expect(events.map(({ type }) => type)).toEqual(['added', 'stored'])
  expect(posts).toHaveLength(3)
  expect(new Set(posts.map((post) => JSON.stringify(post))).size).toBe(1)
  expect(localStorage.getItem('ask_tap-1')).toBeNull()
  expect(isOwnRequest('tap-1')).toBe(true)
})

it('stays in local storage until it is stored, and is resumed by the next page', async () => {
  answers = [() => Promise.reject(new TypeError('Failed to fetch'))]
  await tap()
  expect(JSON.parse(localStorage.getItem('ask_tap-1') ?? '')).toEqual(ask)
  vi.clearAllTimers()
  answers = [stored]
  const events: string[] = []
  createBrowserOutbox().subscribeWithReplay(({ type }) => events.push(type))
  await vi.advanceTimersByTimeAsync(0)
  expect(events).toEqual(['stored'])
})

it('learns which request it was merged into', async () => {
  answers = [respond(200, JSON.stringify({ request: { id: 'older' } }))]
  const events = await tap()
  expect(events.at(-1)).toMatchObject({ type: 'stored', again: true, request: { id: 'older' } })
  expect([isOwnRequest('older'), isOwnRequest('tap-1')]).toEqual([true, false])
})

it('learns how the request of a tap that was stored before has ended', async () => {
  answers = [respond(200, JSON.stringify({ request: { id: 'tap-1' }, closed: 'completed' }))]
  expect((await tap()).at(-1)).toMatchObject({ type: 'stored', again: true, closed: 'completed' })
})

it('a tap is refused with the message of the server', async () => {
  answers = [respond(429, JSON.stringify({ code: 'rate_limited', message: 'Please wait a moment' }))]
  expect((await tap()).at(-1)).toMatchObject({
    type: 'refused',
    code: 'rate_limited',
    message: 'Please wait a moment',
  })
  expect(posts).toHaveLength(1)
})

it('drops what it cannot read, and requests of an earlier visit', async () => {
  answers = [stored]
  localStorage.setItem('ask_broken', '{')
  localStorage.setItem('ask_other', '{"id":"other"}')
  localStorage.setItem('asked_old', String(Date.now() - 10_800_001))
  localStorage.setItem('asked_new', String(Date.now()))
  createBrowserOutbox()
  await vi.advanceTimersByTimeAsync(0)
  expect(posts).toEqual([])
  expect([isOwnRequest('old'), isOwnRequest('new')]).toEqual([false, true])
})

it('sends all from one device until the server’s cookie would have ended, also from the next page', async () => {
  const devices: (string | undefined)[] = []
  vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Record<string, string> }) => {
    devices.push(headers['guest-device'])
    throw new TypeError('Failed to fetch')
  })
  const start = Date.now()
  const now = vi.spyOn(Date, 'now').mockReturnValue(start)
  const outbox = createBrowserOutbox()
  outbox.add(ask)
  outbox.add({ ...ask, id: 'tap-2' })
  await vi.advanceTimersByTimeAsync(0)
  createBrowserOutbox()
  await vi.advanceTimersByTimeAsync(0)
  expect(devices).toHaveLength(4)
  expect(devices[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(devices).size).toBe(1)

  now.mockReturnValue(start + 4 * hourMs)
  createBrowserOutbox().add({ ...ask, id: 'tap-3', at: start + 4 * hourMs })
  await vi.advanceTimersByTimeAsync(0)
  expect(devices.at(-1)).toMatch(/^[0-9a-f]{32}$/)
  expect(devices.at(-1)).not.toBe(devices[0])
  now.mockRestore()
})
