import type { Restaurant } from '../../storage/accounts/restaurants.ts'
import type { Ctx } from '../ctx.ts'

type CodesOf = Pick<Restaurant, 'id' | 'codeGeneration' | 'codeKey'>

/** The `k` of a printed code: it proves one table or, without a table, the whole restaurant. */
export function createProof(ctx: Ctx, restaurant: CodesOf, tableId: string | null): string {
  const { id, codeGeneration, codeKey } = restaurant
  return `${codeGeneration}.${ctx.secrets.sign(codeKey, `v1|${id}|${tableId ?? '*'}|${codeGeneration}`)}`
}

export function isValidProof(
  ctx: Ctx,
  restaurant: CodesOf,
  tableId: string | null,
  k: string | undefined,
): boolean {
  if (k === undefined) return false
  const proofs = [
    createProof(ctx, restaurant, null),
    ...(tableId === null ? [] : [createProof(ctx, restaurant, tableId)]),
  ]
  return proofs.some((proof) => ctx.secrets.equal(proof, k))
}

/** Where a code leads: the restaurant's name, the table if the code is for one, and the proof. */
export function buildGuestLink(
  ctx: Ctx,
  restaurant: Restaurant,
  table: { id: string; tableNumber: string } | null,
): string {
  const query = new URLSearchParams({
    r: restaurant.name,
    ...(table && { t: table.tableNumber }),
    k: createProof(ctx, restaurant, table?.id ?? null),
  })
  return `${ctx.settings.publicUrl}/customer?${query}`
}
