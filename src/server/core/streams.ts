import * as streams from '../storage/streams.ts'
import type { Ctx } from './ctx.ts'
import type { Topic } from './topics.ts'
import { read } from './transaction.ts'

export const { hasStream, streamKey, parseStreamKey } = streams
export type Positions = streams.Positions

/** The key of the stream that numbers this topic's events. */
export const streamOf = (topic: Topic): string => streamKey(topic.restaurantId, streams.streamName(topic))

/** The number of the last committed event. */
export function getPosition(ctx: Ctx, stream: string): Promise<number> {
  const { restaurantId, name } = parseStreamKey(stream)
  return streams.findLastSequence(read(ctx), restaurantId, name)
}

/** The streams that have more events than these positions say. */
export const listAhead = (ctx: Ctx, known: streams.Positions) => streams.listAhead(read(ctx), known)
