import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { targetResponseMs } from '#contract/requests/requests.ts'
import { setUpApp, startTestApp, type TestBrowser } from '../../../../test/support/app.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'

const app = setUpApp({ guestLimits: false })
let restaurantId: string
let tables = 0

beforeAll(async () => {
  const names = Array.from({ length: 20 }, (_, index) => String(index + 1))
  restaurantId = (await app.restaurant({ name: 'Blue & Door', tables: names })).name
})

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
    expect(page).toContain('<meta name="description" content="Blue &amp; Door · Table 1">')
    for (const name of ['Call Waiter', 'Drinks', 'Food Order', 'Check/Bill', 'Assistance', 'Other']) {
      expect(page).toMatch(
        new RegExp(`<button [^>]*name="serviceType"[^>]*>(<svg.*?</svg>)?${name}</button>`),
      )
    }
  })

  it.each(['the six', 'own needs'])(
    'has a policy that allows exactly what it contains: %s',
    async (needs) => {
      const { name, owner } = await app.restaurant({ tables: ['1'] })
      if (needs === 'own needs')
        await owner.ok(api.needs.set, { body: { needs: [{ id: 'general', name: { en: 'Wave' } }] } })
      const response = await app.browser().fetch(pathOf({ r: name, t: '1' }))
      const page = await response.text()
      const policy = response.headers.get('content-security-policy') ?? ''
      const hashOf = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
      const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => hashOf(style))
      expect(styles).toHaveLength(needs === 'own needs' ? 2 : 1)
      const [, script] = /<script>(.*?)<\/script>/s.exec(page) ?? []
      expect(policy).toContain(`style-src 'self' ${styles.join(' ')};`)
      expect(policy).toContain(`script-src 'self' ${hashOf(script)} 'wasm-unsafe-eval';`)
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('unsafe-inline')
      expect(page).not.toMatch(/ style=| on[a-z]+=/)
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('permissions-policy')).toContain('camera=(self)')
    },
  )

  it.each(['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<!--<script>'])(
    'shows %s only as text',
    async (malicious) => {
      const pages: [Record<string, string>, number][] = [
        [{ r: malicious }, 4],
        [{ r: restaurantId, t: malicious }, 4],
        [{ r: restaurantId, t: '1', k: malicious }, 3],
      ]
      for (const [query, scripts] of pages) {
        const page = await html(app.browser(), query)
        expect(page).not.toContain(malicious)
        expect(page.match(/<script/g)).toHaveLength(scripts)
        const [, data = ''] = /id="page">(.*?)<\/script>/s.exec(page) ?? []
        expect(Object.values(JSON.parse(data).given)).toContain(malicious)
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
    const page = await html(app.browser(), { ...query, sent: 'made-up' })
    const [before, inTemplate] = page.split('<template id="confirmation"')
    expect(before).toContain('What do you need?')
    expect(before).not.toContain('class="sent"')
    // For a tap that this page stores before its script has come.
    expect(inTemplate).toContain('class="sent"')
  })
})

describe('the page that a device keeps', () => {
  const dataOf = (page: string) => JSON.parse(/id="page">(.*?)<\/script>/s.exec(page)?.[1] ?? 'null')

  it('names the table and says nothing that changes', async () => {
    const [browser, table] = [app.browser(), freshTable()]
    await browser.ok(api.requests.send, { body: { restaurantId, tableNumber: table, serviceType: 'drinks' } })
    expect(dataOf(await html(browser, { r: restaurantId, t: table })).requests).toHaveLength(1)
    const page = await html(browser, { r: restaurantId, t: table, kept: 'en' })
    const known = { restaurantName: restaurantId, tableNumber: table, requests: [], mine: [], kept: 0 }
    expect(dataOf(page)).toMatchObject({ ...known, listening: true, barrier: null, expired: false })
    expect(page).toContain('Checking with the restaurant…')
    expect(page).not.toContain('class="offline"')
    expect(page).not.toContain('<noscript>')
  })

  it('does not exist where guests cannot ask', async () => {
    const expired = app.browser()
    await html(expired, { r: restaurantId, t: freshTable() })
    for (const query of [{ r: restaurantId }, { r: 'Nowhere', t: '1' }, { r: restaurantId, t: '99' }]) {
      const response = await expired.fetch(pathOf({ ...query, kept: 'en' }))
      expect([response.status, await response.text()]).toEqual([404, ''])
    }
  })

  it('is gone, with the worker, where the operator wants none', async () => {
    const without = await startTestApp({ guestWorker: false })
    onTestFinished(() => without.stop())
    const statusOf = async (path: string) => (await without.browser().fetch(path)).status
    expect(await statusOf('/guest-worker.js')).toBe(410)
    expect(await statusOf('/customer?r=default&t=1&kept=en')).toBe(410)
    expect(await statusOf('/customer?r=default&t=1')).toBe(200)
    expect((await app.browser().fetch('/guest-worker.js')).status).toBe(200)
  })
})

