import { useCallback, useEffect, useRef } from 'react'

/** Tells the browser's other tabs about a change, and calls back for theirs. */
export function useBroadcast(subject: string, onChange: () => void): () => void {
  const channel = useRef<BroadcastChannel>(undefined)
  const listener = useRef(onChange)
  useEffect(() => {
    listener.current = onChange
  }, [onChange])
  useEffect(() => {
    const opened = new BroadcastChannel(subject)
    opened.addEventListener('message', () => listener.current())
    channel.current = opened
    return () => opened.close()
  }, [subject])
  return useCallback(() => channel.current?.postMessage('changed'), [])
}
