import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * When the button that showed more of a list is gone with the last of them, the focus moves to the first that it has
 * shown. Before a dialog notices that the button is gone: it would take the focus itself. While there is more, the
 * button, which has no focus as long as it is busy, takes it back.
 */
export function useFocusOnAdded(count: number, hasMore: boolean): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null)
  const before = useRef(count)
  useLayoutEffect(() => {
    const added = list.current?.children[before.current]
    before.current = count
    if (!hasMore && added instanceof HTMLElement && document.activeElement === document.body)
      added.focus({ preventScroll: true })
  }, [count, hasMore])
  return list
}
