import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
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
