import * as streams from '../storage/streams.ts'
import type { Ctx } from './ports.ts'
import { read } from './transaction.ts'

export const streamName = streams.streamName

/** The number of the last event that was committed. */
export const position = (ctx: Ctx, restaurantId: string, name: string): Promise<number> =>
  streams.lastSeq(read(ctx), restaurantId, name)

export const positions = (ctx: Ctx, restaurantIds: string[]) => streams.positions(read(ctx), restaurantIds)
