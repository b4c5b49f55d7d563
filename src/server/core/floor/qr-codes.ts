import { setImmediate } from 'node:timers/promises'
import type { NewQrCode, QrCode, QrSheet, TableCard } from '#contract/floor/qr.ts'
import { printShortCode } from '#contract/guests/short-links.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as qrCodes from '../../storage/floor/qr-codes.ts'
import * as shortLinks from '../../storage/guests/short-links.ts'
import { requireSameRestaurant, restaurantOf } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import { requireSubscription } from '../billing/billing.ts'
import type { Ctx } from '../ctx.ts'
import { Refusal } from '../errors.ts'
import { ensureShortLinks } from '../guests/short-links.ts'
import { read, write } from '../transaction.ts'
import * as floor from './floor.ts'
import { renderPng, renderSvg } from './qr-image.ts'
import { buildGuestLink } from './qr-links.ts'

export async function mine(ctx: Ctx, actor: Actor): Promise<QrCode> {
  const { restaurantId } = authorizeInRestaurant(actor, 'qr.mine')
  const stored = await qrCodes.find(read(ctx), restaurantId)
  if (!stored) throw new Refusal('not_found', 'No QR code yet')
  const restaurant = await restaurantOf(read(ctx), actor)
  const link = buildGuestLink(ctx, restaurant, null)
  // The installation's address may have changed since the code was generated.
  const qrCodeDataUrl = stored.link === link ? stored.png : renderPng(link)
  return { restaurantId: restaurant.name, qrCodeDataUrl, link }
}

/** Generates the restaurant's code. The posted picture is ignored: its link could lead anywhere. */
export async function generate(ctx: Ctx, actor: Actor, { restaurantId: name }: NewQrCode): Promise<QrCode> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'qr.generate')
  const restaurant = await requireSameRestaurant(ctx, read(ctx), restaurantId, name)
  if (right === 'paid') await requireSubscription(ctx, restaurantId)
  const link = buildGuestLink(ctx, restaurant, null)
  const png = renderPng(link)
  await write(ctx, async ({ db }) => {
    await qrCodes.save(db, {
      restaurantId,
      generation: restaurant.codeGeneration,
      link,
      png,
      createdAt: ctx.now(),
    })
    await audit.record(ctx, db, actor, restaurantId, 'qr.generate')
  })
  return { restaurantId: restaurant.name, qrCodeDataUrl: png, link }
}

/** Also the first step of regenerating: from now on every printed code is unverified, and no short link leads anywhere. */
export async function remove(ctx: Ctx, actor: Actor): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'qr.remove')
  await write(ctx, async ({ db }) => {
    if (!(await qrCodes.remove(db, restaurantId))) return
    await restaurants.raiseCodeGeneration(db, restaurantId)
    await shortLinks.removeAll(db, restaurantId)
    await audit.record(ctx, db, actor, restaurantId, 'qr.remove')
  })
}

/** The number of cards drawn before other requests get a turn. */
const batchSize = 25

/** A card for every table, with the table's own code. */
export async function sheet(ctx: Ctx, actor: Actor): Promise<QrSheet> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'qr.sheet')
  if (right === 'paid') await requireSubscription(ctx, restaurantId)
  await ctx.limits.take('code-sheet', restaurantId)
  const tables = await floor.tables(ctx, actor)
  const ids = tables.map(({ id }) => id)
  const { restaurant, codes } = await write(ctx, async ({ db }) => ({
    codes: await ensureShortLinks(ctx, db, restaurantId, ids),
    restaurant: await restaurantOf(db, actor),
  }))
  const cards: TableCard[] = []
  for (const { id, tableNumber } of tables) {
    const link = buildGuestLink(ctx, restaurant, { id, tableNumber })
    const shortLink = `${ctx.settings.publicUrl}/t/${printShortCode(codes.get(id) ?? '')}`
    cards.push({ id, tableNumber, link, shortLink, svg: renderSvg(link) })
    if (cards.length % batchSize === 0) await setImmediate()
  }
  return { cards, nameKeys: await restaurants.listNameKeys(read(ctx), restaurantId) }
}
