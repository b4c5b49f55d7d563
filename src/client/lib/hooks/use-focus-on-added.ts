import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * When the button that showed more of a list is gone with the last of them, the focus moves to the first that it has
 * shown. Before a dialog notices that the button is gone: it would take the focus itself.
 */
export function useFocusOnAdded(count: number): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null)
  const before = useRef(count)
  useLayoutEffect(() => {
    const added = list.current?.children[before.current]
    before.current = count
    if (added instanceof HTMLElement && document.activeElement === document.body)
      added.focus({ preventScroll: true })
  }, [count])
  return list
}
