import * as restaurants from '../storage/restaurants.ts'
import { type Ctx, read } from './context.ts'

/** What keeps this node from doing its work right now. */
export async function check(ctx: Ctx): Promise<string[]> {
  const database = await restaurants.any(read(ctx)).then(
    () => true,
    () => false,
  )
  const bus = await ctx.bus.ready()
  return [...(database ? [] : ['The database does not answer']), ...(bus ? [] : ['The bus does not answer'])]
}
