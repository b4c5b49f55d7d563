import { useCallback, useEffect, useRef, useState } from 'react'
import { useLive } from '../../api/use-live.ts'
import { type RequestsState, type WaitedTap, whoWasFirst } from './requests-fold.ts'

const shownMs = 15_000

type Pending = { tap: WaitedTap; waited: boolean; answered: boolean }

export type Outdone = {
  /** In words; null when nobody was faster. */
  text: string | null
  /** To be called with each tap; answers what is to be called when the server has answered it. */
  watch: (tap: WaitedTap) => (done: 'answered' | 'refused') => void
  /** What was taken back before it was sent. */
  forget: (id: string) => void
}

/** Whether colleagues were first with what was tapped while the connection was away: known when it is back. */
export function useOutdone(state: RequestsState, connected: boolean): Outdone {
  const live = useLive()
  const [text, setText] = useState<string | null>(null)
  const pending = useRef(new Set<Pending>())
  const latest = useRef({ state, connected })

  const judge = useCallback(() => {
    if (!latest.current.connected) return
    const waited = [...pending.current].filter((each) => each.waited)
    if (waited.length === 0 || waited.some(({ answered }) => !answered)) return
    for (const each of waited) pending.current.delete(each)
    const words = waited.flatMap(({ tap }) => whoWasFirst(latest.current.state, tap) ?? [])
    if (words.length > 0) setText(words.join(' · '))
  }, [])

  useEffect(() => {
    latest.current = { state, connected }
    if (!connected) for (const each of pending.current) each.waited = true
    judge()
  }, [state, connected, judge])

  useEffect(() => {
    if (text === null) return undefined
    const timer = setTimeout(() => setText(null), shownMs)
    return () => clearTimeout(timer)
  }, [text])

  const watch = useCallback<Outdone['watch']>(
    (tap) => {
      const one: Pending = { tap, waited: live.connection.state !== 'live', answered: false }
      pending.current.add(one)
      return (done) => {
        one.answered = true
        if (done === 'refused' || !one.waited) pending.current.delete(one)
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
