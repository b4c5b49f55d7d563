import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { readGuestCatalogues } from '../../src/server/adapters/catalogues.ts'
import { setUpApp } from '../support/app.ts'

const app = setUpApp({ guestLimits: false })
const catalogues = readGuestCatalogues(['catalogues/guest'])
const languages = [...catalogues.keys()]
let restaurantId: string
/** Of the one whose guests find all that a page can have texts for. */
let fullId: string

beforeAll(async () => {
  ;({ name: restaurantId } = await app.restaurant({ name: 'The Copper Pot', tables: languages }))
  const full = await app.restaurant({ tables: ['7'] })
  const allDay = [{ from: '00:00', to: '00:00' }]
  const menu = 'https://menu.example.com'
  const card = { menu, pay: 'https://pay.example.com', wifiName: 'Blue Door', wifiPassword: '' }
  await full.owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  await full.owner.ok(api.opening.setHours, { body: { hours: Array.from({ length: 7 }, () => allDay) } })
  await full.owner.ok(api.guestCard.set, { body: card })
  fullId = full.name
})

type Call = { method?: string; headers?: Record<string, string>; body?: string }

/** On a connection of its own, compressed as browsers get it; its bytes include the headers. */
async function load(path: string, { method = 'GET', headers = {}, body = '' }: Call = {}) {
  const sent = { origin: app.url, connection: 'keep-alive', 'accept-encoding': 'gzip, br', ...headers }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(new URL(path, app.url), { method, agent: false, headers: sent }, resolve)
      .on('error', reject)
      .end(body)
  })
  const { socket } = response
  const content = await buffer(response)
  socket.destroy()
  expect([200, 201]).toContain(response.statusCode)
  const isBrotli = response.headers['content-encoding'] === 'br'
  return {
    bytes: socket.bytesRead,
    text: (isBrotli ? brotliDecompressSync(content) : content).toString(),
    cookie: (response.headers['set-cookie'] ?? []).map((set) => set.split(';')[0]).join('; '),
  }
}

/** The fonts that a browser fetches for a text in the title's font. */
function fontsFor(text: string, css: string): string[] {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const isIn = (ranges: string[][]): boolean =>
    ranges.some(([, first = '', last = first]) =>
      points.some((point) => point >= Number.parseInt(first, 16) && point <= Number.parseInt(last, 16)),
    )
  return [...css.matchAll(/@font-face\{[^}]+\}/gu)].flatMap(([face]) => {
    const ranges = [...face.matchAll(/U\+([\dA-F]+)(?:-([\dA-F]+))?(?=[,;}])/giu)]
    const [, file] = /url\(([^)]+)\)/u.exec(face) ?? []
    return file !== undefined && (ranges.length === 0 || isIn(ranges)) ? [file] : []
  })
}

/** All that a page may say in the language, without what is in every language. */
const textsIn = (language: string): string =>
  JSON.stringify(catalogues.get(language)?.texts).replaceAll(/\p{ASCII}/gu, '')

it.each(languages)(
  'takes at most 50 kB of a guest who reads %s, and 14.6 kB before a tap',
  async (language) => {
    const table = { restaurantId, tableNumber: language }
    const address = new URLSearchParams({ r: restaurantId, t: language })
    const page = await load(`/customer?${address}`, { headers: { 'accept-language': language } })
    expect(page.text).toContain(`<html lang="${language}"`)
    expect(page.bytes).toBeLessThanOrEqual(14_600)

    const [, css = ''] = /<style>(.*?)<\/style>/su.exec(page.text) ?? []
    const fonts = fontsFor(textsIn(language), css)
    expect(fonts.length).toBeLessThanOrEqual(2)
    const scripts = [...page.text.matchAll(/<script type="module" src="([^"]+)"/gu)].map(
      ([, src = '']) => src,
    )
    expect(scripts).toHaveLength(1)
    const files = await Promise.all([...fonts, ...scripts].map((file) => load(file)))
    const [part = ''] = /keep-page-[\w-]+\.js/u.exec(files.at(-1)?.text ?? '') ?? []
    const { cookie } = page
    const asked = await load(api.requests.send.path, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ ...table, id: `first-visit-${language}`, serviceType: 'drinks' }),
    })
    const all = [page, ...files, await load(`/assets/${part}`), asked]
    expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(50_000)
  },
)

it.each(languages.filter((language) => language !== 'en'))(
  'sends at most 2 kB of texts to a guest who reads %s, also with a card and notes to the manager',
  async (language) => {
    const address = new URLSearchParams({ r: fullId, t: '7' })
    const page = await load(`/customer?${address}`, { headers: { 'accept-language': language } })
    const [, data = ''] = /id="page">(.*?)<\/script>/su.exec(page.text) ?? []
    const { card, notes, packed } = JSON.parse(data)
    expect(Object.keys(card)).toEqual(['menu', 'pay', 'wifi', 'hours'])
    expect(notes).toEqual([])
    const brotli = brotliCompressSync(JSON.stringify(packed), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6 },
    })
    expect(brotli.length).toBeLessThanOrEqual(2_000)
    expect(page.bytes).toBeLessThanOrEqual(14_600)
  },
)