/** Valid, but not for `Intl`. */
const longTag = `de-${Array.from({ length: 60 }, (_, index) => `v${10_000 + index}`).join('-')}`

describe('the language of the guest page', () => {
  const open = async (browser: TestBrowser, accepted: string, query: Record<string, string> = {}) => {
    const init = { headers: { 'accept-language': accepted } }
    const first = await browser.fetch(pathOf({ r: restaurantId, t: '1', ...query }), init)
    const location = first.headers.get('location')
    const response = location === null ? first : await browser.fetch(location, init)
    const page = await response.text()
    const [, root = ''] = /<html ([^>]*)>/.exec(page) ?? []
    return { root, page: page.replaceAll('&#39;', "'"), vary: response.headers.get('vary') }
  }
  const rootOf = async (accepted: string) => (await open(app.browser(), accepted)).root

  it('is the first of the browser’s that is there', async () => {
    const arabic = await open(app.browser(), 'ar-EG,en;q=0.5')
    expect(arabic).toMatchObject({
      root: 'lang="ar" dir="rtl"',
      vary: expect.stringContaining('accept-language'),
    })
    expect(arabic.page).toContain('<title>Blue &amp; Door · طاولة \u20681\u2069</title>')
    expect(await rootOf('en;q=0.3, sv, ja;q=0.9')).toBe('lang="ja"')
    expect(await rootOf('zh-CN')).toBe('lang="zh-Hans"')
    expect(await rootOf('iw')).toBe('lang="he" dir="rtl"')
  })

  it.each(['', '*', 'sv', 'de;q=0', 'de"><script>', '-'.repeat(500), 'x,'.repeat(2_000), '../en', longTag])(
    'is English for %s',
    async (accepted) => {
      const { root, page } = await open(app.browser(), accepted)
      expect(root).toBe('lang="en"')
      expect(page).toContain('"packed":[""]')
    },
  )

  it('is what the guest chose, from then on', async () => {
    const browser = app.browser()
    expect((await open(browser, 'de')).page).toContain('Was brauchen Sie?')
    expect((await open(browser, 'de', { lang: 'fr' })).page).toContain('De quoi avez-vous besoin ?')
    expect((await open(browser, 'de')).root).toBe('lang="fr"')
    expect((await open(browser, 'de', { lang: 'xx' })).root).toBe('lang="fr"')
    expect((await open(browser, 'de', { lang: 'en' })).root).toBe('lang="en"')
    expect((await open(browser, 'de')).root).toBe('lang="en"')
  })

  it('is not in the address of a browser that keeps the choice, so that nobody shares it', async () => {
    const browser = app.browser()
    await open(browser, 'de')
    const chosen = await browser.fetch(pathOf({ r: restaurantId, t: '1', k: 'x', manual: '1', lang: 'fr' }))
    expect([chosen.status, chosen.headers.get('location')]).toEqual([
      303,
      pathOf({ r: restaurantId, t: '1', k: 'x', manual: '1' }),
    ])
  })

  it('stays in every address without cookies', async () => {
    const [t, german] = [freshTable(), { 'accept-language': 'de' }]
    const page = await app.browser().fetch(pathOf({ r: restaurantId, t, lang: 'fr' }), { headers: german })
    expect(page.status).toBe(200)
    expect(await page.text()).toMatch(/content="20;url=[^"]*&amp;lang=fr"/)
    const sent = await post(app.browser(), { r: restaurantId, t, serviceType: 'food', lang: 'fr' }, german)
    expect(sent.headers.get('location')).toContain('&lang=fr&sent=')
    const unknown = await post(app.browser(), { r: restaurantId, t, serviceType: 'food', lang: 'xx' }, german)
    expect(unknown.headers.get('location')).not.toContain('lang')
  })

  it('is not taken from a cookie that names no known language', async () => {
    const browser = app.browser()
    await open(browser, 'de', { lang: 'fr' })
    const [name] = [...browser.cookies].find(([, value]) => value === 'fr') ?? []
    browser.cookies.set(name ?? '', longTag)
    expect((await open(browser, 'de')).root).toBe('lang="de"')
  })

  it('is used to answer a plain form, while the message of a call stays English', async () => {
    const [browser, t] = [app.browser(), freshTable()]
    await post(browser, { r: restaurantId, t, id: 'page-4', serviceType: 'check', action: 'ask' })
    const german = { 'accept-language': 'de' }
    const refused = await post(
      app.browser(),
      { r: restaurantId, t, id: 'page-4-check', action: 'cancel' },
      german,
    )
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('Das kann nur das Gerät, das gefragt hat'),
    ])
    const unknown = await open(app.browser(), 'de', { t: '99' })
    expect(unknown.page).toContain('Tisch 99 gibt es hier nicht. Bitte prüfen Sie die Nummer an Ihrem Tisch.')
    const query = new URLSearchParams({ restaurantId, tableNumber: '99' }).toString()
    const call = await app.browser().fetch(`${api.requests.mine.path}?${query}`, { headers: german })
    expect(await call.json()).toEqual({
      code: 'not_found',
      message: "We couldn't find table 99. Please check the number on your table.",
      params: { table: '99' },
    })
  })

  it('may be one that the installation adds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalogues-'))
    mkdirSync(join(folder, 'guest'))
    const texts = { 'What do you need?': 'Kion vi bezonas?' }
    const catalogue = { language: 'eo', name: 'Esperanto', reviewed: true, texts }
    writeFileSync(join(folder, 'guest/eo.json'), JSON.stringify(catalogue))
    const other = await startTestApp({ catalogues: folder })
    onTestFinished(async () => {
      await other.stop()
      rmSync(folder, { recursive: true })
    })
    const { name } = await other.restaurant({ tables: ['1'] })
    const path = pathOf({ r: name, t: '1' })
    const page = await other.browser().fetch(path, { headers: { 'accept-language': 'eo' } })
    expect(await page.text()).toMatch(/<html lang="eo">.*>Kion vi bezonas\?<.*>Drinks</su)
    // Owners name their own needs in it, too.
    const staff = await other.browser().fetch('/admin-dashboard', { headers: { accept: 'text/html' } })
    expect(await staff.text()).toMatch(/ data-guest-languages="[^"]*\beo\b/u)
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
    expect(await confirmed.text()).toMatch(/<h1[^>]*>Sent<\/h1>/u)
    expect(await requestsOf(t)).toMatchObject([{ id: 'page-1-drinks', serviceType: 'drinks', asks: 1 }])
  })

  it('promises a waiter only while somebody listens; otherwise what to do stands first', async () => {
    const { name, device } = await app.restaurant({ tables: ['1'] })
    const [browser, place] = [app.browser(), { r: name, t: '1' }]
    await html(browser, place)
    await post(browser, { ...place, id: 'page', serviceType: 'drinks', action: 'ask' })
    const confirmed = () => html(browser, { ...place, sent: 'page-drinks' })
    const promise = 'Your waiter will be with you shortly'
    const alone = await confirmed()
    expect(alone).toMatch(/The staff screen is offline right now\..*<h1[^>]*>Sent<\/h1>/su)
    expect(alone).not.toContain(promise)
    await connectScreen(device)
    await expect.poll(confirmed).toMatch(/<h1[^>]*>Request Sent!<\/h1>/u)
    const heard = await confirmed()
    expect(heard).toContain(promise)
    expect(heard).not.toContain('The staff screen is offline')
  })

  it('says in place of a promise that the crew cannot see all of a note, in the page’s language', async () => {
    const { name, owner, device } = await app.restaurant({ tables: ['1'] })
    await connectScreen(device)
    const fields = { r: name, t: '1', id: 'page', serviceType: 'other', action: 'ask', note: 'No nuts' }
    const setNote = (note: boolean) => owner.ok(api.needs.set, { body: { needs: [{ id: 'other', note }] } })
    const browser = app.browser()
    await setNote(true)
    expect((await post(browser, fields)).status).toBe(303)
    await setNote(false)
    const noticeIn = async (answer: Response) =>
      /<div role="alert" class="notice"><p>(.*?)<\/p>.*<h1[^>]*>(.*?)<\/h1>.*<template/su
        .exec(await answer.text())
        ?.slice(1)
    for (const times of [1, 2]) {
      const answer = await post(browser, { ...fields, id: 'next', note: 'No milk' })
      expect([times, answer.status]).toEqual([times, 200])
      expect(await noticeIn(answer)).toEqual([
        'Sent, but the crew cannot see all of your note. Please wave to your waiter.',
        'What do you need?',
      ])
    }
    const german = await post(browser, { ...fields, id: 'third', note: 'No eggs', lang: 'de' })
    expect(await noticeIn(german)).toEqual([
      'Gesendet, aber das Team sieht Ihre Notiz nicht vollständig. Bitte winken Sie Ihrer Bedienung.',
      'Was brauchen Sie?',
    ])
    const { requests } = await browser.ok(api.requests.mine, {
      query: { restaurantId: name, tableNumber: '1' },
    })
    expect(requests).toMatchObject([{ serviceType: 'other', asks: 3 }])
  })

  it('counts once however often it is sent, and each of its buttons separately', async () => {
    const [browser, t] = [app.browser(), freshTable()]
    const fields = { r: restaurantId, t, id: 'page-2', action: 'ask' }
    for (const serviceType of ['drinks', 'drinks', 'check', 'drinks']) {
      await post(browser, { ...fields, serviceType })
      app.advance(1)
    }
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
