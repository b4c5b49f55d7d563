import type { LimitName } from '../../ports/limits.ts'
import type { Ctx } from '../ctx.ts'
import { Refusal } from '../errors.ts'

/** Counts one attempt. False if the limit is reached. */
export async function tryTake({ limits }: Ctx, limit: LimitName, key: string): Promise<boolean> {
  try {
    await limits.take(limit, key)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
