import { useLayoutEffect } from 'react'

type RootAttribute = 'data-crew' | 'data-banner' | 'data-dialog' | 'data-bar' | 'data-toast'

/** How many parts of the page set it: a dialog may open another one. */
const users = new Map<RootAttribute, number>()

function use(name: RootAttribute, change: 1 | -1): void {
  const count = (users.get(name) ?? 0) + change
  users.set(name, count)
  document.documentElement.toggleAttribute(name, count > 0)
}

/** An attribute, because `:root:has()` would search the whole page on every change: half the cost of a tap. */
export function useRootAttribute(name: RootAttribute, isSet: boolean): void {
  useLayoutEffect(() => {
    if (!isSet) return undefined
    use(name, 1)
    return () => use(name, -1)
  }, [name, isSet])
}
