import type { FastifyRequest } from 'fastify'
import type { GuestFields, GuestPage, PageLanguage } from '#contract/guests/visits.ts'
import type { GuestCatalogues } from '#contract/texts/catalogue.ts'
import { findLanguage } from '#contract/texts/languages.ts'
import type { Cookies } from '../cookies.ts'

type ChooseLanguage = (
  request: FastifyRequest,
  fields: GuestFields,
  /** Missing for a page that the server renders whole, which is sent no texts. */
  page?: Pick<GuestPage, 'notes' | 'card'>,
) => PageLanguage

/** What the guest chose, or else the first of the browser's languages that is there. */
export function createLanguageChooser(catalogues: GuestCatalogues, cookies: Cookies): ChooseLanguage {
  const languages = Object.fromEntries([...catalogues].map(([language, { name }]) => [language, name]))
  return ({ headers }, { lang, action }, page) => {
    const chosen = [lang, cookies.read(headers)('language') ?? '']
    const wanted = [...chosen, ...acceptedLanguages(headers['accept-language'])]
    const language = findLanguage(wanted.flatMap(canonicalTag), [...catalogues.keys()])
    const catalogue = catalogues.get(language)
    const texts = {
      ...catalogue?.texts,
      // Also where a note is refused because they are switched off.
      ...((page?.notes || action === 'word') && catalogue?.noteTexts),
      ...((!page || page.card) && catalogue?.cardTexts),
      ...(!page && catalogue?.renderedTexts),
    }
    return { language, languages, texts, inAddress: catalogues.has(lang) }
  }
}

/** The languages of the header, the preferred one first. */
function acceptedLanguages(header = ''): string[] {
  const weighted = header.split(',', 20).map((part) => {
    const [tag = '', weight = ''] = part.split(';')
    return { tag: tag.trim(), weight: Number.parseFloat(weight.replace(/^\s*q=/u, '') || '1') }
  })
  return weighted
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}

/** Empty if it is not the tag of a language, such as `*`. */
function canonicalTag(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag || [])
  } catch {
    return []
  }
}
