import { readShortCode, shortLinkAlphabet, shortLinkLength } from '#contract/guests/short-links.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as shortLinks from '../../storage/guests/short-links.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorize, authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { invalid, notFound } from '../errors.ts'
import { createProof } from '../floor/qr-links.ts'
import { read, write } from '../transaction.ts'

/** The code of each table's link, by the table's id. Those that are missing are made. */
export async function ensureShortLinks(
  ctx: Ctx,
  db: Db,
  restaurantId: string,
  tableIds: readonly string[],
): Promise<Map<string, string>> {
  await restaurants.lock(db, restaurantId)
  await shortLinks.removeOrphans(db, restaurantId)
  const codes = new Map((await shortLinks.list(db, restaurantId)).map(({ tableId, code }) => [tableId, code]))
  const lacking = (): string[] => tableIds.filter((id) => !codes.has(id))
  for (let ids = lacking(); ids.length > 0; ids = lacking()) {
    const links = ids.map((tableId) => ({
      restaurantId,
      tableId,
      code: createCode(ctx),
      createdAt: ctx.now(),
    }))
    for (const { tableId, code } of await shortLinks.insert(db, links)) codes.set(tableId, code)
  }
  return codes
}

/** Bytes from here on would make the first letters likelier. */
const unbiased = 256 - (256 % shortLinkAlphabet.length)

function createCode(ctx: Ctx): string {
  let code = ''
  while (code.length < shortLinkLength) {
    for (const byte of Buffer.from(ctx.secrets.newToken(), 'base64url'))
      if (byte < unbiased) code += shortLinkAlphabet[byte % shortLinkAlphabet.length]
  }
  return code.slice(0, shortLinkLength)
}

/** The table gets another link with the next cards. What its code carries stays valid. */
export async function revokeShortLink(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'qr.revokeShortLink')
  await write(ctx, async ({ db }) => {
    await restaurants.lock(db, restaurantId)
    const table = await floor.find(db, restaurantId, id)
    if (!table) throw notFound('Table')
    if (!(await shortLinks.remove(db, restaurantId, id))) return
    await audit.record(ctx, db, actor, restaurantId, 'qr.revokeShortLink', { tableNumber: table.tableNumber })
  })
}

/** Where the link leads: what is in the printed code of its table. Wrong ones are counted by address. */
export async function open(
  ctx: Ctx,
  actor: Actor,
  typed: string,
): Promise<{ r: string; t: string; k: string }> {
  authorize(actor, 'shortLinks.open')
  const code = readShortCode(typed)
  const db = read(ctx)
  const link = code === null ? undefined : await shortLinks.findByCode(db, code)
  const restaurant = link && (await restaurants.findById(db, link.restaurantId))
  const table = link && (await floor.find(db, link.restaurantId, link.tableId))
  if (!restaurant || !table) {
    await ctx.limits.take('guest-link-miss', actor.address)
    throw invalid('Please check what you typed.')
  }
  // Otherwise a right one would still tell itself apart from wrong ones.
  await ctx.limits.check('guest-link-miss', actor.address)
  return { r: restaurant.name, t: table.tableNumber, k: createProof(ctx, restaurant, table.id) }
}
