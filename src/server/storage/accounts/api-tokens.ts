import type { Db } from '../engine/types.ts'
import { countRows } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type ApiTokenRow = Schema['apiToken']
type TokenRef = Pick<ApiTokenRow, 'restaurantId' | 'id'>

const ofRestaurant = (db: Db, restaurantId: string) =>
  db.selectFrom('apiToken').where('restaurantId', '=', restaurantId)

/** Oldest first. */
export const list = (db: Db, restaurantId: string): Promise<ApiTokenRow[]> =>
  ofRestaurant(db, restaurantId).selectAll().orderBy('createdAt').orderBy('id').execute()

export const count = (db: Db, restaurantId: string): Promise<number> =>
  countRows(ofRestaurant(db, restaurantId))

export async function insert(db: Db, row: ApiTokenRow): Promise<void> {
  await db.insertInto('apiToken').values(row).execute()
}

/** Undefined when there is no such token. */
export const remove = (db: Db, { restaurantId, id }: TokenRef): Promise<ApiTokenRow | undefined> =>
  db
    .deleteFrom('apiToken')
    .where((e) => e.and({ restaurantId, id }))
    .returningAll()
    .executeTakeFirst()

/** Tokens that are valid: not expired, and of a restaurant that is not deleted. */
const selectValid = (db: Db, now: number) =>
  db
    .selectFrom('apiToken')
    .selectAll()
    .where((e) => e.or([e('expiresAt', 'is', null), e('expiresAt', '>', now)]))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('restaurantEnding')
            .select('kind')
            .whereRef('restaurantEnding.restaurantId', '=', 'apiToken.restaurantId')
            .where('kind', '=', 'deleted'),
        ),
      ),
    )

/** In any restaurant: a call with a token names none. */
export const findValidByToken = (db: Db, tokenHash: string, now: number): Promise<ApiTokenRow | undefined> =>
  selectValid(db, now).where('tokenHash', '=', tokenHash).executeTakeFirst()

export const findValid = (
  db: Db,
  { restaurantId, id }: TokenRef,
  now: number,
): Promise<ApiTokenRow | undefined> =>
  selectValid(db, now)
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()

export async function recordUse(db: Db, { restaurantId, id }: TokenRef, lastUsedAt: number): Promise<void> {
  await db
    .updateTable('apiToken')
    .set({ lastUsedAt })
    .where((e) => e.and({ restaurantId, id }))
    .execute()
}
