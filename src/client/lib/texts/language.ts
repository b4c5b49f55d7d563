import { getStored } from '../browser/browser-storage.ts'

/** Which catalogues a screen reads: those of crews, or those of owners and managers. */
export type CatalogueSet = 'staff' | 'portals'

const crewPaths = /^\/(waiter(-login)?|restaurant-login|portal-selection|device)\/?$/iu
export const catalogueSetOf = (path: string): CatalogueSet => (crewPaths.test(path) ? 'staff' : 'portals')

/** English is in the code, and needs no catalogue. */
export const isEnglish = (): boolean => /^en\b/iu.test(getStored('language') ?? navigator.language)

/** A language belongs to a document, as what has been rendered stays as it is. */
export const isInOtherLanguage = (path: string): boolean =>
  !isEnglish() && catalogueSetOf(path) !== catalogueSetOf(location.pathname)

/** Holds only the catalogue in use: the page opens with it without a network, and so does the service worker. */
export const catalogueCacheName = (set: CatalogueSet): string => `${set}-catalogue`

/** When the page is English: the service worker would go on in the language before. */
export async function forgetCatalogue(set: CatalogueSet): Promise<void> {
  if ('caches' in globalThis) await caches.delete(catalogueCacheName(set)).catch(() => undefined)
}
