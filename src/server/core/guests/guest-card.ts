import type { GuestCard, GuestCardChange } from '#contract/guests/guest-card.ts'
import type { Availability } from '#contract/requests/requests.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Restaurant } from '../../storage/accounts/restaurants.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { notFound } from '../errors.ts'
import { mergeChange } from '../merge-change.ts'
import { read, write } from '../transaction.ts'
import { announceAvailability, hoursOf } from './opening.ts'

type CardOf = Pick<Restaurant, 'guestCard'>

const emptyCard: GuestCard = { menu: '', pay: '', wifiName: '', wifiPassword: '' }

export const parseCard = ({ guestCard }: CardOf): GuestCard =>
  guestCard === null ? emptyCard : JSON.parse(guestCard)

export async function state(ctx: Ctx, actor: Actor): Promise<GuestCard> {
  const { restaurantId } = authorizeInRestaurant(actor, 'guestCard.state')
  const restaurant = await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  return parseCard(restaurant)
}

export async function set(ctx: Ctx, actor: Actor, { was, ...wanted }: GuestCardChange): Promise<GuestCard> {
  const { restaurantId } = authorizeInRestaurant(actor, 'guestCard.set')
  return write(ctx, async ({ db, announce }) => {
    const restaurant = await restaurants.lock(db, restaurantId)
    if (!restaurant) throw notFound('Restaurant')
    const before = parseCard(restaurant)
    const card = was ? mergeCards(before, was, wanted) : wanted
    const isEmpty = Object.values(card).every((value) => value === '')
    await restaurants.setGuestCard(db, restaurantId, isEmpty ? null : JSON.stringify(card))
    const { wifiPassword, ...shown } = card
    await audit.record(ctx, db, actor, restaurantId, 'guestCard.set', {
      ...shown,
      passwordChanged: wifiPassword !== before.wifiPassword,
    })
    announceAvailability(announce, restaurantId)
    return card
  })
}

/** A network and its password are changed together. */
function mergeCards(now: GuestCard, was: GuestCard, wanted: GuestCard): GuestCard {
  const wifiOf = ({ wifiName, wifiPassword }: GuestCard) => ({ wifiName, wifiPassword })
  return {
    menu: mergeChange(now.menu, was.menu, wanted.menu),
    pay: mergeChange(now.pay, was.pay, wanted.pay),
    ...mergeChange(wifiOf(now), wifiOf(was), wifiOf(wanted)),
  }
}

/** What a guest's page links to, by kind; an empty address is that of the card's own page. */
export function shownCard(restaurant: CardOf & Pick<Restaurant, 'opening'>): Pick<Availability, 'card'> {
  if (restaurant.guestCard === null) return {}
  const { menu, pay, wifiName } = parseCard(restaurant)
  const card = {
    ...(menu !== '' && { menu }),
    ...(pay !== '' && { pay }),
    ...(wifiName !== '' && { wifi: '' }),
    ...(hoursOf(restaurant) && { hours: '' }),
  }
  return { card }
}
