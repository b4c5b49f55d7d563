import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { readShortCode } from '#contract/guests/short-links.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { smallPng } from '../../../../test/support/reading/qr-reader.ts'
import { uniqueAddress } from '../../../../test/support/restaurants/logins.ts'

const app = setUpApp({ billing: false, trustProxy: ['loopback'] })

const shortLinks = async (owner: TestBrowser): Promise<string[]> =>
  (await owner.ok(api.qr.sheet, {})).cards.map(({ shortLink }) => new URL(shortLink).pathname)

const open = (path: string, guest = app.browser()) =>
  guest.fetch(path, { headers: { accept: 'text/html' }, redirect: 'manual' })

const statusOf = async (path: string): Promise<number> => (await open(path)).status

const targetOf = async (path: string): Promise<URL> => {
  const { status, headers } = await open(path)
  expect(status).toBe(303)
  return new URL(headers.get('location') ?? '', 'http://here.example')
}

async function tableId(owner: TestBrowser, tableNumber: string): Promise<string> {
  const tables = await owner.ok(api.floor.tables, {})
  return tables.find((table) => table.tableNumber === tableNumber)?.id ?? ''
}

describe('the short link of a table', () => {
  it('leads where its code leads, however it is typed', async () => {
    const { owner } = await app.restaurant({ tables: ['1', 'Patio 3'] })
    const { cards } = await owner.ok(api.qr.sheet, {})
    const [link = '', other = ''] = await shortLinks(owner)
    expect(link).toMatch(/^\/t\/[2-9AC-HJKMNPQRTWXY]{4}-[2-9AC-HJKMNPQRTWXY]{4}$/u)
    expect(other).not.toBe(link)
    const code = link.slice(3)
    const inCode = new URL(cards[0]?.link ?? '').searchParams.toString()
    for (const typed of [code, code.toLowerCase(), code.replace('-', ''), ` ${code.replace('-', ' – ')}`]) {
      const path = `/t/${encodeURIComponent(typed)}`
      expect([typed, (await targetOf(path)).searchParams.toString()]).toEqual([typed, inCode])
    }
    expect((await targetOf(`/T/${code}`)).searchParams.toString()).toBe(inCode)
  })

  it('proves the table as its code does', async () => {
    const { owner, name } = await app.restaurant({ tables: ['1', 'Patio 3'] })
    const [, link = ''] = await shortLinks(owner)
    const { pathname, search, searchParams } = await targetOf(link)
    const guest = app.browser()
    expect((await open(pathname + search, guest)).status).toBe(200)
    const { r, t = '', k } = Object.fromEntries(searchParams)
    const body = { restaurantId: r, tableNumber: t, serviceType: 'check' as const, k }
    const { request } = await guest.ok(api.requests.send, { body })
    expect([r, request.tableNumber, request.verified]).toEqual([name, 'Patio 3', true])
  })

  it('is read without its proof by nobody else: the answer is kept nowhere', async () => {
    const { owner } = await app.restaurant({ tables: ['1'] })
    const [link = ''] = await shortLinks(owner)
    const { headers } = await open(link)
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ])
  })

  it('stays the same, whoever prints the cards at the same time', async () => {
    const { owner } = await app.restaurant({ tables: ['1', '2', '3'] })
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => shortLinks(owner)))
    expect(new Set(first).size).toBe(3)
    for (const links of others) expect(links).toEqual(first)
    await owner.ok(api.floor.addTable, { body: { tableNumber: '4' } })
    expect((await shortLinks(owner)).slice(0, 3)).toEqual(first)
  })

  it('rests while its table is deleted, and leads nowhere else', async () => {
    const { owner } = await app.restaurant({ tables: ['1', '2'] })
    const links = await shortLinks(owner)
    const id = await tableId(owner, '1')
    await owner.ok(api.floor.removeTable, { params: { id }, query: { confirm: 'true' } })
    expect(await statusOf(links[0] ?? '')).toBe(400)
    await owner.ok(api.floor.addTable, { body: { tableNumber: '1' } })
    expect(await statusOf(links[0] ?? '')).toBe(400)
    expect(await shortLinks(owner)).toEqual([expect.any(String), links[1]])
    expect(await shortLinks(owner)).not.toContain(links[0])
    await owner.ok(api.floor.restoreTable, { params: { id }, body: { tableNumber: '1 again' } })
    expect((await targetOf(links[0] ?? '')).searchParams.get('t')).toBe('1 again')
    expect(await shortLinks(owner)).toContain(links[0])
  })

  it('is revoked for one table, whose code stays valid', async () => {
    const { owner, name } = await app.restaurant({ tables: ['1', '2'] })
    const { cards } = await owner.ok(api.qr.sheet, {})
    const [first = '', second = ''] = await shortLinks(owner)
    const params = { id: await tableId(owner, '1') }
    await owner.ok(api.qr.revokeShortLink, { params })
    await owner.ok(api.qr.revokeShortLink, { params })
    expect([await statusOf(first), await statusOf(second)]).toEqual([400, 303])
    const [renewed = '', same] = await shortLinks(owner)
    expect([renewed === first, same]).toEqual([false, second])
    const k = (await targetOf(renewed)).searchParams.get('k')
    expect(k).toBe(new URL(cards[0]?.link ?? '').searchParams.get('k'))
    const { entries } = await owner.ok(api.audit.list, { query: {} })
    const revoked = entries.filter(({ action }) => action === 'qr.revokeShortLink')
    expect(revoked.map(({ detail }) => detail)).toEqual([{ tableNumber: '1' }])
    const rival = await app.restaurant({ tables: ['1'] })
    expect((await rival.owner.call(api.qr.revokeShortLink, { params })).status).toBe(404)
    expect(await statusOf(renewed)).toBe(303)
    expect(name).not.toBe(rival.name)
  })

  it('is revoked with the codes, and only those of the own restaurant', async () => {
    const { owner, name } = await app.restaurant({ tables: ['1', '2'] })
    const rival = await app.restaurant({ tables: ['1'] })
    const [foreign = ''] = await shortLinks(rival.owner)
    await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
    const links = await shortLinks(owner)
    await owner.ok(api.qr.remove, {})
    for (const link of links) expect(await statusOf(link)).toBe(400)
    const renewed = await shortLinks(owner)
    expect(renewed.filter((link) => links.includes(link))).toEqual([])
    expect((await targetOf(renewed[0] ?? '')).searchParams.get('k')).toMatch(/^2\./u)
    expect(await statusOf(foreign)).toBe(303)
  })

  it('is forgotten with a table that is gone for good', async () => {
    const { owner } = await app.restaurant({ tables: ['1', '2'] })
    const links = await shortLinks(owner)
    const id = await tableId(owner, '1')
    await owner.ok(api.floor.removeTable, { params: { id }, query: { confirm: 'true' } })
    await app.ctx.db.transact((db) => db.deleteFrom('deletedItem').where('id', '=', id).execute())
    expect(await shortLinks(owner)).toEqual(links.slice(1))
    const left = await app.ctx.db.reader
      .selectFrom('shortLink')
      .select('code')
      .where('tableId', '=', id)
      .execute()
    expect(left).toEqual([])
  })
})

