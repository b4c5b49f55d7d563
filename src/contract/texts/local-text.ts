import * as v from 'valibot'
import { nameField } from '../primitives.ts'

const languageMessage = 'Please choose a language'
const Language = v.pipe(
  v.string(languageMessage),
  v.maxLength(35, languageMessage),
  v.check(isCanonical, languageMessage),
)

function isCanonical(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag
  } catch {
    return false
  }
}

const maxLanguages = 32

/** What a restaurant says, by language: the first is its own, which stands in for those that are missing. */
export const localText = (message: string, max = 40) =>
  v.pipe(
    v.record(Language, nameField(message, max), message),
    v.check((texts) => Object.keys(texts).length > 0, message),
    v.check((texts) => Object.keys(texts).length <= maxLanguages, 'Please use at most 32 languages'),
  )
export type LocalText = Readonly<Record<string, string>>
