import * as streams from '../storage/streams.ts'
import type { Ctx } from './ports.ts'
import { read } from './transaction.ts'

export const { streamKey, streamName } = streams

/** The number of the last committed event. */
export const getPosition = (ctx: Ctx, restaurantId: string, name: string): Promise<number> =>
  streams.findLastSequence(read(ctx), restaurantId, name)

/** The streams that have more events than these positions say. */
export const listAhead = (ctx: Ctx, known: streams.Positions) => streams.listAhead(read(ctx), known)
