import { sql } from 'kysely'
import type { Ctx } from '../../../src/server/core/ctx.ts'
import { localDay } from '../../../src/server/core/dates.ts'
import { write } from '../../../src/server/core/transaction.ts'

/** Many at once, with two events each. */
export async function insertClosedRequests(
  ctx: Ctx,
  restaurantId: string,
  { count, at }: { count: number; at: number },
): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `${restaurantId}-${at}-${index}`)
  const list = sql.raw(`(values ${ids.map((id) => `('${id}')`).join(', ')})`)
  await write(ctx, async ({ db }) => {
    await sql`with n(id) as ${list} insert into service_request (restaurant_id, id, table_number, table_key, service_type,
      created_at, local_day, asks, last_asked_at, seen, level, verified, closed_at, closed_as)
      select cast(${restaurantId} as text), id, '1', '1', 'drinks', cast(${at} as bigint), cast(${localDay(at, 'UTC')} as text),
      1, cast(${at} as bigint), 0, 0, 0, cast(${at} as bigint), 'completed' from n`.execute(db)
    for (const kind of ['created', 'completed'])
      await sql`with n(id) as ${list} insert into request_event (restaurant_id, id, request_id, at, kind, actor_kind)
        select cast(${restaurantId} as text), id || cast(${kind} as text), id, cast(${at} as bigint), cast(${kind} as text), 'system'
        from n`.execute(db)
  })
}
