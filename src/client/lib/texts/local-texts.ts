import { findLanguage, textIn } from '#contract/texts/languages.ts'
import type { LocalText } from '#contract/texts/local-text.ts'
import { guestLanguages } from '../browser/page-settings.ts'

/** The languages of the guest page, by their own names. */
export const languageOptions = (): { tag: string; name: string }[] =>
  guestLanguages().map((tag) => ({
    tag,
    name: new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag,
  }))

/** Of the guest page's languages, the one in which somebody at this screen probably writes. */
export const ownLanguage = (): string =>
  findLanguage([document.documentElement.lang || 'en'], guestLanguages())

/** What stands in for a text that is missing in the language. */
export const standInFor = (texts: LocalText = {}, language: string): string | undefined =>
  texts[language] === undefined && Object.keys(texts).length > 0 ? textIn(texts, language) : undefined

/** In a form, the texts by field and language: `name de`. */
export const fieldOf = (field: string, language: string): string => `${field} ${language}`

/** Without those that are empty, in the order in which they were entered. */
export function textsOf(form: Partial<Record<string, string>>, field: string): LocalText {
  const typed = Object.entries(form).flatMap(([key, text = '']) => {
    const [name, language = ''] = key.split(' ')
    return name === field && text.trim() !== '' ? [[language, text] as const] : []
  })
  return Object.fromEntries(typed)
}
