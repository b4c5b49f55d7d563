import type { RestaurantChange, RestaurantSettings } from '#contract/analytics.ts'
import type { Db } from '../storage/database.ts'
import * as restaurants from '../storage/restaurants.ts'
import { type Actor, mayIn } from './actor.ts'
import { type Ctx, read, write } from './context.ts'
import { notFound } from './errors.ts'

/** The only place that turns a name, as links, calls and messages carry it, into a restaurant. */
export async function byName(ctx: Ctx, db: Db, name: string): Promise<restaurants.Restaurant> {
  const found =
    name.trim().toLowerCase() === 'default'
      ? await byDefault(ctx, db)
      : await restaurants.findByName(db, name)
  if (!found) throw notFound('Restaurant')
  return found
}

/** `default` is the only restaurant, or the one that the installation chose. */
async function byDefault(ctx: Ctx, db: Db): Promise<restaurants.Restaurant | undefined> {
  const chosen = ctx.settings.defaultRestaurant
  return chosen === null ? restaurants.findOnly(db) : restaurants.findByName(db, chosen)
}

/** A name that a signed-in caller gives may only agree with the session; it never selects the restaurant. */
export async function agree(
  ctx: Ctx,
  db: Db,
  restaurantId: string,
  name: string,
): Promise<restaurants.Restaurant> {
  const named = await byName(ctx, db, name)
  if (named.id !== restaurantId) throw notFound('Restaurant')
  return named
}

export async function of(db: Db, actor: Actor): Promise<restaurants.Restaurant> {
  const found = actor.restaurantId === null ? undefined : await restaurants.findById(db, actor.restaurantId)
  if (!found) throw notFound('Restaurant')
  return found
}

/** The restaurant's own day at an instant, yyyy-MM-dd. */
export const localDay = (at: number, timeZone: string): string => dayFormat(timeZone).format(at)

const formats = new Map<string, Intl.DateTimeFormat>()

function dayFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  formats.set(timeZone, made)
  return made
}

/** Whether this installation has any restaurant yet. */
export const any = (ctx: Ctx): Promise<boolean> => restaurants.any(read(ctx))

export async function settings(ctx: Ctx, actor: Actor): Promise<RestaurantSettings> {
  mayIn(actor, 'GET /api/restaurant')
  return toSettings(await of(read(ctx), actor))
}

/** Where the restaurant's days begin: past days, too, are cut anew. */
export async function change(
  ctx: Ctx,
  actor: Actor,
  { timeZone }: RestaurantChange,
): Promise<RestaurantSettings> {
  const { restaurantId } = mayIn(actor, 'PATCH /api/restaurant')
  return write(ctx, async (db) => {
    await restaurants.setTimeZone(db, restaurantId, timeZone)
    return toSettings(await of(db, actor))
  })
}

const toSettings = ({ name, timeZone }: restaurants.Restaurant): RestaurantSettings => ({
  restaurantName: name,
  timeZone,
})
