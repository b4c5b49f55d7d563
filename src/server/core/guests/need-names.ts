import { nameKey } from '#contract/primitives.ts'
import type { Need } from '#contract/requests/needs.ts'
import { serviceTypeLabels, serviceTypes } from '#contract/requests/requests.ts'
import type { GuestCatalogues } from '#contract/texts/catalogue.ts'
import { textIn } from '#contract/texts/languages.ts'
import { textKey } from '#contract/texts/text-key.ts'

/**
 * The names under which guests would see two needs, each with the language in which they would: first those in which
 * the restaurant has named any.
 */
export function findSharedNames(needs: readonly Need[], catalogues: GuestCatalogues): string[] {
  const shown = needs.filter(({ hidden }) => !hidden)
  const own = shown.flatMap(({ name = {} }) => Object.keys(name))
  return [...new Set([...own, ...catalogues.keys()])].flatMap((language) => {
    const catalogue = catalogues.get(language)
    if (!catalogue) return []
    const names = shown.map((need) => nameIn(need, language, catalogue.texts))
    const keys = names.map(nameKey)
    const shared = names.filter((name, index) => keys.indexOf(nameKey(name)) < index)
    return shared.map((name) => `${name} (${catalogue.name})`)
  })
}

type Texts = (GuestCatalogues extends ReadonlyMap<string, infer Catalogue> ? Catalogue : never)['texts']

function nameIn({ id, name }: Need, language: string, texts: Texts): string {
  if (name) return textIn(name, language)
  const label = serviceTypeLabels[serviceTypes.find((type) => type === id) ?? 'other']
  const translation = texts[textKey(label)]
  return typeof translation === 'string' ? translation : label
}
