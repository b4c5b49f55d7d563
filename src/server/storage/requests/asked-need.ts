import type { CrewRole } from '#contract/crew/crew.ts'
import type { NeedCallee } from '#contract/requests/needs.ts'
import {
  type NeedChoice,
  type RequestNeed,
  type ServiceType,
  serviceTypeLabels,
  targetMsOf,
} from '#contract/requests/requests.ts'
import { ownText } from '#contract/texts/languages.ts'
import type { LocalText } from '#contract/texts/local-text.ts'

const ownPrefix = 'other:'

/** What a table's requests are merged by: one of the six, or a need of the restaurant's own, which stands under Other. */
export type NeedKey = ServiceType | `${typeof ownPrefix}${string}`

export const ownNeedKey = (id: string): NeedKey => `${ownPrefix}${id}`

export const isOwnNeedKey = (key: NeedKey): key is `${typeof ownPrefix}${string}` => key.startsWith(ownPrefix)

/** Undefined for one of the six. */
export const ownNeedIdOf = (key: NeedKey): string | undefined =>
  isOwnNeedKey(key) ? key.slice(ownPrefix.length) : undefined

export const serviceTypeOf = (key: NeedKey): ServiceType => (isOwnNeedKey(key) ? 'other' : key)

/** As the restaurant had named it when it was last asked for. */
export type StoredNeed = RequestNeed & { calls?: NeedCallee }

/** What a request's row says of its need. */
type AskedNeed = { serviceType: NeedKey; need: string | null; choice: string | null }

export const parseNeed = ({ need }: Pick<AskedNeed, 'need'>): StoredNeed | null =>
  need === null ? null : JSON.parse(need)

/** The role whose members a need calls first, if it is not the table's crew or everybody. */
export function calledRole(row: Pick<AskedNeed, 'need'>): CrewRole | null {
  const calls = parseNeed(row)?.calls
  return calls === undefined || calls === 'table' || calls === 'all' ? null : calls
}

const parseChoice = ({ choice }: Pick<AskedNeed, 'choice'>): NeedChoice | null =>
  choice === null ? null : JSON.parse(choice)

/** As the contract has it, for guests and crew. */
export function toAskedNeed(row: AskedNeed): {
  serviceType: ServiceType
  need?: RequestNeed
  choice?: NeedChoice
} {
  const serviceType = serviceTypeOf(row.serviceType)
  const [stored, choice] = [parseNeed(row), parseChoice(row)]
  return { serviceType, ...(stored && { need: withoutCallee(stored) }), ...(choice && { choice }) }
}

const withoutCallee = ({ calls: _calls, ...need }: StoredNeed): RequestNeed => need

export const targetMsOfRow = (row: Pick<AskedNeed, 'serviceType' | 'need'>): number =>
  targetMsOf({ serviceType: serviceTypeOf(row.serviceType), need: parseNeed(row) ?? undefined })

/** What was asked for, in all languages of the restaurant; null for one of the six without a name of its own. */
export function needNames(row: AskedNeed): { name: LocalText | string; choice?: LocalText } | null {
  const [need, choice] = [parseNeed(row), parseChoice(row)]
  if (!need && !choice) return null
  return {
    name: need?.name ?? serviceTypeLabels[serviceTypeOf(row.serviceType)],
    ...(choice && { choice: choice.name }),
  }
}

/** In the restaurant's own language, for texts that cannot be in the reader's: `Check/Bill (Karte)`. */
export function needLabel(row: AskedNeed): string {
  const [need, choice] = [parseNeed(row), parseChoice(row)]
  const label = need ? ownText(need.name) : serviceTypeLabels[serviceTypeOf(row.serviceType)]
  return choice ? `${label} (${ownText(choice.name)})` : label
}
