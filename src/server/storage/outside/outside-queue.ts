import type { ExpressionBuilder } from 'kysely'
import type { Db } from '../engine/types.ts'
import type { Schema } from '../schema.ts'
import type { OutsideChannel } from './outside-channels.ts'

/** What outside channels are to be sent: alerts when nobody answers, and the events of webhooks. */
type Queue = 'outsideAlert' | 'outsideEvent'

/** For the channel of something that is due then. A receiver that failed keeps its pause. */
export const dueNoLaterThan = (dueAt: number) => (e: ExpressionBuilder<Schema, 'outsideChannel'>) => ({
  nextAt: e
    .case()
    .when(e.or([e('nextAt', 'is', null), e.and([e('failing', '=', 0), e('nextAt', '>', dueAt)])]))
    .then(dueAt)
    .else(e.ref('nextAt'))
    .end(),
})

/** Null when nothing waits for the channel. */
export async function firstDue(
  db: Db,
  queue: Queue,
  { restaurantId, id: channelId }: Pick<OutsideChannel, 'restaurantId' | 'id'>,
): Promise<number | null> {
  const first = await db
    .selectFrom(queue)
    .select('dueAt')
    .where((e) => e.and({ restaurantId, channelId }))
    .where('doneAt', 'is', null)
    .orderBy('dueAt')
    .limit(1)
    .executeTakeFirst()
  return first?.dueAt ?? null
}

/** How many are to be sent, and when the first of them is due. */
export async function measureQueue(
  db: Db,
  queue: Queue,
): Promise<{ messages: number; firstAt: number | null }> {
  return db
    .selectFrom(queue)
    .select((e) => [e.fn.countAll<number>().as('messages'), e.fn.min('dueAt').as('firstAt')])
    .where('doneAt', 'is', null)
    .executeTakeFirstOrThrow()
}
