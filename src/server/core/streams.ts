import * as streams from '../storage/streams.ts'
import type { Ctx } from './ports.ts'
import { read } from './transaction.ts'

export const streamName = streams.streamName

/** The number of the last committed event. */
export const getPosition = (ctx: Ctx, restaurantId: string, name: string): Promise<number> =>
  streams.findLastSequence(read(ctx), restaurantId, name)

export const listPositions = (ctx: Ctx, restaurantIds: string[]) =>
  streams.listPositions(read(ctx), restaurantIds)
