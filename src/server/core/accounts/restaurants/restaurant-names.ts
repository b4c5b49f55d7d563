import { nameKey } from '#contract/primitives.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict } from '../../errors.ts'

export const nameTaken = () => conflict('This restaurant name is not available')

/** Names the other restaurant if only the spelling differs. Former names are not told. */
export async function nameTakenBy(db: Db, name: string): Promise<Error> {
  const other = await restaurants.findByName(db, name)
  const differsInSpelling = other && other.name !== name && nameKey(other.name) === nameKey(name)
  return differsInSpelling ? conflict(`There is a restaurant called ${other.name} already`) : nameTaken()
}

const reservedNames = new Set(['default', 'me', 'admin', 'api', 'demo'])
const letterScripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

/** A name with letters of two alphabets could pass for another restaurant's. */
export function refuseReserved(name: string): void {
  if (reservedNames.has(nameKey(name)) || letterScripts.filter((script) => script.test(name)).length > 1)
    throw nameTaken()
}

/** A name stays taken for ever, so nobody may take names in bulk, by signing up or by renaming. */
export async function consumeNewNameLimits(ctx: Ctx, { address }: Actor): Promise<void> {
  await ctx.limits.check('new-name-all', '')
  await ctx.limits.take('new-name-hour', address)
  await ctx.limits.take('new-name-day', address)
  await ctx.limits.take('new-name-all', '')
}
