import { afterEach, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { api } from '#contract/api.ts'
import { startTestApp, TestBrowser } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { holdRequest } from '../support/restaurants/held-request.ts'
import { startServer } from '../support/servers/server-process.ts'

let stopped: Promise<void> | undefined
afterEach(() => stopped)

const tap = (restaurantId: string, tableNumber: string) =>
  ({ restaurantId, tableNumber, serviceType: 'check' }) as const

it('serves guests and screens while it stops, and sends newcomers to other nodes', async () => {
  const app = await startTestApp({ drainSeconds: 5 })
  const { name, device } = await app.restaurant()
  // The app closes the sockets of its own browsers when it stops.
  const tablet = new TestBrowser(() => app.url)
  for (const [cookie, value] of device.cookies) tablet.cookies.set(cookie, value)
  const screen = await connectScreen(tablet)
  const guest = app.browser()
  expect(await guest.send('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } })

  expect((await guest.send('GET', '/servingz')).status).toBe(200)

  stopped = app.stop()
  await expect
    .poll(() => guest.send('GET', '/readyz'))
    .toMatchObject({
      status: 503,
      body: { status: 'not ready', problems: ['This node is stopping'] },
    })
  expect((await guest.send('GET', '/servingz')).status).toBe(503)
  expect(await refusedUpgrade(app.url, device.cookieHeader)).toEqual({
    status: 503,
    reason: 'This node is stopping',
    retryAfter: '1',
  })
  const stored = await guest.call(api.requests.send, { body: tap(name, '7') })
  expect(stored.status).toBe(201)
  expect(stored.headers.get('connection')).toBe('close')
  expect((await screen.next('new-request')).request.id).toBe(stored.body.request.id)
  expect(await screen.closed).toBe(1012)
})

it('finishes requests that have begun, and waits for none that never ends', async () => {
  const requestTimeouts = { arriveWithinMs: 20_000, checkEveryMs: 1_000, finishWithinMs: 5_000 }
  const app = await startTestApp({ requestTimeouts })
  const { name } = await app.restaurant()
  const hold = (tableNumber: string) =>
    holdRequest(app.url, app.browser(), 'POST', api.requests.send.path, tap(name, tableNumber))
  const [begun, endless] = [await hold('7'), await hold('8')]

  stopped = app.stop()
  await expect.poll(() => isListening(app.url)).toBe(false)
  expect((await begun.finish()).status).toBe(201)
  await expect(endless.answer).rejects.toThrow('socket hang up')
})

const isListening = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  )

function refusedUpgrade(url: string, cookie: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { origin: url, cookie } })
  return new Promise((resolve, reject) => {
    socket.once('open', () => reject(new Error('The upgrade was not refused')))
    socket.once('unexpected-response', (_request, { statusCode, statusMessage, headers }) =>
      resolve({ status: statusCode, reason: statusMessage, retryAfter: headers['retry-after'] }),
    )
  })
}

it('stops in order when its terminal is closed, or systemd is told to reload it', async () => {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const server = await startServer(database.url)
  // Once from the terminal, once from what has started it.
  for (let times = 0; times < 2; times++) process.kill(server.pid, 'SIGHUP')
  await expect.poll(() => server.lines).toEqual(['ended by itself: 0'])
})
