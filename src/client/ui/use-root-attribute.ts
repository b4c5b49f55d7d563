import { useLayoutEffect } from 'react'

type RootAttribute = 'data-bar' | 'data-banner' | 'data-drawer' | 'data-lower-edge'

/** An attribute, for `:root:has()` would search the whole page at every change of it: half of what a tap costs. */
export function useRootAttribute(name: RootAttribute, isSet: boolean): void {
  useLayoutEffect(() => {
    if (!isSet) return undefined
    const root = document.documentElement
    root.setAttribute(name, '')
    return () => root.removeAttribute(name)
  }, [name, isSet])
}
