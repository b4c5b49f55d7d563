import * as endings from '../../storage/accounts/restaurant-endings.ts'
import type { Ctx } from '../ctx.ts'
import { conflict } from '../errors.ts'
import { read } from '../transaction.ts'

export const isDeleted = (ctx: Ctx, restaurantId: string): Promise<boolean> =>
  endings.isDeleted(read(ctx), restaurantId)

/** Its owner is told before a deletion that nothing more is charged, and cannot cancel once it is erased. */
export async function requireNotDeleted(ctx: Ctx, restaurantId: string): Promise<void> {
  if (await isDeleted(ctx, restaurantId))
    throw conflict('Your restaurant is deleted. Please restore it first.')
}
