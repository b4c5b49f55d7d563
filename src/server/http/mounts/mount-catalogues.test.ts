import { expect, it } from 'vitest'
import { setUpApp } from '../../../../test/support/app.ts'

const app = setUpApp()

async function findCatalogue(language: string): Promise<string> {
  const page = await (await app.browser().fetch('/waiter', { headers: { accept: 'text/html' } })).text()
  const [, languages = ''] = /data-languages="([^"]*)"/u.exec(page) ?? []
  return JSON.parse(languages.replaceAll('&quot;', '"').replaceAll('&#39;', "'"))[language].url
}

it('gives everybody the catalogue that the page names, to be kept for ever', async () => {
  const url = await findCatalogue('de')
  const response = await app.browser().fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect((await response.json()).texts['On my way']).toBe('Bin unterwegs')
})

it('compresses a catalogue for browsers that accept it', async () => {
  const url = await findCatalogue('ar')
  const load = async (encoding: string) => {
    const response = await app.browser().fetch(url, { headers: { 'accept-encoding': encoding } })
    return { encoding: response.headers.get('content-encoding'), text: await response.text() }
  }
  const [small, plain] = [await load('br, gzip'), await load('identity')]
  expect([small.encoding, plain.encoding]).toEqual(['br', null])
  expect(small.text).toBe(plain.text)
})

it('the server has no other catalogue', async () => {
  expect((await app.browser().fetch('/catalogues/de.json')).status).toBe(404)
  expect((await app.browser().fetch('/catalogues/..%2f..%2fpackage.json')).status).toBe(404)
})
