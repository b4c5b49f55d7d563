import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query holds. For what may stand in the page only once; everything else is left to CSS. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      if (typeof matchMedia === 'undefined') return () => undefined
      const list = matchMedia(query)
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => typeof matchMedia !== 'undefined' && matchMedia(query).matches)
}
