import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as settings from '../../../storage/settings.ts'
import type { Actor } from '../../actor.ts'
import { authorize } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../errors.ts'
import { createProof } from '../../floor/qr-links.ts'
import { read, write } from '../../transaction.ts'
import { requireByName } from '../restaurants/restaurants.ts'
import * as sessions from '../sessions/sessions.ts'

type Demo = {
  restaurantId: string
  /** The digest of the key in its crew link. */
  keyDigest: string
}

const settingName = 'demo'

async function find(db: Db): Promise<Demo | undefined> {
  const value = await settings.get(db, settingName)
  return value === undefined ? undefined : JSON.parse(value)
}

/** False when another node is already creating the demo restaurant. */
export async function claim(ctx: Ctx, restaurantId: string, key: string): Promise<boolean> {
  const demo: Demo = { restaurantId, keyDigest: ctx.secrets.digest(key) }
  const value = JSON.stringify(demo)
  return (await write(ctx, ({ db }) => settings.putIfAbsent(db, settingName, value))) === value
}

/** The demo restaurant's name, if this installation has one. */
export async function findRestaurantName(ctx: Ctx): Promise<string | undefined> {
  const demo = await find(read(ctx))
  return demo && (await restaurants.findById(read(ctx), demo.restaurantId))?.name
}

/** Whoever has the crew link, which the first start prints, may use the demo restaurant's crew portal. */
export async function enterAsCrew(ctx: Ctx, actor: Actor, key: string): Promise<string> {
  authorize(actor, 'demo.enterAsCrew')
  await ctx.limits.check('login-address', actor.address)
  const cookie = await write(ctx, async (tx) => {
    const demo = await find(tx.db)
    if (!demo || !ctx.secrets.equal(demo.keyDigest, ctx.secrets.digest(key))) return undefined
    const grant = { kind: 'device', subjectId: demo.restaurantId, via: 'demo-link' } as const
    return sessions.signIn(ctx, tx, actor, demo.restaurantId, [grant])
  })
  if (cookie !== undefined) return cookie
  await ctx.limits.take('login-address', actor.address)
  throw notFound('Link')
}

/** The link that the QR code of a table holds. */
export async function buildGuestLink(ctx: Ctx, name: string, tableNumber: string): Promise<string> {
  const k = createProof(ctx, await requireByName(ctx, read(ctx), name), null)
  return `/customer?${new URLSearchParams({ r: name, t: tableNumber, k })}`
}
