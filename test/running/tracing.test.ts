import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp } from '../support/app.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/outside/http-receiver.ts'
import { connectScreen } from '../support/pages/crew-view.ts'

type SentSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: object }[]
  events: unknown[]
  status: { code: number; message?: string }
}
type Sent = { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }

const spansIn = ({ received }: HttpReceiver): SentSpan[] =>
  received
    .map(({ body }): Sent => JSON.parse(body))
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

describe('traces', () => {
  const note = 'No peanuts for the boy in the red shirt'
  const code = 'Zk9-one-time-code'
  let collector: HttpReceiver
  let spans: SentSpan[]
  let restaurant: string
  let id: string
  let guestCookie: string
  beforeAll(async () => {
    collector = await startHttpReceiver()
    const app = await startTestApp({ tracing: { url: `${collector.url}/v1/traces`, ratio: 1 } })
    const { name, device } = await app.restaurant({ name: 'The Secret Garden', tables: ['Terrace 12'] })
    restaurant = name
    const screen = await connectScreen(device)
    const guest = app.browser()
    await guest.fetch(
      `/customer?r=${encodeURIComponent(name)}&t=${encodeURIComponent('Terrace 12')}&k=${code}`,
    )
    const body = {
      id: randomUUID(),
      restaurantId: name,
      tableNumber: 'Terrace 12',
      serviceType: 'check' as const,
    }
    id = (await guest.ok(api.requests.send, { body })).request.id
    guestCookie = guest.cookies.values().next().value ?? ''
    await guest.call(api.requests.cancel, { params: { id: code } })
    await guest.send('POST', '/api/guest-notes', { restaurantId: name, tableNumber: note, text: note })
    await guest.call(api.accounts.restaurantLogin, { body: { restaurantName: note, password } })
    await guest.fetch(`/reset-password/${code}`)
    await guest.fetch(`/${code}/${code}.js`)
    await guest.fetch('/readyz')
    await screen.request({ type: 'complete-request', id })
    // The last ones are sent when it stops.
    await app.stop()
    spans = spansIn(collector)
  })
  afterAll(() => collector.stop())

  const named = (name: string): SentSpan => {
    const span = spans.find((each) => each.name === name)
    if (!span) throw new Error(`No span ${name} among ${spans.map((each) => each.name).join(', ')}`)
    return span
  }

  it('follow a tap from the call to its transaction, as OTLP', () => {
    expect(collector.received.map(({ path }) => path)).toContain('/v1/traces')
    const tap = named('POST /api/service-requests')
    expect(tap.attributes).toEqual(
      expect.arrayContaining([
        { key: 'http.route', value: { stringValue: '/api/service-requests' } },
        { key: 'http.response.status_code', value: { intValue: 201 } },
      ]),
    )
    const ofTap = spans.filter(({ traceId }) => traceId === tap.traceId)
    const handler = ofTap.find(({ name }) => name === 'handler')
    const write = ofTap.find(({ name }) => name === 'write requests')
    expect(handler?.parentSpanId).toBe(tap.spanId)
    expect(write?.parentSpanId).toBe(handler?.spanId)
  })

  it('follow a message of a crew screen', () => {
    const message = named('live complete-request')
    expect(spans.find(({ parentSpanId }) => parentSpanId === message.spanId)?.name).toBe('write requests')
  })

  it('contain nothing that was typed, scanned or handed out', () => {
    const bodies = collector.received.map(({ body }) => body).join('\n')
    for (const secret of [restaurant, 'Terrace', code, note, 'peanuts', password, id, guestCookie])
      expect(bodies).not.toContain(secret)
    const keys = new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)))
    expect([...keys].toSorted()).toEqual(['http.request.method', 'http.response.status_code', 'http.route'])
    expect(spans.flatMap(({ events }) => events)).toEqual([])
    expect(spans.filter(({ status }) => status.message !== undefined)).toEqual([])
  })

  it('leave monitoring out', () => {
    expect(spans.map(({ name }) => name)).not.toContain('GET /readyz')
  })
})

it('when nobody takes the traces, only they are lost, and the log says so once', async () => {
  const collector = await startHttpReceiver()
  collector.answer = 400
  const app = await startTestApp({ tracing: { url: `${collector.url}/v1/traces`, ratio: 1 } })
  expect((await app.browser().fetch('/customer')).status).toBeLessThan(500)
  await app.stop()
  expect(app.lines.filter((line) => line.includes('traces could not be sent'))).toHaveLength(1)
  await collector.stop()
})
