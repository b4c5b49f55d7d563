import { type RefObject, useCallback, useEffect, useRef } from 'react'

type Entry = { id: string }
type RemovedEntry = Entry & { at: number; section: Element | null }

type FocusAfterRemoval<Place extends HTMLElement> = {
  /** Around the buttons. */
  container: RefObject<Place | null>
  /** To be told which entry's button was pressed, and the how manieth it is. */
  markRemoved: (entry: Entry, at: number) => void
  /** The button that took its place, null while the entry is there. For a dialog that asked first. */
  nextControl: () => HTMLElement | null
}

/**
 * Buttons that take their own entry away: the next one takes the focus over from the one that is gone, and after the
 * last one the first control of the section, where entries are added.
 */
export function useFocusAfterRemoval<Place extends HTMLElement>(
  entries: readonly Entry[],
  buttons: string,
): FocusAfterRemoval<Place> {
  const place = useRef<Place>(null)
  const pressed = useRef<RemovedEntry>(null)
  const shown = useRef(entries)

  const leaving = useCallback(({ id }: Entry, at: number) => {
    pressed.current = { id, at, section: place.current?.closest('section') ?? null }
  }, [])
  const successor = useCallback((): HTMLElement | null => {
    const gone = pressed.current
    if (!gone || includesEntry(shown.current, gone)) return null
    const all = place.current?.querySelectorAll<HTMLElement>(buttons) ?? []
    return all[Math.min(gone.at, all.length - 1)] ?? gone.section?.querySelector('input, button') ?? null
  }, [buttons])

  useEffect(() => {
    const wasThere = pressed.current !== null && includesEntry(shown.current, pressed.current)
    shown.current = entries
    if (wasThere && document.activeElement === document.body) successor()?.focus()
  }, [entries, successor])
  return { container: place, markRemoved: leaving, nextControl: successor }
}

const includesEntry = (entries: readonly Entry[], { id }: Entry): boolean =>
  entries.some((one) => one.id === id)
