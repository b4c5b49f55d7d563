import * as memberships from '../../../storage/accounts/memberships.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'

/** What an owner's password must not be based on: it opens all of their restaurants. */
export async function loadOwnedRestaurants(
  db: Db,
  ownerId: string,
): Promise<{ names: string[]; staffPasswordHashes: string[] }> {
  const owned = await memberships.list(db, ownerId)
  const rows = await Promise.all(owned.map(({ id }) => restaurants.findById(db, id)))
  return {
    names: owned.map(({ name }) => name),
    staffPasswordHashes: rows.flatMap((row) => row?.staffPasswordHash ?? []),
  }
}
