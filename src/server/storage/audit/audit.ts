import type { Db } from '../engine/types.ts'
import type { Schema } from '../schema.ts'

export type AuditEntry = Schema['auditEntry']

export async function append(db: Db, entry: AuditEntry): Promise<void> {
  await db.insertInto('auditEntry').values(entry).execute()
}

/** Newest first: ids are in chronological order. */
export async function list(
  db: Db,
  restaurantId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<AuditEntry[]> {
  const query = db
    .selectFrom('auditEntry')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy('id', 'desc')
    .limit(limit)
  return (before === undefined ? query : query.where('id', '<', before)).execute()
}
