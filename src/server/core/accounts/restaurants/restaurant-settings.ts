import {
  type RestaurantChange,
  type RestaurantSettings,
  type RestaurantSwitch,
  restaurantSwitches,
} from '#contract/accounts/restaurants.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import * as crew from '../../../storage/crew/crew.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as seatings from '../../../storage/requests/table-seating.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { authorizeInRestaurant, requireGrant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, recentSignInRequired } from '../../errors.ts'
import { buildGuestLink } from '../../floor/qr-links.ts'
import { announceAvailability, announceOpening } from '../../guests/opening.ts'
import { read, type Tx, write } from '../../transaction.ts'
import { consumeNewNameLimits, nameTakenBy, refuseReserved } from './restaurant-names.ts'
import { restaurantOf } from './restaurants.ts'

export async function settings(ctx: Ctx, actor: Actor): Promise<RestaurantSettings> {
  authorizeInRestaurant(actor, 'restaurant.settings')
  return loadSettings(ctx, read(ctx), actor)
}

/**
 * Former names still find the restaurant, so printed codes stay valid. A new time zone also applies to past days; the
 * switches apply from now on.
 */
export async function change(ctx: Ctx, actor: Actor, given: RestaurantChange): Promise<RestaurantSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'restaurant.change')
  const { restaurantName, timeZone, alarmSet } = given
  if (restaurantName !== undefined) {
    const { name } = await restaurantOf(read(ctx), actor)
    // People sign in with it.
    if (restaurantName !== name && !requireGrant(actor, 'owner').recent) throw recentSignInRequired()
    refuseReserved(restaurantName)
    if (!(await restaurants.findByName(read(ctx), restaurantName))) await consumeNewNameLimits(ctx, actor)
  }
  return write(ctx, async (tx) => {
    if (restaurantName !== undefined) await rename(tx.db, restaurantId, restaurantName)
    if (timeZone !== undefined) {
      await restaurants.setTimeZone(tx.db, restaurantId, timeZone)
      const { opening } = await restaurantOf(tx.db, actor)
      if (opening !== null) announceOpening(tx.announce, restaurantId)
    }
    await changeSwitches(ctx, tx, restaurantId, given)
    if (alarmSet !== undefined) {
      await restaurants.setAlarmSet(tx.db, restaurantId, alarmSet)
      tx.announce({ kind: 'staff', restaurantId }, { type: 'alarm-set', alarmSet })
    }
    await audit.record(ctx, tx.db, actor, restaurantId, 'restaurant.change', {
      ...(restaurantName !== undefined && { restaurantName }),
      ...(timeZone !== undefined && { timeZone }),
      ...Object.fromEntries(switchesIn(given).map((name) => [name, given[name] === true])),
      ...(alarmSet !== undefined && { alarmSet }),
    })
    return loadSettings(ctx, tx.db, actor)
  })
}

const switchesIn = (given: RestaurantChange): RestaurantSwitch[] =>
  restaurantSwitches.filter((name) => given[name] !== undefined)

async function changeSwitches(
  ctx: Ctx,
  tx: Tx,
  restaurantId: string,
  given: RestaurantChange,
): Promise<void> {
  const { seating, pinRequired } = given
  const before = seating === undefined ? undefined : await restaurants.lock(tx.db, restaurantId)
  for (const name of switchesIn(given))
    await restaurants.setSwitches(tx.db, restaurantId, { [name]: given[name] ? 1 : 0 })
  if (seating !== undefined) {
    // When it is switched on, every table is closed.
    if (before?.seating !== (seating ? 1 : 0)) await seatings.removeAll(tx.db, restaurantId)
    announceAvailability(tx.announce, restaurantId)
    tx.announce({ kind: 'staff', restaurantId }, { type: 'seating-changed' })
  }
  if (pinRequired) {
    const withoutPin = await crew.listWithoutPin(tx.db, restaurantId)
    const signals = withoutPin.map(({ id }) => ({ kind: 'crew-member-changed', crewMemberId: id }) as const)
    tx.afterCommit(() => ctx.bus.publish(signals))
  }
}

async function loadSettings(ctx: Ctx, db: Db, actor: Actor): Promise<RestaurantSettings> {
  const restaurant = await restaurantOf(db, actor)
  return {
    restaurantName: restaurant.name,
    timeZone: restaurant.timeZone,
    verifiedOnly: restaurant.verifiedOnly === 1,
    pinRequired: restaurant.pinRequired === 1,
    expectedTimes: restaurant.expectedTimes === 1,
    managerNotes: restaurant.managerNotes === 1,
    seating: restaurant.seating === 1,
    alarmSet: restaurant.alarmSet,
    withoutPin: (await crew.listWithoutPin(db, restaurant.id)).map(({ name }) => name),
    guestLink: buildGuestLink(ctx, restaurant, null),
  }
}

async function rename(db: Db, restaurantId: string, name: string): Promise<void> {
  const isKnown = (await restaurants.findByName(db, name))?.id === restaurantId
  if (!isKnown && (await restaurants.countNames(db, restaurantId)) >= maxNames) {
    throw conflict(`A restaurant can have had at most ${maxNames} names`)
  }
  if (!(await restaurants.rename(db, restaurantId, name))) throw await nameTakenBy(db, name)
}

/** Names are kept for ever, so nobody may collect them. */
const maxNames = 10
