import type { RestaurantChange, RestaurantSettings } from '#contract/analytics.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as crew from '../../storage/crew.ts'
import * as restaurants from '../../storage/restaurants.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import { buildGuestLink } from '../floor/qr-links.ts'
import { afterCommit, read, write } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { conflict, notFound, Refusal } from '../errors.ts'

/** The only place that turns a name, as links, calls and messages carry it, into a restaurant. */
export async function requireByName(ctx: Ctx, db: Db, name: string): Promise<restaurants.Restaurant> {
  const restaurant =
    nameKey(name) === 'default' ? await findDefault(ctx, db) : await restaurants.findByName(db, name)
  if (!restaurant) throw notFound('Restaurant')
  return restaurant
}

/** For logins, where a restaurant that does not exist is answered as a wrong password is. */
export async function findByName(ctx: Ctx, name: string): Promise<restaurants.Restaurant | undefined> {
  try {
    return await requireByName(ctx, read(ctx), name)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** `default` is the only restaurant, or the one that the installation chose. */
async function findDefault(ctx: Ctx, db: Db): Promise<restaurants.Restaurant | undefined> {
  const chosen = ctx.settings.defaultRestaurant
  return chosen === null ? restaurants.findOnly(db) : restaurants.findByName(db, chosen)
}

/** A name that a signed-in caller gives may only agree with the session; it never selects the restaurant. */
export async function requireSameRestaurant(
  ctx: Ctx,
  db: Db,
  restaurantId: string,
  name: string,
): Promise<restaurants.Restaurant> {
  const named = await requireByName(ctx, db, name)
  if (named.id !== restaurantId) throw notFound('Restaurant')
  return named
}

export async function restaurantOf(db: Db, actor: Actor): Promise<restaurants.Restaurant> {
  const restaurant =
    actor.restaurantId === null ? undefined : await restaurants.findById(db, actor.restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  return restaurant
}

/** Whether this installation has any restaurant yet. */
export const exists = (ctx: Ctx): Promise<boolean> => restaurants.exists(read(ctx))

export async function getSettings(ctx: Ctx, actor: Actor): Promise<RestaurantSettings> {
  authorizeInRestaurant(actor, 'restaurant.settings')
  return loadSettings(ctx, read(ctx), actor)
}

/**
 * What the restaurant is called: every former name still finds it, so printed codes stay good. Where its days
 * begin: past days, too, are cut anew. What is switched on counts from now on.
 */
export async function change(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, timeZone, verifiedOnly, pinRequired }: RestaurantChange,
): Promise<RestaurantSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'restaurant.change')
  if (restaurantName !== undefined) {
    refuseReserved(restaurantName)
    if (!(await restaurants.findByName(read(ctx), restaurantName))) await consumeNewNameLimits(ctx, actor)
  }
  return write(ctx, async (db) => {
    if (restaurantName !== undefined) await rename(db, restaurantId, restaurantName)
    if (timeZone !== undefined) await restaurants.setTimeZone(db, restaurantId, timeZone)
    if (verifiedOnly !== undefined)
      await restaurants.setSwitches(db, restaurantId, { verifiedOnly: verifiedOnly ? 1 : 0 })
    if (pinRequired !== undefined)
      await restaurants.setSwitches(db, restaurantId, { pinRequired: pinRequired ? 1 : 0 })
    if (pinRequired) {
      const unproven = await crew.listWithoutPin(db, restaurantId)
      const signals = unproven.map(({ id }) => ({ kind: 'crew-member-changed', crewMemberId: id }) as const)
      afterCommit(() => ctx.bus.publish(signals))
    }
    await audit.record(ctx, db, actor, restaurantId, 'restaurant.change', {
      ...(restaurantName !== undefined && { restaurantName }),
      ...(timeZone !== undefined && { timeZone }),
      ...(verifiedOnly !== undefined && { verifiedOnly }),
      ...(pinRequired !== undefined && { pinRequired }),
    })
    return loadSettings(ctx, db, actor)
  })
}

async function loadSettings(ctx: Ctx, db: Db, actor: Actor): Promise<RestaurantSettings> {
  const restaurant = await restaurantOf(db, actor)
  return {
    restaurantName: restaurant.name,
    timeZone: restaurant.timeZone,
    verifiedOnly: restaurant.verifiedOnly === 1,
    pinRequired: restaurant.pinRequired === 1,
    withoutPin: (await crew.listWithoutPin(db, restaurant.id)).map(({ name }) => name),
    guestLink: buildGuestLink(ctx, restaurant, null),
  }
}

async function rename(db: Db, restaurantId: string, name: string): Promise<void> {
  const isKnown = (await restaurants.findByName(db, name))?.id === restaurantId
  if (!isKnown && (await restaurants.countNames(db, restaurantId)) >= maxNames) {
    throw conflict(`A restaurant can have had at most ${maxNames} names`)
  }
  if (!(await restaurants.rename(db, restaurantId, name))) throw nameTaken()
}

/** Names are kept for ever, so nobody may collect them. */
const maxNames = 10

/** A name is taken for ever, by signing up or by renaming: nobody takes them in bulk. */
export async function consumeNewNameLimits(ctx: Ctx, { address }: Actor): Promise<void> {
  await ctx.limits.check('new-name-all', '')
  await ctx.limits.take('new-name-hour', address)
  await ctx.limits.take('new-name-day', address)
  await ctx.limits.take('new-name-all', '')
}

export const nameTaken = () => conflict('This restaurant name is not available')

const reservedNames = new Set(['default', 'me', 'admin', 'api', 'demo'])
const letterScripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

/** Letters of two alphabets in one name make it look like another restaurant's. */
export function refuseReserved(name: string): void {
  if (reservedNames.has(nameKey(name)) || letterScripts.filter((script) => script.test(name)).length > 1)
    throw nameTaken()
}
