import { useCallback, useEffect, useRef, useState } from 'react'
import { useLive } from '../../../api/use-live.ts'
import { type RequestsState, type DelayedAction, describeConflict } from './requests-reducer.ts'

const noticeMs = 15_000

type WatchedTap = { tap: DelayedAction; wasOffline: boolean; answered: boolean }

export type ConflictNotice = {
  /** In words; null when nobody was faster. */
  text: string | null
  /** To be called with each tap; answers what is to be called when the server has answered it. */
  watch: (tap: DelayedAction) => (done: 'answered' | 'refused') => void
  /** What was taken back before it was sent. */
  forget: (id: string) => void
}

/** Whether colleagues were first with what was tapped while the connection was away: known when it is back. */
export function useConflictNotice(state: RequestsState, connected: boolean): ConflictNotice {
  const live = useLive()
  const [text, setText] = useState<string | null>(null)
  const pending = useRef(new Set<WatchedTap>())
  const latest = useRef({ state, connected })

  const judge = useCallback(() => {
    if (!latest.current.connected) return
    const waited = [...pending.current].filter((each) => each.wasOffline)
    if (waited.length === 0 || waited.some(({ answered }) => !answered)) return
    for (const each of waited) pending.current.delete(each)
    const words = waited.flatMap(({ tap }) => describeConflict(latest.current.state, tap) ?? [])
    if (words.length > 0) setText(words.join(' · '))
  }, [])

  useEffect(() => {
    latest.current = { state, connected }
    if (!connected) for (const each of pending.current) each.wasOffline = true
    judge()
  }, [state, connected, judge])

  useEffect(() => {
    if (text === null) return undefined
    const timer = setTimeout(() => setText(null), noticeMs)
    return () => clearTimeout(timer)
  }, [text])

  const watch = useCallback<ConflictNotice['watch']>(
    (tap) => {
      const one: WatchedTap = { tap, wasOffline: live.connection.state !== 'live', answered: false }
      pending.current.add(one)
      return (done) => {
        one.answered = true
        if (done === 'refused' || !one.wasOffline) pending.current.delete(one)
        judge()
      }
    },
    [live, judge],
  )
  const forget = useCallback((id: string) => {
    for (const one of pending.current) if (one.tap.id === id) pending.current.delete(one)
  }, [])
  return { text, watch, forget }
}
