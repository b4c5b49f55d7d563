import { useMemo, useState } from 'react'

export type TableSelection = {
  ids: ReadonlySet<string>
  toggle: (id: string) => void
  add: (ids: Iterable<string>) => void
  clear: () => void
}

const none: ReadonlySet<string> = new Set()

/** The chosen ones of these tables. */
export function useTableSelection(tables: readonly { id: string }[]): TableSelection {
  const [chosen, setChosen] = useState(none)
  const ids = useMemo(() => new Set(tables.flatMap(({ id }) => (chosen.has(id) ? id : []))), [tables, chosen])
  return useMemo(
    () => ({
      ids,
      toggle: (id) =>
        setChosen((before) => {
          const after = new Set(before)
          if (!after.delete(id)) after.add(id)
          return after
        }),
      add: (more) => setChosen((before) => new Set([...before, ...more])),
      clear: () => setChosen(none),
    }),
    [ids],
  )
}

/** The table that an event happened at. */
export const tableIdAt = (target: EventTarget | null): string | null =>
  (target instanceof Element && target.closest<HTMLElement>('[data-table]')?.dataset['table']) || null
