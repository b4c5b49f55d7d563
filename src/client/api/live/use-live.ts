import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { Connection, LiveChannel } from './live-channel.ts'
import type { StreamName } from './stream.ts'

export const LiveContext = createContext<LiveChannel | null>(null)

/** The page's channel, open while the component is mounted. */
export function useLive(): LiveChannel {
  const live = use(LiveContext)
  if (!live) throw new Error('useLive needs a <LiveContext>')
  useEffect(() => live.acquire(), [live])
  return live
}

/** State that follows a stream: its snapshot on every connection, then each message. */
export function useLiveState<S>(
  reducer: (state: S, message: ServerMessage) => S,
  initial: S,
  stream: StreamName | null = 'requests',
): S {
  const [state] = useLiveReducer<S, ServerMessage>(reducer, initial, stream)
  return state
}

/** The same with a dispatch, for screens that also apply what their user has just done. */
export function useLiveReducer<S, A>(
  reducer: (state: S, message: ServerMessage | A) => S,
  initial: S,
  stream: StreamName | null = 'requests',
): [S, (action: ServerMessage | A) => void] {
  const live = useLive()
  const [state, setState] = useState(() => (live.kept ? reducer(initial, live.kept.message) : initial))
  // Unlike that of `useReducer`, it renders nothing again while the state stays the same.
  const [dispatch] = useState(
    () => (action: ServerMessage | A) => setState((before) => reducer(before, action)),
  )
  useEffect(() => {
    const stopListening = live.onMessage(dispatch)
    const unsubscribe = stream && live.subscribe(stream)
    return () => {
      unsubscribe?.()
      stopListening()
    }
  }, [live, stream, dispatch])
  return [state, dispatch]
}

export function useConnection(): Connection {
  const live = useLive()
  const read = (): Connection => live.connection
  return useSyncExternalStore((changed) => live.onConnectionChange(changed), read, read)
}
