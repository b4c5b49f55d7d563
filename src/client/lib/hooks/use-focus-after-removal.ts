import { type RefObject, useCallback, useEffect, useRef } from 'react'

type Entry = { id: string }
type RemovedEntry = Entry & { index: number; section: Element | null }

type FocusAfterRemoval<Container extends HTMLElement> = {
  /** The element around the buttons. */
  container: RefObject<Container | null>
  /** To be called with the entry whose button was pressed, and its index. */
  markRemoved: (entry: Entry, index: number) => void
  /** The control to focus once the entry is gone, null until then: for a dialog that asked for confirmation. */
  nextControl: () => HTMLElement | null
}

/**
 * Keeps the focus when a button removes its own entry: it moves to the next entry's button, or after the last entry to
 * `otherwise` of the section, its first control, where entries are added.
 */
export function useFocusAfterRemoval<Container extends HTMLElement>(
  entries: readonly Entry[],
  buttons: string,
  otherwise = 'input, button',
): FocusAfterRemoval<Container> {
  const container = useRef<Container>(null)
  const removed = useRef<RemovedEntry>(null)
  const shown = useRef(entries)

  const markRemoved = useCallback(({ id }: Entry, index: number) => {
    removed.current = { id, index, section: container.current?.closest('section') ?? null }
  }, [])
  const nextControl = useCallback((): HTMLElement | null => {
    const entry = removed.current
    if (!entry || includesEntry(shown.current, entry)) return null
    const all = container.current?.querySelectorAll<HTMLElement>(buttons) ?? []
    return (
      all[Math.min(entry.index, all.length - 1)] ??
      entry.section?.querySelector<HTMLElement>(otherwise) ??
      null
    )
  }, [buttons, otherwise])

  useEffect(() => {
    const wasShown = removed.current !== null && includesEntry(shown.current, removed.current)
    shown.current = entries
    if (wasShown && document.activeElement === document.body) nextControl()?.focus()
  }, [entries, nextControl])
  return { container, markRemoved, nextControl }
}

const includesEntry = (entries: readonly Entry[], { id }: Entry): boolean =>
  entries.some((entry) => entry.id === id)
