import { type RefObject, useEffect, useRef } from 'react'

/** For the button that opens something in its own place: it gets the focus back when that closes. */
export function useFocusOnClose(open: boolean): RefObject<HTMLButtonElement | null> {
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !open) opener.current?.focus()
    wasOpen.current = open
  }, [open])
  return opener
}
