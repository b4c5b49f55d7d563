import { type RefObject, createContext, use, useEffectEvent, useLayoutEffect } from 'react'

/**
 * Texts being typed in cells that are about to be mounted anew, by table id: turning a phone changes the rows, and a
 * cell that moves to another row is another element.
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
