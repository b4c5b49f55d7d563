import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type OwnedRestaurant = { id: string; name: string; endsAs: 'trial' | 'deleted' | null }

const selectOwned = (db: Db, ownerId: string) =>
  db
    .selectFrom('restaurant')
    .leftJoin('membership', (j) =>
      j.onRef('membership.restaurantId', '=', 'restaurant.id').on('membership.ownerId', '=', ownerId),
    )
    .leftJoin('restaurantEnding as ending', 'ending.restaurantId', 'restaurant.id')
    .where('restaurant.id', 'in', (e) =>
      e
        .selectFrom('membership')
        .select('restaurantId')
        .where('ownerId', '=', ownerId)
        .union(
          e
            .selectFrom('owner')
            .select((o) => o.ref('restaurantId').$notNull().as('restaurantId'))
            .where('id', '=', ownerId)
            .where('restaurantId', 'is not', null),
        ),
    )

/** The owner's home first, then what they added, in that order. */
export async function list(db: Db, ownerId: string): Promise<OwnedRestaurant[]> {
  return selectOwned(db, ownerId)
    .select(['restaurant.id', 'restaurant.name', 'ending.kind as endsAs'])
    .orderBy((e) => e.fn.coalesce('membership.addedAt', e.lit(0)))
    .orderBy('restaurant.id')
    .execute()
}

export const owns = (db: Db, ownerId: string, restaurantId: string): Promise<boolean> =>
  hasRow(selectOwned(db, ownerId).select('restaurant.id').where('restaurant.id', '=', restaurantId))

export async function insert(db: Db, membership: Schema['membership']): Promise<void> {
  await db.insertInto('membership').values(membership).execute()
}

/**
 * Before a restaurant is erased, which would erase the owners with it whose home it is: those with another restaurant get
 * a new home, to which all that proves who they are moves. One that stays, if there is one. Locks the owners: one who is
 * adding a restaurant at this moment has another.
 */
export async function moveOwnersFrom(db: Db, restaurantId: string): Promise<void> {
  const owners = await db
    .updateTable('owner')
    .set((e) => ({ email: e.ref('email') }))
    .where('restaurantId', '=', restaurantId)
    .returning('id')
    .execute()
  for (const { id } of owners) {
    const others = (await list(db, id)).filter((other) => other.id !== restaurantId)
    const home = others.find(({ endsAs }) => endsAs === null) ?? others[0]
    if (home) await moveOwner(db, { id, from: restaurantId, to: home.id })
  }
}

type Move = { id: string; from: string; to: string }

async function moveOwner(db: Db, { id, from, to }: Move): Promise<void> {
  await db.updateTable('owner').set({ restaurantId: to }).where('id', '=', id).execute()
  await db
    .deleteFrom('membership')
    .where((e) => e.and({ ownerId: id, restaurantId: to }))
    .execute()
  const subject = { restaurantId: from, kind: 'owner', subjectId: id } as const
  for (const table of ['passkey', 'authenticator'] as const)
    await db
      .updateTable(table)
      .set({ restaurantId: to })
      .where((e) => e.and(subject))
      .execute()
  await db
    .updateTable('recoveryCode')
    .set({ restaurantId: to })
    .where((e) => e.and({ restaurantId: from, subjectKind: 'owner', subjectId: id }))
    .execute()
  await db
    .updateTable('passwordReset')
    .set({ restaurantId: to })
    .where((e) => e.and({ restaurantId: from, ownerId: id }))
    .execute()
}
