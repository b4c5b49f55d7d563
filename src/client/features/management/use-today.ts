import { useEffect, useRef } from 'react'
import { api } from '#contract/api.ts'
import { useReads } from '../../api/queries.ts'
import { useLive, useLiveState } from '../../api/use-live.ts'
import { fold, nothingYet, type TodayState } from './today-fold.ts'

/** A busy hour brings several events a second; figures follow at this distance. */
const followAfterMs = 1500

/** What the live channel tells of today; figures that it makes old are read again. */
export function useToday(): TodayState {
  const live = useLive()
  const state = useLiveState(fold, nothingYet)
  const { refresh } = useReads()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  // Nobody serves guests from this screen: it must not count as one that hears them.
  useEffect(() => {
    live.setContext({ type: 'listening', sound: false, push: false, visible: false })
    return () => live.forgetContext('listening')
  }, [live])

  const { news } = state
  useEffect(() => {
    if (news === 0 || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void refresh(api.analytics.overview, api.floor.assignmentsByDate)
    }, followAfterMs)
  }, [news, refresh])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return state
}
