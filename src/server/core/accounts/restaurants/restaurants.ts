import { nameKey } from '#contract/primitives.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import type { Ctx } from '../../ctx.ts'
import { localDay } from '../../dates.ts'
import { notFound, Refusal } from '../../errors.ts'
import { read } from '../../transaction.ts'

/** The only place that turns a name from a link, call or message into a restaurant. */
export async function requireByName(ctx: Ctx, db: Db, name: string): Promise<restaurants.Restaurant> {
  const restaurant =
    nameKey(name) === 'default' ? await findDefault(ctx, db) : await restaurants.findByName(db, name)
  if (!restaurant) throw notFound('Restaurant')
  return restaurant
}

/** The key of a name from a link, call or message, for a query that finds the restaurant by it. */
export async function resolveNameKey(ctx: Ctx, db: Db, name: string): Promise<string> {
  const key = nameKey(name)
  return key === 'default' ? nameKey((await requireByName(ctx, db, name)).name) : key
}

/**
 * Also one that its owner has deleted: whoever knows a password of it is told so, and nobody else. For logins, where an
 * unknown restaurant is answered like a wrong password.
 */
export async function findForLogin(ctx: Ctx, name: string): Promise<restaurants.Restaurant | undefined> {
  const id = await restaurants.findIdByName(read(ctx), name)
  return id === undefined ? findByName(ctx, name) : restaurants.findById(read(ctx), id)
}

/** Undefined also for one that its owner has deleted. */
export async function findByName(ctx: Ctx, name: string): Promise<restaurants.Restaurant | undefined> {
  try {
    return await requireByName(ctx, read(ctx), name)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** `default` is the restaurant that the installation's settings name, else its only one. */
async function findDefault(ctx: Ctx, db: Db): Promise<restaurants.Restaurant | undefined> {
  const chosen = ctx.settings.defaultRestaurant
  return chosen === null ? restaurants.findOnly(db) : restaurants.findByName(db, chosen)
}

/** A name in a signed-in caller's request must match the session; it never selects the restaurant. */
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

/** The restaurant's local day. */
export const localToday = async (ctx: Ctx, db: Db, actor: Actor): Promise<string> =>
  localDay(ctx.now(), (await restaurantOf(db, actor)).timeZone)

/** Whether this installation has any restaurant yet. */
export const exists = (ctx: Ctx): Promise<boolean> => restaurants.exists(read(ctx))
