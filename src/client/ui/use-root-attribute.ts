import { useLayoutEffect } from 'react'

type RootAttribute = 'data-crew' | 'data-banner' | 'data-drawer' | 'data-bar'

/** An attribute, because `:root:has()` would search the whole page on every change: half the cost of a tap. */
export function useRootAttribute(name: RootAttribute, isSet: boolean): void {
  useLayoutEffect(() => {
    if (!isSet) return undefined
    const root = document.documentElement
    root.setAttribute(name, '')
    return () => root.removeAttribute(name)
  }, [name, isSet])
}
