import { useEffect, useRef } from 'react'
import { api, type Route } from '#contract/api.ts'
import { useConnection, useLive, useLiveState } from '../../../api/live/use-live.ts'
import { useWatchedRestaurant } from '../../../api/live/use-watched-restaurant.ts'
import { useApiCache } from '../../../api/queries.ts'
import { todayReducer, initialTodayState, type TodayState } from './today-reducer.ts'

/** A busy hour brings several events a second; what they change is read again at most this often. */
const refreshDelayMs = 1500

const figures: Route[] = [api.analytics.overview]
const floor: Route[] = [api.crew.list, api.floor.tables, api.floor.assignmentsByDate]

/** Today's state from the live channel; what it makes stale is fetched again. */
export function useToday(restaurantName: string): TodayState {
  const state = useLiveState(todayReducer, initialTodayState)
  const { invalidate } = useApiCache()

  useWatchedRestaurant(restaurantName)
  useRefresh(state.revision, figures)
  useRefresh(state.floorRevision, floor)

  const live = useLive()
  useEffect(
    () =>
      live.onMessage(({ type }) => {
        if (type === 'opening-changed') void invalidate(api.opening.state)
      }),
    [live, invalidate],
  )
  // A screen that missed nothing gets no list, but changed opening hours are not sent again, and a day may be over.
  const isLive = useConnection().state === 'live'
  const wasLive = useRef(false)
  useEffect(() => {
    if (isLive && wasLive.current) void invalidate(...figures, ...floor, api.opening.state)
    wasLive.current ||= isLive
  }, [isLive, invalidate])
  return state
}

function useRefresh(revision: number, routes: readonly Route[]): void {
  const { invalidate } = useApiCache()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (revision === 0 || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void invalidate(...routes)
    }, refreshDelayMs)
  }, [revision, routes, invalidate])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}
