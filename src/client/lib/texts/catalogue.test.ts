// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findLanguage } from '#contract/texts/languages.ts'
import { chooseLanguage, loadCatalogue, loadKeptCatalogue } from './catalogue.ts'
import { setCatalogue, t } from './translate.ts'

const known = ['en', 'ar', 'de', 'pt', 'zh-Hans']

it.each([
  [['de-AT', 'en'], 'de'],
  [['en-GB', 'de'], 'en'],
  [['sv', 'de'], 'de'],
  [['pt-BR'], 'pt'],
  [['zh-CN'], 'zh-Hans'],
  [['zh-SG', 'de'], 'zh-Hans'],
  [['zh-TW', 'de'], 'de'],
  [['ar-EG'], 'ar'],
  [['sv'], 'en'],
  [[], 'en'],
])('for a device that wants %j, takes %s', (wanted, language) => {
  expect(findLanguage(wanted, known)).toBe(language)
})

it('looks at each language once, however many there are', () => {
  findLanguage(['sv'], known)
  const looks = vi.spyOn(Intl.Locale.prototype, 'maximize')
  expect(findLanguage(['sv', 'fi', 'da', 'nb'], known)).toBe('en')
  expect(looks).toHaveBeenCalledTimes(4)
  looks.mockRestore()
})

const url = '/catalogues/de-2.json'
const earlierUrl = '/catalogues/de-1.json'
const catalogueOf = (done: string, language = 'de'): string =>
  JSON.stringify({ language, texts: { Done: done } })

/** One cache, by addresses in the order in which they were put. */
const kept = new Map<string, string>()
const cache = {
  match: async (key: string) => responseOf(kept.get(key)),
  matchAll: async () => [...kept.values()].map(responseOf),
  keys: async () => [...kept.keys()].map((key) => ({ url: new URL(key, location.href).href })),
  put: async (key: string, response: Response) => void kept.set(key, await response.text()),
  delete: async (request: { url: string }) => kept.delete(new URL(request.url).pathname),
}
const responseOf = (body: string | undefined): Response | undefined =>
  body === undefined ? undefined : new Response(body)
const caches = {
  open: async () => cache,
  has: async () => kept.size > 0,
  delete: async () => kept.clear(),
}
const refused = async (): Promise<never> => {
  throw new DOMException('The operation is insecure.', 'SecurityError')
}
const root = document.documentElement

beforeEach(() => {
  kept.clear()
  localStorage.clear()
  root.dataset['languages'] = JSON.stringify({ de: { name: 'Deutsch', url } })
  vi.stubGlobal('caches', caches)
  vi.stubGlobal('navigator', { languages: ['de-DE'] })
  vi.stubGlobal('fetch', async () => new Response(catalogueOf('Erledigt')))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  setCatalogue('en', new Map())
  for (const name of ['lang', 'dir', 'data-languages', 'data-portal-languages', 'data-kept'])
    root.removeAttribute(name)
})

describe('a page in another language', () => {
  it('keeps only its catalogue', async () => {
    kept.set(earlierUrl, catalogueOf('Fertig', 'fr'))
    await loadCatalogue('staff')
    expect([root.lang, root.dir, t('Done')]).toEqual(['de', 'ltr', 'Erledigt'])
    expect([...kept]).toEqual([[url, catalogueOf('Erledigt')]])
  })

  it.each([
    ['refuses storage', { open: refused, has: refused, delete: refused }],
    ['is out of space', { ...caches, open: async () => ({ ...cache, put: refused }) }],
  ])('opens in it where the browser %s', async (_, broken) => {
    vi.stubGlobal('caches', broken)
    await loadCatalogue('staff')
    expect([root.lang, t('Done')]).toEqual(['de', 'Erledigt'])
  })

  it('loses no earlier catalogue to a full device', async () => {
    kept.set(earlierUrl, catalogueOf('Fertig'))
    vi.stubGlobal('caches', { ...caches, open: async () => ({ ...cache, put: refused }) })
    await loadCatalogue('staff')
    expect((await loadKeptCatalogue('staff'))?.texts).toEqual({ Done: 'Fertig' })
  })
})

describe('a portal', () => {
  const portalUrl = '/catalogues/portals/de-2.json'

  it('has a catalogue of its own', async () => {
    root.dataset['portalLanguages'] = JSON.stringify({ de: { name: 'Deutsch', url: portalUrl } })
    const fetched = vi.fn(async () => new Response(catalogueOf('Fertig')))
    vi.stubGlobal('fetch', fetched)
    await loadCatalogue('portals')
    expect(fetched).toHaveBeenCalledWith(portalUrl, expect.anything())
    expect([root.lang, t('Done')]).toEqual(['de', 'Fertig'])
  })

  it('is English in a language that only the crew’s screens have', async () => {
    root.dataset['portalLanguages'] = '{}'
    await loadCatalogue('portals')
    expect([root.lang, t('Done')]).toEqual(['', 'Done'])
  })
})

describe('with an earlier version of its catalogue, a page', () => {
  const startLoading = () => {
    const answer = Promise.withResolvers<Response>()
    vi.stubGlobal('fetch', () => answer.promise)
    vi.useFakeTimers()
    kept.set(earlierUrl, catalogueOf('Fertig'))
    return { loading: loadCatalogue('staff'), answer }
  }

  it('opens with the newer one if it comes at once', async () => {
    const { loading, answer } = startLoading()
    answer.resolve(new Response(catalogueOf('Erledigt')))
    await loading
    expect(t('Done')).toBe('Erledigt')
  })

  it('waits for a second, and has the newer one the next time', async () => {
    const { loading, answer } = startLoading()
    await vi.advanceTimersByTimeAsync(999)
    expect(root.lang).toBe('')
    await vi.advanceTimersByTimeAsync(1)
    await loading
    expect([root.lang, t('Done')]).toEqual(['de', 'Fertig'])
    answer.resolve(new Response(catalogueOf('Erledigt')))
    await expect.poll(() => [...kept.keys()]).toEqual([url])
  })

  it('does not wait when the service worker opened it', async () => {
    root.dataset['kept'] = ''
    const { loading } = startLoading()
    await loading
    expect(t('Done')).toBe('Fertig')
  })

  it('opens with it if the newer one cannot be loaded', async () => {
    const { loading, answer } = startLoading()
    answer.reject(new TypeError('Failed to fetch'))
    await loading
    expect(t('Done')).toBe('Fertig')
  })
})

describe('an English page', () => {
  beforeEach(() => kept.set(earlierUrl, catalogueOf('Terminé', 'fr')))

  it.each([
    ['is wanted', () => vi.stubGlobal('navigator', { languages: ['en-GB', 'de'] })],
    ['is all there is', () => delete root.dataset['languages']],
    ['is what is left without the network', () => vi.stubGlobal('fetch', refused)],
  ])('%s: notifications are English too', async (_, arrange) => {
    arrange()
    await loadCatalogue('staff')
    expect([root.lang, t('Done')]).toEqual(['', 'Done'])
    expect(await loadKeptCatalogue('staff')).toBeNull()
  })

  it('can be chosen where the browser refuses storage', async () => {
    vi.stubGlobal('caches', { open: refused, has: refused, delete: refused })
    await chooseLanguage('en')
    expect(localStorage.getItem('language')).toBe('en')
  })
})
