import type { Schema } from '../../src/server/storage/schema.ts'
import type { Restaurant } from '../restaurant.ts'
import type { Options } from '../steps.ts'

/** What is stored after a step, read from the tables themselves. */
export type Evidence = {
  restaurant: Restaurant
  options: Options
  now: number
  requests: Schema['serviceRequest'][]
  events: Schema['requestEvent'][]
  /** The last number of the staff's stream. */
  lastSeq: number
}

/** Names each breach of one promise; nothing where it holds. */
export type Checker = (evidence: Evidence) => string[] | Promise<string[]>

export async function readEvidence(restaurant: Restaurant, options: Options): Promise<Evidence> {
  const db = restaurant.server.app.ctx.db.reader
  const requests = await db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurant.id)
    .execute()
  const events = await db
    .selectFrom('requestEvent')
    .selectAll()
    .where('restaurantId', '=', restaurant.id)
    .orderBy('at')
    .execute()
  const stream = await db
    .selectFrom('liveStream')
    .select('lastSeq')
    .where('restaurantId', '=', restaurant.id)
    .where('name', '=', 'staff')
    .executeTakeFirst()
  return { restaurant, options, now: restaurant.time.now(), requests, events, lastSeq: stream?.lastSeq ?? 0 }
}
