import type { Catalogue } from '#contract/texts/catalogue.ts'

/** The translation, or that of each plural form. */
type Translation = Catalogue['texts'][string]

type Values = Readonly<Record<string, string | number>>

type Translations = Pick<ReadonlyMap<string, Translation>, 'get'>

let translations: Translations = new Map()
let pluralForms = new Intl.PluralRules('en')
const asItIs = (text: string): string => text
let translateSentence = asItIs

/** Before anything is rendered: what has been rendered stays as it is. */
export function setCatalogue(
  language: string,
  texts: Translations,
  /** For a text that arrives with its values in it, such as a refusal of the server. */
  sentence = asItIs,
): void {
  translations = texts
  pluralForms = new Intl.PluralRules(language)
  translateSentence = sentence
}

/** The English text is the key: what no catalogue knows stays English. `{name}` stands for a value. */
export const t = (text: string, values?: Values): string => fill(translate(text), values)

/** By the language's own rules of counting; `other` is the key. */
export function plural(count: number, one: string, other: string, values?: Values): string {
  const forms = translations.get(other)
  const form = typeof forms === 'object' ? (forms[pluralForms.select(count)] ?? forms.other) : undefined
  return fill(form ?? (count === 1 ? one : other), { count, ...values })
}

/** Without its values. */
export function translate(text: string): string {
  const translation = translations.get(text)
  return typeof translation === 'string' ? translation : translateSentence(text)
}

const fill = (text: string, values: Values | undefined): string =>
  values ? text.replaceAll(/\{(\w+)\}/g, (name: string, key: string) => String(values[key] ?? name)) : text
