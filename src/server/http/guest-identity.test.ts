import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { setUpApp, type TestBrowser } from '../../../test/support/app.ts'

const app = setUpApp()

const isKnown = ({ cookies }: TestBrowser): boolean => cookies.has('tsr_g')

it('makes a device known by a page, a tap or a note, and by nothing that a page asks beside them', async () => {
  const { name, owner } = await app.restaurant({ tables: ['4'] })
  await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  const table = { restaurantId: name, tableNumber: '4' }
  const pageUrl = `/customer?${new URLSearchParams({ r: name, t: '4' }).toString()}`
  const device = app.browser()

  await device.fetch(`${pageUrl}&kept=en`)
  await device.ok(api.requests.mine, { query: table })
  await device.ok(api.guestNotes.mine, { query: { restaurantId: name } })
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws`, { headers: { origin: app.url } })
  const [{ headers }] = (await once(socket, 'upgrade')) as [IncomingMessage]
  socket.close()
  expect([headers['set-cookie'], device.cookies.size]).toEqual([undefined, 0])

  await device.ok(api.requests.send, { body: { ...table, serviceType: 'drinks' } })
  const [byPage, byNote] = [app.browser(), app.browser()]
  await byPage.fetch(pageUrl)
  await byNote.ok(api.guestNotes.send, { body: { ...table, id: 'a-note', text: 'Cold soup' } })
  expect([device, byPage, byNote].map(isKnown)).toEqual([true, true, true])
})

it('keeps a device known for as long as its latest visit', async () => {
  const { name } = await app.restaurant({ tables: ['4', '7', '8'] })
  const device = app.browser()
  const pageOf = (t: string): Promise<Response> =>
    device.fetch(`/customer?${new URLSearchParams({ r: name, t }).toString()}`)
  await pageOf('4')
  const guest = device.cookies.get('tsr_g')
  const renews = ({ headers }: { headers: Headers }): boolean =>
    headers.getSetCookie().some((cookie) => cookie.startsWith(`tsr_g=${guest}; Max-Age=14400;`))

  app.advance(2 * 60 * minuteMs)
  const reset = new URLSearchParams({ action: 'reset', r: name, t: '4' })
  const visits = {
    again: await pageOf('4'),
    elsewhere: await pageOf('7'),
    byTap: await device.call(api.requests.send, {
      body: { restaurantId: name, tableNumber: '8', serviceType: 'drinks' },
    }),
    reset: await device.fetch('/customer', { method: 'POST', body: reset }),
  }
  expect(Object.entries(visits).flatMap(([how, answer]) => (renews(answer) ? how : []))).toEqual([
    'elsewhere',
    'byTap',
    'reset',
  ])
  expect(device.cookies.get('tsr_g')).toBe(guest)
})

const ofPage = 'a1'.repeat(16)

/** As a page does that was kept on the device: with the id that it made itself. */
function callFromPage(device: TestBrowser, path: string, body: unknown, id = ofPage): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'guest-device': id, origin: app.url }
  return device.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

const cancelPath = (id: string): string => api.requests.cancel.path.replace(':id', id)

const tapAt = (restaurantId: string, serviceType: ServiceType) => ({
  restaurantId,
  tableNumber: '4',
  id: randomUUID(),
  serviceType,
})

it('knows the first taps of a device without a cookie as those of one, however their answers come', async () => {
  const { name, owner } = await app.restaurant({ tables: ['4'] })
  await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  const taps = (['drinks', 'check', 'food'] as const).map((serviceType) => tapAt(name, serviceType))
  // Each is sent before any answer has brought a cookie, so each comes from a browser that has none.
  const senders = taps.map(() => app.browser())
  const answers = await Promise.all(
    senders.map((sender, index) => callFromPage(sender, api.requests.send.path, taps[index])),
  )
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(senders.map(({ cookies }) => cookies.get('tsr_g'))).size).toBe(1)
  const note = { restaurantId: name, tableNumber: '4', id: randomUUID(), text: 'Cold soup' }
  const notes = [0, 1].map(() => callFromPage(app.browser(), api.guestNotes.send.path, note))
  expect(new Set((await Promise.all(notes)).map(({ status }) => status))).toEqual(new Set([200, 201]))

  const [last, ...others] = taps
  for (const { id } of others) {
    const cancelled = await senders[0]?.call(api.requests.cancel, { params: { id } })
    expect(cancelled?.status).toBe(200)
  }
  // All answers were lost: the page has its id and no cookie.
  const withoutCookie = await callFromPage(app.browser(), cancelPath(last?.id ?? ''), {})
  expect(withoutCookie.status).toBe(200)
})

it('counts the taps of a page without a cookie as those of one device', async () => {
  const { name } = await app.restaurant({ tables: ['4'] })
  const statuses: number[] = []
  for (let tap = 0; tap < 13; tap++) {
    const body = tapAt(name, 'drinks')
    const sent = await callFromPage(app.browser(), api.requests.send.path, body, 'b2'.repeat(16))
    statuses.push(sent.status)
    await callFromPage(app.browser(), cancelPath(body.id), {}, 'b2'.repeat(16))
  }
  expect(statuses).toEqual([...Array.from({ length: 12 }, () => 201), 429])
})

it('lets a device that got a cookie of its own before the answer cancel what its page had sent', async () => {
  const { name } = await app.restaurant({ tables: ['4'] })
  const id = 'c3'.repeat(16)
  const [lost, later] = [tapAt(name, 'drinks'), tapAt(name, 'check')]
  await callFromPage(app.browser(), api.requests.send.path, lost, id)
  const device = app.browser()
  await device.fetch(`/customer?${new URLSearchParams({ r: name, t: '4' }).toString()}`)
  const given = device.cookies.get('tsr_g')

  const again = await callFromPage(device, api.requests.send.path, lost, id)
  await callFromPage(device, api.requests.send.path, later, id)
  expect([again.status, device.cookies.get('tsr_g')]).toEqual([200, given])
  const query = new URLSearchParams({ restaurantId: name, tableNumber: '4' }).toString()
  const list = await device.fetch(`${api.requests.mine.path}?${query}`, { headers: { 'guest-device': id } })
  expect(new Set((await list.json()).mine)).toEqual(new Set([lost.id, later.id]))

  const stranger = app.browser()
  await stranger.fetch(`/customer?${new URLSearchParams({ r: name, t: '4' }).toString()}`)
  expect((await callFromPage(stranger, cancelPath(lost.id), {}, 'd4'.repeat(16))).status).toBe(403)
  // Its cookie counts, not what else it sends: what it asked for is not that of whoever has only the page's id.
  expect((await callFromPage(app.browser(), cancelPath(later.id), {}, id)).status).toBe(403)
  for (const tap of [lost, later])
    expect((await callFromPage(device, cancelPath(tap.id), {}, id)).status).toBe(200)
})

it('takes back only what a device asked for under either of its ids', async () => {
  const { name } = await app.restaurant({ tables: ['4'] })
  const id = 'e5'.repeat(16)
  const mine = tapAt(name, 'drinks')
  await callFromPage(app.browser(), api.requests.send.path, mine, id)
  await app.browser().ok(api.requests.send, { body: tapAt(name, 'drinks') })
  const device = app.browser()
  await device.fetch(`/customer?${new URLSearchParams({ r: name, t: '4' }).toString()}`)
  const cancelled = await callFromPage(device, cancelPath(mine.id), {}, id)
  expect((await cancelled.json()).request.asks).toBe(1)
  // It has been taken back, whichever id asks again.
  const again = await callFromPage(app.browser(), cancelPath(mine.id), {}, id)
  expect((await again.json()).request.asks).toBe(1)
})

it.each(['', 'short', `${ofPage}0`, 'ä'.repeat(16), ofPage.replace('a', '.')])(
  'gives a device whose page sends %j an id as if it had sent none',
  async (id) => {
    const { name } = await app.restaurant({ tables: ['4'] })
    const device = app.browser()
    const sent = await callFromPage(device, api.requests.send.path, tapAt(name, 'drinks'), id)
    expect([sent.status, isKnown(device)]).toEqual([201, true])
    expect(device.cookies.get('tsr_g')).not.toBe(id)
  },
)
