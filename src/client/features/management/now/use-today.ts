import { useEffect, useRef } from 'react'
import { api } from '#contract/api.ts'
import { useConnection, useLiveState } from '../../../api/live/use-live.ts'
import { useWatchedRestaurant } from '../../../api/live/use-watched-restaurant.ts'
import { useApiCache } from '../../../api/queries.ts'
import { todayReducer, initialTodayState, type TodayState } from './today-reducer.ts'

/** A busy hour brings several events a second; figures are refreshed at most this often. */
const refreshDelayMs = 1500

/** Today's state from the live channel; figures that it makes stale are fetched again. */
export function useToday(restaurantName: string): TodayState {
  const state = useLiveState(todayReducer, initialTodayState)
  const { invalidate } = useApiCache()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useWatchedRestaurant(restaurantName)

  // Assignments have no event, so they may have changed while the connection was lost.
  const isLive = useConnection().state === 'live'
  const wasLive = useRef(false)
  useEffect(() => {
    if (isLive && wasLive.current) void invalidate(api.analytics.overview, api.floor.assignmentsByDate)
    wasLive.current ||= isLive
  }, [isLive, invalidate])

  const { revision } = state
  useEffect(() => {
    if (revision === 0 || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void invalidate(api.analytics.overview, api.floor.assignmentsByDate)
    }, refreshDelayMs)
  }, [revision, invalidate])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return state
}
