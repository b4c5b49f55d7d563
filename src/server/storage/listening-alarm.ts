import type { Db } from './engine/types.ts'

/** True for the one that raises it. One that was raised before `since`, when somebody began to listen, is over. */
export async function raise(
  db: Db,
  restaurantId: string,
  { at, since }: { at: number; since: number },
): Promise<boolean> {
  const row = await db
    .insertInto('listeningAlarm')
    .values({ restaurantId, raisedAt: at })
    .onConflict((c) =>
      c
        .column('restaurantId')
        .doUpdateSet({ raisedAt: at })
        .where((e) =>
          e.or([e('listeningAlarm.raisedAt', 'is', null), e('listeningAlarm.raisedAt', '<', since)]),
        ),
    )
    .returning('restaurantId')
    .executeTakeFirst()
  return row !== undefined
}

/** True for the one that lowers it. */
export async function lower(db: Db, restaurantId: string): Promise<boolean> {
  const row = await db
    .updateTable('listeningAlarm')
    .set({ raisedAt: null })
    .where('restaurantId', '=', restaurantId)
    .where('raisedAt', 'is not', null)
    .returning('restaurantId')
    .executeTakeFirst()
  return row !== undefined
}
