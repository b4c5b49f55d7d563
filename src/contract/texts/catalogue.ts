import * as v from 'valibot'

/** The form of a language tag such as `pt-BR` or `zh-Hans`. */
export const LanguageTag = v.pipe(
  v.string('Not a language'),
  v.maxLength(35, 'Not a language'),
  v.check((tag) => {
    try {
      return Intl.getCanonicalLocales(tag)[0] === tag
    } catch {
      return false
    }
  }, 'Not a language'),
)

const Text = v.pipe(v.string(), v.minLength(1, 'A text is empty'), v.maxLength(2_000, 'A text is too long'))

/** By the plural forms of the language; each language has its own. */
const PluralForms = v.strictObject({
  zero: v.optional(Text),
  one: v.optional(Text),
  two: v.optional(Text),
  few: v.optional(Text),
  many: v.optional(Text),
  other: Text,
})

/** The values that a text names, such as `name` in "{name} is on the way". */
export const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name)

export const Translation = v.union(
  [Text, PluralForms],
  'A translation is a text, or an object of plural forms',
)

export type Translation = v.InferOutput<typeof Translation>

const Texts = v.pipe(
  v.record(Text, Translation),
  v.check((texts) => Object.keys(texts).length <= 10_000, 'Too many texts'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    for (const [text, translation] of Object.entries(dataset.value)) {
      const forms = typeof translation === 'string' ? [translation] : Object.values(translation)
      const known = placeholdersOf(text)
      const unknown = forms.flatMap((form = '') => placeholdersOf(form)).find((name) => !known.includes(name))
      if (unknown !== undefined) addIssue({ message: `"${text}" has no {${unknown}}` })
    }
  }),
)

/** The texts of the staff app, or of the guest page, in one language. The English text is the key; a text that is missing stays English. */
export const Catalogue = v.strictObject({
  language: LanguageTag,
  /** In the language itself, for choosing it. */
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(40)),
  /** Whether a speaker of the language has read it; until then it is machine-made. */
  reviewed: v.boolean(),
  texts: Texts,
})
export type Catalogue = v.InferOutput<typeof Catalogue>

/** What a browser gets: named by a hash of its content, so that it is cached for ever. */
export type CatalogueFile = { url: string; json: string }

/** By `textKey`. */
type GuestTexts = Readonly<Record<string, Translation>>

/**
 * By language, with English: its own name, the guest page's texts, those of notes to the manager, of links to the guest
 * card, and of pages that the server renders whole.
 */
export type GuestCatalogues = ReadonlyMap<
  string,
  { name: string } & Record<'texts' | 'noteTexts' | 'cardTexts' | 'renderedTexts', GuestTexts>
>

/** By language: its own name and the address of its catalogue. The server writes it into the staff app's page. */
export const Languages = v.record(LanguageTag, v.object({ name: v.string(), url: v.string() }))
export type Languages = v.InferOutput<typeof Languages>
