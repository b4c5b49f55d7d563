import { useCallback, useEffect, useRef } from 'react'

/** Says to this browser's other tabs that something changed, and hears it from them. */
export function useBroadcast(subject: string, onChange: () => void): () => void {
  const channel = useRef<BroadcastChannel>(undefined)
  const heard = useRef(onChange)
  useEffect(() => {
    heard.current = onChange
  }, [onChange])
  useEffect(() => {
    const opened = new BroadcastChannel(subject)
    opened.addEventListener('message', () => heard.current())
    channel.current = opened
    return () => opened.close()
  }, [subject])
  return useCallback(() => channel.current?.postMessage('changed'), [])
}
