import { type ActionDispatch, createContext, use, useEffect, useReducer, useSyncExternalStore } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { Connection, LiveChannel } from './live-channel.ts'
import type { StreamName } from './stream.ts'

export const LiveContext = createContext<LiveChannel | null>(null)

/** The page's channel, open while the component stands. */
export function useLive(): LiveChannel {
  const live = use(LiveContext)
  if (!live) throw new Error('useLive needs a <LiveContext> above it')
  useEffect(() => live.acquire(), [live])
  return live
}

/** State that the live channel tells: a stream's snapshot on every connection, and each message after it. */
export function useLiveState<S>(
  fold: (state: S, message: ServerMessage) => S,
  initial: S,
  stream: StreamName | null = 'requests',
): S {
  const [state] = useLiveReducer<S, ServerMessage>(fold, initial, stream)
  return state
}

/** The same, for a screen that folds what its user just did beside what the server says. */
export function useLiveReducer<S, A>(
  fold: (state: S, message: ServerMessage | A) => S,
  initial: S,
  stream: StreamName | null = 'requests',
): [S, ActionDispatch<[ServerMessage | A]>] {
  const live = useLive()
  const [state, dispatch] = useReducer(fold, initial)
  useEffect(() => {
    const stopListening = live.onMessage(dispatch)
    const unfollow = stream && live.subscribe(stream)
    return () => {
      unfollow?.()
      stopListening()
    }
  }, [live, stream])
  return [state, dispatch]
}

export function useConnection(): Connection {
  const live = useLive()
  const read = (): Connection => live.connection
  return useSyncExternalStore((changed) => live.onConnectionChange(changed), read, read)
}
