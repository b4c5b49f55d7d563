import { useCallback, useEffect, useRef, useState } from 'react'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import {
  type RequestAction,
  type RequestsState,
  type DelayedAction,
  describeConflict,
} from '../requests/requests-reducer.ts'

const noticeMs = 15_000

/** What the server answered: the request as it is by then, if it is still open. */
type Answer = { request?: ServiceRequest | undefined }
type WatchedTap = { tap: DelayedAction; wasOffline: boolean }
/** Null when the server refused the tap. */
type Finish = (answer: Answer | null) => void

export type ConflictNotice = {
  /** Null when nobody was faster. */
  text: string | null
  /** Called with each tap; call the returned function when what the server answered has been dispatched. */
  watch: (tap: DelayedAction, wasOffline: boolean) => Finish
  /** For a tap that was cancelled before it was sent. */
  forget: (id: string, action: RequestAction) => void
}

const none: ReadonlyMap<WatchedTap, Answer> = new Map()

/** After a reconnection: reports which colleagues were faster than the delayed taps. */
export function useConflictNotice(state: RequestsState, connected: boolean): ConflictNotice {
  const [text, setText] = useState<string | null>(null)
  const watched = useRef(new Set<WatchedTap>())
  // React renders them with what was dispatched before them: an answer that is ahead of the list would find nobody.
  const [answered, setAnswered] = useState(none)

  useEffect(() => {
    if (!connected) {
      for (const each of watched.current) each.wasOffline = true
      return
    }
    const delayed = [...watched.current].filter(({ wasOffline }) => wasOffline)
    // The answer may also come before the list shows what it is about.
    const isSettled = (each: WatchedTap): boolean =>
      answered.has(each) && state.pending.get(each.tap.id)?.action !== each.tap.action
    if (!delayed.every(isSettled)) return
    for (const each of delayed) watched.current.delete(each)
    setAnswered(none)
    const notices = delayed.flatMap(
      (each) => describeConflict(state, each.tap, answered.get(each)?.request) ?? [],
    )
    if (notices.length > 0) setText(notices.join(' · '))
  }, [state, connected, answered])

  useEffect(() => {
    if (text === null) return undefined
    const timer = setTimeout(() => setText(null), noticeMs)
    return () => clearTimeout(timer)
  }, [text])

  const watch = useCallback<ConflictNotice['watch']>((tap, wasOffline) => {
    const own: WatchedTap = { tap, wasOffline }
    watched.current.add(own)
    return (answer) => {
      if (!answer || !own.wasOffline) watched.current.delete(own)
      if (!own.wasOffline) return
      // A refusal may be the last that the others have waited for.
      setAnswered((before) => {
        const now = new Map(before)
        return answer ? now.set(own, answer) : now
      })
    }
  }, [])
  const forget = useCallback<ConflictNotice['forget']>((id, action) => {
    for (const each of watched.current)
      if (each.tap.id === id && each.tap.action === action) watched.current.delete(each)
  }, [])
  return { text, watch, forget }
}