describe('a short link that does not exist', () => {
  it.each([
    '/t/AAAA-AAAA',
    '/t/1',
    '/t/K7QF-M2XW-K7QF',
    `/t/${'A'.repeat(90)}`,
    '/t/%00',
    '/t/%F0%9F%8D%95',
    "/t/'%20or%201=1--",
    '/t/..%2F..%2Fetc',
    '/t/%3Cscript%3E',
  ])('is explained: %s', async (path) => {
    const answer = await open(path)
    expect(answer.status).toBe(400)
    const html = await answer.text()
    expect(html).toContain('Please check what you typed.')
    expect(html).not.toContain('<script>%3C')
    await app.ctx.limits.clear('guest-link-miss', '127.0.0.1')
  })

  it('cannot be found by guessing, not even by many at once, while other addresses are served', async () => {
    const { owner } = await app.restaurant({ tables: ['1'] })
    const [link = ''] = await shortLinks(owner)
    const guesser = uniqueAddress()
    const openFrom = (address: string, path: string) =>
      app.browser().fetch(path, {
        headers: { accept: 'text/html', 'x-forwarded-for': address },
        redirect: 'manual',
      })
    const guesses = await Promise.all(Array.from({ length: 100 }, () => openFrom(guesser, '/t/AAAA-AAAA')))
    const statuses = guesses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(40)
    const refused = await openFrom(guesser, link)
    expect([refused.status, refused.headers.get('location')]).toEqual([429, null])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.text()).toContain('Please scan the code on your table, or try again in 10 minutes.')
    const guest = uniqueAddress()
    expect((await openFrom(guest, link)).status).toBe(303)
    expect((await openFrom(guest, '/t/AAAA-AAAA')).status).toBe(400)
    app.advance(10 * 60_000)
    expect((await openFrom(guesser, link)).status).toBe(303)
  })
})

it.each([
  ['k7qf-m2xw', 'K7QFM2XW'],
  [' K7Q F M 2 X W', 'K7QFM2XW'],
  ['K7QF–M2XW', 'K7QFM2XW'],
  ['K7QF_M2XW.', 'K7QFM2XW'],
  ['KSQF-MZBW', 'K5QFM28W'],
  ['K7QF-M2X', null],
  ['K7QF-M2XW9', null],
  ['K0QF-M2XW', null],
  ['', null],
])('reads %j as %s', (typed, code) => {
  expect(readShortCode(typed)).toBe(code)
})
