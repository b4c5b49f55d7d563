import { type RefObject, createContext, use, useEffectEvent, useLayoutEffect } from 'react'

/**
 * What was being typed in a cell that is about to be drawn anew, by the id of its table: turning a phone lays the
 * rows out anew, and a cell that comes to stand in another row is another element.
 */
export const DraftsContext = createContext<Map<string, string>>(new Map())

/** Keeps the text of `control` when its cell unmounts, and calls `onDraft` when the cell is back. */
export function useDraft(
  tableId: string,
  control: RefObject<HTMLElement | null>,
  onDraft: (typed: string) => void,
): void {
  const drafts = use(DraftsContext)
  const take = useEffectEvent(onDraft)
  useLayoutEffect(() => {
    const typed = drafts.get(tableId)
    drafts.delete(tableId)
    if (typed !== undefined) take(typed)
    return () => {
      const { current: input } = control
      const used = input instanceof HTMLInputElement && document.activeElement === input
      if (used) drafts.set(tableId, input.value)
    }
  }, [drafts, tableId, control])
}
