import type { ComponentType, JSX } from 'react'
import {
  type NeedChoice,
  type RequestNeed,
  type ServiceType,
  serviceTypeLabels,
  type ShownNeed,
} from '#contract/requests/requests.ts'
import { t } from '../../../lib/texts/translate.ts'

/** A stored request, or a tap with ids in place of names. */
export type Asked = {
  serviceType: ServiceType
  need?: RequestNeed | string | undefined
  choice?: NeedChoice | string | undefined
  note?: string | undefined
}

/** What it is for: requests of a table for the same become one. */
export const askedKey = ({ serviceType, need }: Asked): string =>
  (typeof need === 'object' ? need.id : need) ?? serviceType

/** Notes that are not sent, by need. A closed table or a missing code hides the menu; they are back when the menu is. */
export const drafts = new Map<string, string>()

/** What was refused, or cut, comes back, but not over what the guest has written since. */
export function keepDraft(tap: Asked): void {
  if (tap.note && !drafts.get(askedKey(tap))) drafts.set(askedKey(tap), tap.note)
}

export type Needs = readonly ShownNeed[] | undefined

export type TilesProps = {
  needs: readonly ShownNeed[]
  place: { restaurantId: string; tableNumber: string; k: string | null }
  formId: string
  /** The keys of what the table waits for. */
  asked: ReadonlySet<string>
  isUnavailable: (key: string) => boolean
}

/** What only guests of restaurants that arranged their needs load. */
type Part = {
  Tiles: ComponentType<TilesProps>
  nameOf: (asked: Asked, needs: Needs) => string
  iconOf: (asked: Asked, needs: Needs, size?: number) => JSX.Element | null
  addStyles: () => Promise<unknown>
}

export const ownNeeds: { part?: Part | undefined; load?: () => Promise<unknown> } = {}

export const nameOf = (asked: Asked, needs: Needs): string =>
  ownNeeds.part?.nameOf(asked, needs) ?? plainName(asked, needs)

/** Where the part cannot be loaded. */
function plainName(asked: Asked, needs: Needs = []): string {
  const { need, serviceType } = asked
  const shown = typeof need === 'object' ? need : needs.find(({ id }) => id === askedKey(asked))
  const { name = {} } = shown ?? {}
  return name[document.documentElement.lang] ?? Object.values(name)[0] ?? t(serviceTypeLabels[serviceType])
}
