import type { Break } from '#contract/crew/shift.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export async function list(db: Db, restaurantId: string): Promise<Break[]> {
  const rows = await db.run(listBreaks, { restaurantId })
  return rows.map(({ crewMemberId, coverId }) => ({ crewMemberId, coverId }))
}

const listBreaks = defineStatement<{ restaurantId: string }, Break & { n: number }>({
  name: 'breaks',
  input: { restaurantId: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('crewBreak', (j) => j.on(isOnly('crewBreak.restaurantId', 'input.restaurantId')))
      .select(['input.n', 'crewMemberId', 'coverId'])
      .orderBy('crewMemberId'),
})

export async function start(db: Db, row: Schema['crewBreak']): Promise<void> {
  await db
    .insertInto('crewBreak')
    .values(row)
    .onConflict((c) =>
      c.columns(['restaurantId', 'crewMemberId']).doUpdateSet({ coverId: row.coverId, since: row.since }),
    )
    .execute()
}

/** Replaces a cover by another one, or by all crew if null. Nobody covers for themselves. */
export async function reassignCovers(
  db: Db,
  restaurantId: string,
  coverId: string,
  to: string | null,
): Promise<void> {
  await db
    .updateTable('crewBreak')
    .set((e) => ({
      coverId: e
        .case()
        .when('crewMemberId', '=', to ?? '')
        .then(null)
        .else(to)
        .end(),
    }))
    .where((e) => e.and({ restaurantId, coverId }))
    .execute()
}

/** False when there was no break. */
export const end = (db: Db, restaurantId: string, crewMemberId: string): Promise<boolean> =>
  hasRow(
    db
      .deleteFrom('crewBreak')
      .where((e) => e.and({ restaurantId, crewMemberId }))
      .returning('crewMemberId'),
  )
