import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { setUpApp, type TestBrowser, type TestSocket } from '../../../../test/support/app.ts'
import { uniqueAddress } from '../../../../test/support/restaurants/logins.ts'

const app = setUpApp({ trustProxy: ['loopback'] })

const open = (browser: TestBrowser, address: string): Promise<TestSocket> =>
  browser.connect({ 'x-forwarded-for': address })

const refused = 'Unexpected server response: 429'

describe('guests’ sockets', () => {
  it('are limited to 200 per address, even at once, and never keep a signed-in screen out', async () => {
    const address = uniqueAddress()
    const { device, owner } = await app.restaurant()
    const results = await Promise.allSettled(Array.from({ length: 230 }, () => open(app.browser(), address)))
    const opened = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(opened).toHaveLength(200)
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.message] : []))
    expect(new Set(reasons)).toEqual(new Set([refused]))

    for (const staff of [device, owner]) {
      const screen = await open(staff, address)
      expect(await screen.request({ type: 'get-pending-requests' })).toMatchObject({ type: 'ack' })
    }
    await expect(open(app.browser(), address)).rejects.toThrow(refused)
    expect(await (await open(app.browser(), uniqueAddress())).request({ type: 'ping' })).toMatchObject({
      type: 'ack',
    })

    for (const socket of opened) socket.close()
    await Promise.all(opened.map(({ closed }) => closed))
    const isOpenedAgain = () =>
      open(app.browser(), address).then(
        () => true,
        () => false,
      )
    await expect.poll(isOpenedAgain).toBe(true)
  })

  it('are limited to 8 per phone', async () => {
    const address = uniqueAddress()
    const phone = app.browser()
    const { name } = await app.restaurant()
    await phone.fetch(`/customer?r=${encodeURIComponent(name)}`)
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => open(phone, address)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
    expect(await (await open(app.browser(), address)).request({ type: 'ping' })).toMatchObject({
      type: 'ack',
    })
  })

  it('are refused before they are opened, with the time after which to retry', async () => {
    const address = uniqueAddress()
    const guests = await Promise.all(Array.from({ length: 200 }, () => open(app.browser(), address)))
    const socket = connect(app.port, 'localhost')
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: localhost\r\nOrigin: ${app.url}\r\nX-Forwarded-For: ${address}\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    const [answer]: Buffer[] = await once(socket, 'data')
    expect(answer?.toString()).toBe(
      'HTTP/1.1 429 Too many connections. Please try again in 30 seconds.\r\n' +
        'Retry-After: 30\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    )
    socket.destroy()
    for (const guest of guests) guest.close()
  })
})

it('a browser can have 50 screens, counted separately from other browsers of the restaurant', async () => {
  const address = uniqueAddress()
  const { device, owner } = await app.restaurant()
  const results = await Promise.allSettled(Array.from({ length: 55 }, () => open(device, address)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
  expect(await (await open(owner, address)).request({ type: 'ping' })).toMatchObject({ type: 'ack' })
})
