import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { targetResponseMs } from '#contract/requests.ts'
import { startTestApp, type TestApp, type TestBrowser } from '../../../test/support/app.ts'

let app: TestApp
let restaurantId: string
let tables = 0

beforeAll(async () => {
  app = await startTestApp({ guestLimits: false })
  const names = Array.from({ length: 20 }, (_, index) => String(index + 1))
  restaurantId = (await app.restaurant({ name: 'Blue & Door', tables: names })).name
})
afterAll(() => app.stop())

const freshTable = (): string => String(++tables)
const pathOf = (query: Record<string, string>): string => `/customer?${new URLSearchParams(query).toString()}`

async function html(browser: TestBrowser, query: Record<string, string>): Promise<string> {
  const response = await browser.fetch(pathOf(query))
  expect(response.status).toBe(200)
  return response.text()
}

const post = (browser: TestBrowser, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  browser.fetch('/customer', { method: 'POST', body: new URLSearchParams(fields), headers })

const requestsOf = async (tableNumber: string) =>
  (await app.browser().ok(api.requests.mine, { query: { restaurantId, tableNumber } })).requests

describe('the guest page', () => {
  it('contains the menu, so it can be used without a script', async () => {
    const page = await html(app.browser(), { r: 'blue & door', t: freshTable() })
    expect(page).toContain('<title>Blue &amp; Door · Table 1</title>')
    for (const name of ['Call Waiter', 'Drinks', 'Food Order', 'Check/Bill', 'Assistance', 'Other']) {
      expect(page).toMatch(new RegExp(`<button name="serviceType"[^>]*>(<svg.*?</svg>)?${name}</button>`))
    }
  })

  it('has a policy that allows exactly what it contains', async () => {
    const response = await app.browser().fetch(pathOf({ r: restaurantId, t: freshTable() }))
    const page = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    const hashOf = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    const [, style] = /<style>(.*?)<\/style>/s.exec(page) ?? []
    const [, script] = /<script>(.*?)<\/script>/s.exec(page) ?? []
    expect(policy).toContain(`style-src 'self' ${hashOf(style)};`)
    expect(policy).toContain(`script-src 'self' ${hashOf(script)} 'wasm-unsafe-eval';`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-inline')
    expect(page).not.toMatch(/ style=| on[a-z]+=/)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('permissions-policy')).toContain('camera=(self)')
  })

  it.each(['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<!--<script>'])(
    'shows %s only as text',
    async (hostile) => {
      for (const query of [
        { r: hostile },
        { r: restaurantId, t: hostile },
        { r: restaurantId, t: '1', k: hostile },
      ]) {
        const page = await html(app.browser(), query)
        expect(page).not.toContain(hostile)
        expect(page.match(/<script/g)).toHaveLength(3)
        const [, data = ''] = /id="page">(.*?)<\/script>/s.exec(page) ?? []
        expect(Object.values(JSON.parse(data).given)).toContain(hostile)
      }
    },
  )

  it('is the same in every compression format', async () => {
    const opened = async (encoding: string) => {
      const response = await app.browser().fetch('/customer', { headers: { 'accept-encoding': encoding } })
      return { encoding: response.headers.get('content-encoding'), text: await response.text() }
    }
    const plain = (text: string) => text.replace(/"formId":.*?}/, '')
    const [br, gzip, none] = [
      await opened('gzip, deflate, br'),
      await opened('gzip'),
      await opened('identity'),
    ]
    expect([br, gzip, none].map(({ encoding }) => encoding)).toEqual(['br', 'gzip', null])
    expect([br, gzip].map(({ text }) => plain(text))).toEqual([plain(none.text), plain(none.text)])
  })

  it('explains why a link leads nowhere', async () => {
    expect(await html(app.browser(), { r: 'Nowhere', t: '1' })).toContain('>Restaurant not found<')
    const problem = "We couldn't find table 99. Please check the number on your table."
    const page = await html(app.browser(), { r: restaurantId, t: '99' })
    expect(page.replaceAll('&#39;', "'")).toContain(problem)
    expect(await html(app.browser(), { r: restaurantId, t: 'x'.repeat(60) })).toContain(
      'at most 40 characters',
    )
  })

  it('shows nothing as sent that is not stored', async () => {
    const query = { r: restaurantId, t: freshTable() }
    expect(await html(app.browser(), { ...query, sent: 'made-up' })).not.toContain('Request Sent!')
  })
})

