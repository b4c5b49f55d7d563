import { type ServiceRequest, serviceTypeLabels } from '#contract/requests/requests.ts'
import { textIn } from '#contract/texts/languages.ts'
import type { LocalText } from '#contract/texts/local-text.ts'
import { t } from './translate.ts'

export type Asked = Pick<ServiceRequest, 'serviceType' | 'need' | 'choice'>

/** What a restaurant calls something, in the reader's language, or else in its own. */
export const ownWords = (texts: LocalText): string => textIn(texts, document.documentElement.lang || 'en')

/** The need, and what was chosen with it. */
export function askedText({ serviceType, need, choice }: Asked): string {
  const name = need ? ownWords(need.name) : t(serviceTypeLabels[serviceType])
  return choice ? `${name} · ${ownWords(choice.name)}` : name
}

/** Requests of a table for the same become one. */
export const askedKey = ({ serviceType, need }: Asked): string => need?.id ?? serviceType
