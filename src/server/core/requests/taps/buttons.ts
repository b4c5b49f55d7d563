import {
  type ButtonPress,
  type CreatedTableButton,
  maxButtons,
  type NewTableButton,
  type TableButton,
} from '#contract/requests/buttons.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Restaurant } from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as floor from '../../../storage/floor/floor.ts'
import { needLabel, ownNeedIdOf, serviceTypeOf } from '../../../storage/requests/asked-need.ts'
import * as tableButtons from '../../../storage/requests/table-buttons.ts'
import type { TableButtonRow } from '../../../storage/requests/table-buttons.ts'
import { type Actor, anonymousActor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { authorize, authorizeInRestaurant } from '../../authorize.ts'
import { requireSubscription } from '../../billing/billing.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, notFound } from '../../errors.ts'
import { refuseTable } from '../../floor/floor.ts'
import { createProof } from '../../floor/qr-links.ts'
import { needKeyOf, resolveNeed } from '../../guests/needs.ts'
import { read, write } from '../../transaction.ts'
import { buttonRevoked, send, type SendResult } from '../requests.ts'

export async function list(ctx: Ctx, actor: Actor): Promise<TableButton[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tableButtons.list')
  return tableButtons.list(read(ctx), restaurantId)
}

export async function add(
  ctx: Ctx,
  actor: Actor,
  { tableId, ...need }: NewTableButton,
): Promise<CreatedTableButton> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'tableButtons.add')
  await requireTable(read(ctx), restaurantId, tableId)
  if (right === 'paid') await requireSubscription(ctx, restaurantId)
  const token = ctx.secrets.newToken()
  const button = {
    id: ctx.newId(),
    tableId,
    serviceType: needKeyOf(need),
    createdAt: ctx.now(),
    pressedAt: null,
  }
  await write(ctx, async ({ db }) => {
    const asked = resolveNeed(await requireLocked(db, restaurantId), need)
    if (!asked) throw notFound('Need')
    const { tableNumber } = await requireTable(db, restaurantId, tableId)
    if ((await tableButtons.count(db, restaurantId)) >= maxButtons)
      throw conflict(`A restaurant has at most ${maxButtons} buttons`)
    await tableButtons.insert(db, { ...button, restaurantId, tokenHash: ctx.secrets.digest(token) })
    await audit.record(ctx, db, actor, restaurantId, 'tableButtons.add', {
      tableNumber,
      need: needLabel(asked),
    })
  })
  return { button: tableButtons.toButton(button), token }
}

async function requireLocked(db: Db, restaurantId: string): Promise<Restaurant> {
  const restaurant = await restaurants.lock(db, restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  return restaurant
}

async function requireTable(db: Db, restaurantId: string, id: string): Promise<{ tableNumber: string }> {
  const table = await floor.find(db, restaurantId, id)
  if (table?.category === 'table') return table
  return refuseTable(db, restaurantId, id, 'Guests do not sit at the host stand')
}

/** Its token is refused from now on. */
export async function remove(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tableButtons.remove')
  await write(ctx, async ({ db }) => {
    const restaurant = await requireLocked(db, restaurantId)
    const button = await tableButtons.find(db, restaurantId, id)
    const table = button && (await floor.find(db, restaurantId, button.tableId))
    if (!table) throw notFound('Button')
    await tableButtons.remove(db, restaurantId, id)
    await audit.record(ctx, db, actor, restaurantId, 'tableButtons.remove', {
      tableNumber: table.tableNumber,
      need: needLabel(resolveNeed(restaurant, tapOf(button)) ?? otherNeed),
    })
  })
}

/** Asked for where the restaurant no longer has the need. */
const otherNeed = { serviceType: 'other', need: null, choice: null } as const

const tapOf = ({ serviceType }: Pick<TableButtonRow, 'serviceType'>) => ({
  serviceType: serviceTypeOf(serviceType),
  need: ownNeedIdOf(serviceType),
})

/** As if a guest who scanned the table's code had tapped, whoever else the caller is signed in as. */
export async function press(ctx: Ctx, actor: Actor, { token, id }: ButtonPress): Promise<SendResult> {
  authorize(actor, 'buttons.press')
  const db = read(ctx)
  const button = await tableButtons.findByToken(db, ctx.secrets.digest(token))
  const restaurant = button && (await restaurants.findById(db, button.restaurantId))
  const table = button && (await floor.find(db, button.restaurantId, button.tableId))
  if (!restaurant || !table) {
    await ctx.limits.take('guest-button-miss', actor.address)
    throw buttonRevoked()
  }
  await ctx.limits.take('guest-button', button.id)
  const tap = {
    id,
    restaurantId: restaurant.name,
    tableNumber: table.tableNumber,
    ...tapOf(button),
    k: createProof(ctx, restaurant, table.id),
  }
  return send(ctx, anonymousActor(actor.address), tap, button)
}
