import { useCallback, useEffect, useRef, useState } from 'react'
import { type RequestsState, type DelayedAction, describeConflict } from './requests-reducer.ts'

const noticeMs = 15_000

type WatchedTap = { tap: DelayedAction; wasOffline: boolean; answered: boolean }

export type ConflictNotice = {
  /** Null when nobody was faster. */
  text: string | null
  /** Called with each tap; call the returned function when the server has answered it. */
  watch: (tap: DelayedAction, wasOffline: boolean) => (done: 'answered' | 'refused') => void
  /** For a tap that was cancelled before it was sent. */
  forget: (id: string) => void
}

/** After a reconnection: reports which colleagues were faster than the delayed taps. */
export function useConflictNotice(state: RequestsState, connected: boolean): ConflictNotice {
  const [text, setText] = useState<string | null>(null)
  const pending = useRef(new Set<WatchedTap>())
  const latest = useRef({ state, connected })

  const check = useCallback(() => {
    if (!latest.current.connected) return
    const delayed = [...pending.current].filter(({ wasOffline }) => wasOffline)
    if (delayed.length === 0 || delayed.some(({ answered }) => !answered)) return
    for (const tap of delayed) pending.current.delete(tap)
    const notices = delayed.flatMap(({ tap }) => describeConflict(latest.current.state, tap) ?? [])
    if (notices.length > 0) setText(notices.join(' · '))
  }, [])

  useEffect(() => {
    latest.current = { state, connected }
    if (!connected) for (const watched of pending.current) watched.wasOffline = true
    check()
  }, [state, connected, check])

  useEffect(() => {
    if (text === null) return undefined
    const timer = setTimeout(() => setText(null), noticeMs)
    return () => clearTimeout(timer)
  }, [text])

  const watch = useCallback<ConflictNotice['watch']>(
    (tap, wasOffline) => {
      const watched: WatchedTap = { tap, wasOffline, answered: false }
      pending.current.add(watched)
      return (done) => {
        watched.answered = true
        if (done === 'refused' || !watched.wasOffline) pending.current.delete(watched)
        check()
      }
    },
    [check],
  )
  const forget = useCallback((id: string) => {
    for (const watched of pending.current) if (watched.tap.id === id) pending.current.delete(watched)
  }, [])
  return { text, watch, forget }
}
