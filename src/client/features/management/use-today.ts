import { useEffect, useRef } from 'react'
import { api } from '#contract/api.ts'
import { useApiCache } from '../../api/queries.ts'
import { useLive, useLiveState } from '../../api/use-live.ts'
import { todayReducer, initialTodayState, type TodayState } from './today-reducer.ts'

/** A busy hour brings several events a second; figures are refreshed at most this often. */
const refreshDelayMs = 1500

/** Today's state from the live channel; figures that it makes stale are fetched again. */
export function useToday(): TodayState {
  const live = useLive()
  const state = useLiveState(todayReducer, initialTodayState)
  const { invalidate } = useApiCache()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  // Nobody serves guests from this screen, so it must not count as listening.
  useEffect(() => {
    live.setContext({ type: 'listening', sound: false, push: false, visible: false })
    return () => live.clearContext('listening')
  }, [live])

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
