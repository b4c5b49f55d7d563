import { parse } from '#contract/parse.ts'
import { mergeNeeds } from '#contract/requests/merge-needs.ts'
import {
  defaultNeeds,
  isOwnNeed,
  type Need,
  RestaurantNeeds,
  type RestaurantNeedsChange,
  withAllSpecified,
} from '#contract/requests/needs.ts'
import {
  type Availability,
  type NewServiceRequest,
  serviceTypeLabels,
  type ShownNeed,
} from '#contract/requests/requests.ts'
import { ownText } from '#contract/texts/languages.ts'
import type { LocalText } from '#contract/texts/local-text.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Restaurant } from '../../storage/accounts/restaurants.ts'
import { type NeedKey, ownNeedKey, type StoredNeed } from '../../storage/requests/asked-need.ts'
import type { RequestRow } from '../../storage/requests/requests.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { invalid, notFound } from '../errors.ts'
import { changedMeanwhile, mergeChange } from '../merge-change.ts'
import { read, write } from '../transaction.ts'
import { findSharedNames } from './need-names.ts'
import { announceAvailability } from './opening.ts'

type NeedsOf = Pick<Restaurant, 'needs'>

/** Null while guests see the six as usual. */
const parseNeeds = ({ needs }: NeedsOf): Need[] | null =>
  needs === null ? null : withAllSpecified(JSON.parse(needs))

const needsOf = (restaurant: NeedsOf): Need[] => parseNeeds(restaurant) ?? [...defaultNeeds]

export async function state(ctx: Ctx, actor: Actor): Promise<RestaurantNeeds> {
  const { restaurantId } = authorizeInRestaurant(actor, 'needs.state')
  const restaurant = await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  return { needs: needsOf(restaurant) }
}

/** What is open keeps the name under which it was asked. */
export async function set(
  ctx: Ctx,
  actor: Actor,
  { needs: wanted, was }: RestaurantNeedsChange,
): Promise<RestaurantNeeds> {
  const { restaurantId } = authorizeInRestaurant(actor, 'needs.set')
  return write(ctx, async ({ db, announce }) => {
    const restaurant = await restaurants.lock(db, restaurantId)
    if (!restaurant) throw notFound('Restaurant')
    const now = needsOf(restaurant)
    const needs = was ? mergeIfValid(now, was, wanted) : wanted
    refuseSharedName(ctx, { now, wanted, needs })
    const stored = JSON.stringify(needs)
    const isAsUsual = stored === JSON.stringify(defaultNeeds)
    await restaurants.setNeeds(db, restaurantId, isAsUsual ? null : stored)
    const namesOf = (hidden: boolean) => needs.filter((need) => need.hidden === hidden).map(nameOf)
    await audit.record(ctx, db, actor, restaurantId, 'needs.set', {
      shown: namesOf(false),
      hidden: namesOf(true),
    })
    announceAvailability(announce, restaurantId)
    return { needs }
  })
}

function mergeIfValid(now: Need[], was: Need[], wanted: Need[]): Need[] {
  const merged = parse(RestaurantNeeds, { needs: mergeNeeds(mergeChange, now, was, wanted) })
  // One has hidden the first of two needs, the other one the second, or both have added the twelfth.
  if (!merged.ok) throw changedMeanwhile()
  return merged.value.needs
}

/** What guests could not tell apart is refused, unless it is so already. */
function refuseSharedName(
  { guestCatalogues }: Ctx,
  { now, wanted, needs }: { now: Need[]; wanted: Need[]; needs: Need[] },
): void {
  const sharedIn = (list: Need[]): string[] => findSharedNames(list, guestCatalogues)
  const known = sharedIn(now)
  const name = sharedIn(needs).find((each) => !known.includes(each))
  if (name === undefined) return
  // The other one is somebody else's, and not on this owner's screen yet.
  if (!sharedIn(wanted).includes(name)) throw changedMeanwhile()
  throw invalid(`There is a need called ${name} already`)
}

const nameOf = (need: Need): string =>
  need.name ? ownText(need.name) : isOwnNeed(need) ? '' : serviceTypeLabels[need.id]

/** For guests' pages. */
export function shownNeeds(restaurant: NeedsOf): Pick<Availability, 'needs'> {
  const needs = parseNeeds(restaurant)
  return needs === null ? {} : { needs: needs.filter(({ hidden }) => !hidden).map(toShown) }
}

const toShown = (need: Need): ShownNeed => ({
  id: need.id,
  ...(need.name && { name: need.name }),
  ...(isOwnNeed(need) && { icon: need.icon }),
  ...(need.choices.length > 0 && { choices: need.choices }),
  ...(need.note && { note: true }),
})

type Tap = Pick<NewServiceRequest, 'serviceType' | 'need' | 'choice' | 'note'>

/** As the tap names it; whether the restaurant has it is not known yet. */
export const needKeyOf = ({ serviceType, need }: Tap): NeedKey =>
  need === undefined ? serviceType : ownNeedKey(need)

/**
 * What a tap asks for, in the columns of a request. Hidden needs count too: the page may be older than the change. Null
 * when the restaurant no longer has the need.
 */
export function resolveNeed(
  restaurant: NeedsOf,
  tap: Tap,
): Pick<RequestRow, 'serviceType' | 'need' | 'choice' | 'note'> | null {
  const serviceType = needKeyOf(tap)
  const need = parseNeeds(restaurant)?.find(({ id }) => id === (tap.need ?? tap.serviceType))
  if (tap.need !== undefined && !(need && isOwnNeed(need))) return null
  if (!need) return { serviceType, need: null, choice: null, note: null }
  const choice = need.choices.find(({ id }) => id === tap.choice)
  return {
    serviceType,
    need: need.name ? JSON.stringify(toStored(need, need.name)) : null,
    choice: choice ? JSON.stringify(choice) : null,
    note: (need.note && tap.note) || null,
  }
}

function toStored(need: Need, name: LocalText): StoredNeed {
  if (!isOwnNeed(need)) return { id: need.id, name }
  const { id, icon, targetMs, calls } = need
  return { id, name, icon, targetMs, ...(calls !== 'table' && { calls }) }
}