describe('a plain form', () => {
  it('sends a request, which the next page confirms', async () => {
    const [browser, t] = [app.browser(), freshTable()]
    await html(browser, { r: restaurantId, t })
    const answer = await post(browser, {
      r: restaurantId,
      t,
      id: 'page-1',
      serviceType: 'drinks',
      action: 'ask',
    })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(pathOf({ r: restaurantId, t, sent: 'page-1-drinks' }))
    const confirmed = await browser.fetch(answer.headers.get('location') ?? '')
    expect(await confirmed.text()).toContain('Request Sent!')
    expect(await requestsOf(t)).toMatchObject([{ id: 'page-1-drinks', serviceType: 'drinks', asks: 1 }])
  })

  it('counts once however often it is sent, and each of its buttons separately', async () => {
    const [browser, t] = [app.browser(), freshTable()]
    const fields = { r: restaurantId, t, id: 'page-2', action: 'ask' }
    for (const serviceType of ['drinks', 'drinks', 'check', 'drinks'])
      await post(browser, { ...fields, serviceType })
    expect(await requestsOf(t)).toMatchObject([
      { serviceType: 'drinks', asks: 1 },
      { serviceType: 'check', asks: 1 },
    ])
  })

  it('is accepted only from our own page', async () => {
    const t = freshTable()
    const fields = { r: restaurantId, t, serviceType: 'drinks', action: 'ask' }
    const send = async (headers: Record<string, string>) =>
      (await post(app.browser(), fields, headers)).status
    expect(await send({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).toBe(403)
    expect(await send({ 'sec-fetch-site': 'cross-site', origin: 'null' })).toBe(403)
    expect(await send({ origin: 'https://evil.example' })).toBe(403)
    expect(await requestsOf(t)).toEqual([])
    // Browsers send this from a page without a referrer.
    expect(await send({ origin: 'null' })).toBe(303)
    expect(await requestsOf(t)).toHaveLength(1)
  })

  it('is refused with a message and the matching status', async () => {
    const [browser, t] = [app.browser(), freshTable()]
    await post(browser, { r: restaurantId, t, id: 'page-3', serviceType: 'check', action: 'ask' })
    const other = app.browser()
    const fields = { r: restaurantId, t, id: 'page-3-check' }
    const refused = await post(other, { ...fields, action: 'cancel' })
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('Only the device that asked can do that'),
    ])
    app.advance(targetResponseMs.check)
    expect((await post(browser, { ...fields, action: 'still-waiting' })).status).toBe(303)
    expect((await post(browser, { ...fields, action: 'cancel' })).status).toBe(303)
    expect(await requestsOf(t)).toEqual([])
    const unknown = await post(browser, { r: restaurantId, t: '99', serviceType: 'check', action: 'ask' })
    expect([unknown.status, (await unknown.text()).replaceAll('&#39;', "'")]).toEqual([
      404,
      expect.stringContaining("We couldn't find table 99."),
    ])
  })

  it('is the only form that can be posted, and is limited in size', async () => {
    const form = { method: 'POST', body: new URLSearchParams({ restaurantId, tableNumber: '1' }) }
    expect((await app.browser().fetch(api.requests.send.path, form)).status).toBe(415)
    const large = await post(app.browser(), { r: restaurantId, t: 'x'.repeat(10_000) })
    expect(large.status).toBe(413)
  })

  it('starts a new visit after the last one is over', async () => {
    const [browser, t] = [app.browser(), freshTable()]
    const query = { r: restaurantId, t }
    await html(browser, query)
    app.advance(10_800_001)
    expect(await html(browser, query)).toContain('Session Expired')
    const ask = await post(browser, { ...query, serviceType: 'drinks', action: 'ask' })
    expect([ask.status, await ask.text()]).toEqual([410, expect.stringContaining('Session Expired')])
    expect((await post(browser, { ...query, action: 'reset' })).status).toBe(303)
    expect(await html(browser, query)).toContain('What do you need?')
  })
})
