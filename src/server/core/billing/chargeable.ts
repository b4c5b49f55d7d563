import * as endings from '../../storage/accounts/restaurant-endings.ts'
import type { Ctx } from '../ctx.ts'
import { conflict } from '../errors.ts'
import { read } from '../transaction.ts'

/**
 * The owner of a deleted restaurant is told that nothing more is charged. Neither they nor a visitor of a demo can
 * cancel once it is erased; the sandbox charges nobody.
 */
async function findRefusal(ctx: Ctx, restaurantId: string): Promise<string | null> {
  const ending = await endings.find(read(ctx), restaurantId)
  if (ending?.kind === 'deleted') return 'Your restaurant is deleted. Please restore it first.'
  if (ending?.kind === 'trial' && ctx.payments.sandbox === null)
    return 'This is a demo, which is erased soon. Nothing can be bought for it.'
  return null
}

export const isChargeable = async (ctx: Ctx, restaurantId: string): Promise<boolean> =>
  (await findRefusal(ctx, restaurantId)) === null

export async function requireChargeable(ctx: Ctx, restaurantId: string): Promise<void> {
  const refusal = await findRefusal(ctx, restaurantId)
  if (refusal !== null) throw conflict(refusal)
}
