import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as floor from '../../../storage/floor/floor.ts'
import type { Ctx } from '../../ctx.ts'
import { nameTakenBy } from './restaurant-names.ts'

/** Every restaurant starts with a host stand. Call inside `write`. */
export async function createRestaurant(ctx: Ctx, db: Db, name: string, timeZone: string): Promise<string> {
  const id = ctx.newId()
  const createdAt = ctx.now()
  const codeKey = ctx.secrets.newToken()
  const restaurant = { id, name, timeZone, codeGeneration: 1, codeKey, managedSince: null, createdAt }
  if (!(await restaurants.insert(db, restaurant))) throw await nameTakenBy(db, name)
  const hostStand = { id: ctx.newId(), tableNumber: 'Host Stand', category: 'host stand', createdAt } as const
  await floor.insert(db, id, hostStand)
  return id
}
