import type { RestaurantChange, RestaurantSettings } from '#contract/analytics.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../storage/database.ts'
import * as restaurants from '../storage/restaurants.ts'
import { type Actor, mayIn } from './actor.ts'
import { type Ctx, read, write } from './context.ts'
import { conflict, notFound } from './errors.ts'

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

/**
 * What the restaurant is called: every former name still finds it, so printed codes stay good. Where its days
 * begin: past days, too, are cut anew.
 */
export async function change(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, timeZone }: RestaurantChange,
): Promise<RestaurantSettings> {
  const { restaurantId } = mayIn(actor, 'PATCH /api/restaurant')
  if (restaurantName !== undefined) refuseReserved(restaurantName)
  return write(ctx, async (db) => {
    if (restaurantName !== undefined) await rename(db, restaurantId, restaurantName)
    if (timeZone !== undefined) await restaurants.setTimeZone(db, restaurantId, timeZone)
    return toSettings(await of(db, actor))
  })
}

async function rename(db: Db, restaurantId: string, name: string): Promise<void> {
  const isKnown = (await restaurants.findByName(db, name))?.id === restaurantId
  if (!isKnown && (await restaurants.countNames(db, restaurantId)) >= mostNames) {
    throw conflict(`A restaurant can have had at most ${mostNames} names`)
  }
  if (!(await restaurants.rename(db, restaurantId, name))) throw nameTaken()
}

/** Names are kept for ever, so nobody may collect them. */
const mostNames = 10

export const nameTaken = () => conflict('This restaurant name is not available')

const reserved = new Set(['default', 'me', 'admin', 'api', 'demo'])
const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

/** Letters of two alphabets in one name make it look like another restaurant's. */
export function refuseReserved(name: string): void {
  if (reserved.has(nameKey(name)) || scripts.filter((script) => script.test(name)).length > 1)
    throw nameTaken()
}

const toSettings = ({ name, timeZone }: restaurants.Restaurant): RestaurantSettings => ({
  restaurantName: name,
  timeZone,
})
