import type { Catalogue, Languages } from '#contract/texts/catalogue.ts'
import { findLanguage, isRightToLeft } from '#contract/texts/languages.ts'
import { getStored, setStored } from '../browser/browser-storage.ts'
import { catalogueCacheName, type CatalogueSet, catalogueSetOf, forgetCatalogue } from './language.ts'
import { createSentenceTranslation } from './sentences.ts'
import { setCatalogue } from './translate.ts'

type ServedCatalogue = Pick<Catalogue, 'language' | 'texts'>

const timeoutMs = 5_000
/** How long the page may stay blank for a newer version of a catalogue that is here. */
const newerVersionMs = 1_000

/** What this installation offers besides English. */
function offered(set: CatalogueSet): Languages {
  const { languages, portalLanguages } = document.documentElement.dataset
  return JSON.parse((set === 'staff' ? languages : portalLanguages) ?? '{}')
}

/** The languages of this page. */
export function listLanguages(): { tag: string; name: string }[] {
  const set = catalogueSetOf(location.pathname)
  const others = Object.entries(offered(set)).map(([tag, { name }]) => ({ tag, name }))
  return [{ tag: 'en', name: 'English' }, ...others].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** For this device; without a choice the browser's languages decide. */
export async function chooseLanguage(tag: string): Promise<void> {
  setStored('language', tag)
  if (tag === 'en') await Promise.all([forgetCatalogue('staff'), forgetCatalogue('portals')])
}

/** Before anything is rendered. If it fails, the page is English. */
export async function loadCatalogue(set: CatalogueSet): Promise<void> {
  const languages = offered(set)
  const stored = getStored('language')
  const wanted = [...(stored === null ? [] : [stored]), ...navigator.languages]
  const language = findLanguage(wanted, ['en', ...Object.keys(languages)])
  const url = languages[language]?.url
  const catalogue = url === undefined ? null : await findCatalogue(set, language, url).catch(() => null)
  if (!catalogue) return await forgetCatalogue(set)
  applyCatalogue(catalogue)
  document.documentElement.lang = language
  document.documentElement.dir = isRightToLeft(language) ? 'rtl' : 'ltr'
}

/**
 * For a crew's screen on which an owner reads something, too. False where that stays English: the portals are there in
 * fewer languages.
 */
export async function addPortalTexts(): Promise<boolean> {
  const { lang } = document.documentElement
  const url = offered('portals')[lang]?.url
  if (url === undefined) return false
  applyCatalogue(await findCatalogue('portals', lang, url))
  return true
}

export function applyCatalogue({ language, texts }: ServedCatalogue): void {
  const known = new Map(Object.entries(texts))
  setCatalogue(language, known, createSentenceTranslation(known))
}

/** An earlier version of it is better than another language, or than a blank screen. */
async function findCatalogue(set: CatalogueSet, language: string, url: string): Promise<ServedCatalogue> {
  const cache = await openCache(set)
  const kept = await cache?.match(url).catch(() => undefined)
  if (kept) return await readCatalogue(kept)
  // If it comes too late, it is there the next time.
  const newest = fetchCatalogue(url, cache)
  const inTime = newest.catch(() => null)
  const earlier = await loadKeptCatalogue(set).catch(() => null)
  if (earlier?.language !== language) return await newest
  if (isKeptPage()) return earlier
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), newerVersionMs))
  return (await Promise.race([inTime, late])) ?? earlier
}

/** Opened by the service worker because the server did not answer. */
const isKeptPage = (): boolean => 'kept' in document.documentElement.dataset

async function fetchCatalogue(url: string, cache: Cache | null): Promise<ServedCatalogue> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`The catalogue was refused: ${response.status}`)
  if (cache) await keepOnly(cache, url, response.clone()).catch(() => undefined)
  return await readCatalogue(response)
}

async function readCatalogue(response: Response): Promise<ServedCatalogue> {
  const catalogue: ServedCatalogue = await response.json()
  return catalogue
}

/** Null where the browser refuses storage. */
async function openCache(set: CatalogueSet): Promise<Cache | null> {
  return 'caches' in globalThis ? await caches.open(catalogueCacheName(set)).catch(() => null) : null
}

async function keepOnly(cache: Cache, url: string, response: Response): Promise<void> {
  const others = await cache.keys()
  await cache.put(url, response)
  for (const other of others) if (new URL(other.url).pathname !== url) await cache.delete(other)
}

/** The one of this device, if it is not English. */
export async function loadKeptCatalogue(set: CatalogueSet): Promise<ServedCatalogue | null> {
  const name = catalogueCacheName(set)
  if (!('caches' in globalThis) || !(await caches.has(name))) return null
  const kept = await (await caches.open(name)).matchAll()
  const newest = kept.at(-1)
  return newest ? await readCatalogue(newest) : null
}
