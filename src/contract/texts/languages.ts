import type { LocalText } from './local-text.ts'

/** The first of the languages that somebody wants which is there: for `zh-CN` also `zh-Hans`, but not for `zh-TW`. */
export function findLanguage(wanted: readonly string[], known: readonly string[]): string {
  for (const tag of wanted) {
    if (known.includes(tag)) return tag
    const wantedScript = script(tag)
    const found = known.find((other) => knownScript(other) === wantedScript)
    if (found !== undefined) return found
  }
  return 'en'
}

const knownScripts = new Map<string, string>()

function knownScript(tag: string): string {
  const found = knownScripts.get(tag) ?? script(tag)
  knownScripts.set(tag, found)
  return found
}

function script(tag: string): string {
  const locale = new Intl.Locale(tag).maximize()
  return `${locale.language}-${locale.script}`
}

export const isRightToLeft = (tag: string): boolean =>
  /-(Arab|Hebr|Thaa|Syrc|Nkoo|Adlm|Rohg)$/u.test(script(tag))

/** In which language somebody reads what a restaurant says: in theirs, or else in its own. */
export function languageOf(texts: LocalText, language: string): string {
  const known = Object.keys(texts)
  return findLanguage([language, ...known], known)
}

export const textIn = (texts: LocalText, language: string): string => texts[languageOf(texts, language)] ?? ''

/** In the restaurant's own language. */
export const ownText = (texts: LocalText): string => Object.values(texts)[0] ?? ''
