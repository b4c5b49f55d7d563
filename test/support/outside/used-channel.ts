import type { Db } from '../../../src/server/storage/engine/types.ts'
import * as outsideChannels from '../../../src/server/storage/outside/outside-channels.ts'

type UsedChannel = { restaurantId: string; id: string; address: string; lastAt: number }

/** Stores a webhook that was last called at `lastAt`. */
export async function insertUsedChannel(db: Db, { lastAt, ...channel }: UsedChannel): Promise<void> {
  const { restaurantId, id } = await outsideChannels.insert(db, {
    ...channel,
    kind: 'webhook',
    secret: 'whsec_1',
    createdAt: 1,
    confirmedAt: 1,
  })
  await db
    .updateTable('outsideChannel')
    .set({ lastAt })
    .where((e) => e.and({ restaurantId, id }))
    .execute()
}
