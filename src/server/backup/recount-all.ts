import { findDifferences } from '../core/requests/recount.ts'
import type { QueryDb } from '../storage/engine/types.ts'
import * as history from '../storage/requests/request-history.ts'
import type { OnProgress } from './progress.ts'

export type Recount = { restaurants: number; requests: number; events: number; differences: string[] }

const requestsPerStep = 500

/** Compares what is stored of every request with what its events say. */
export async function recountAll(db: QueryDb, onProgress: OnProgress = () => {}): Promise<Recount> {
  const total = await history.countRequests(db)
  const restaurantIds = await history.listRestaurantIds(db)
  const differences: string[] = []
  let [requests, events] = [0, 0]
  for (const restaurantId of restaurantIds)
    for (let after = ''; ;) {
      const states = await history.listStates(db, restaurantId, { after, limit: requestsPerStep })
      const [first, last] = [states[0], states.at(-1)]
      if (!first || !last) break
      const span = { from: first.id, to: last.id }
      const found = await history.listEventsBetween(db, restaurantId, span)
      const byRequest = Map.groupBy(found, ({ requestId }) => requestId)
      for (const state of states)
        for (const difference of findDifferences(state, byRequest.get(state.id) ?? []))
          differences.push(`request ${state.id}: ${difference}`)
      requests += states.length
      events += found.length
      after = last.id
      onProgress(requests, total)
    }
  return { restaurants: restaurantIds.length, requests, events, differences }
}
