import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import type { PlacedTable, Section } from '#contract/floor/sections.ts'
import { t } from '../../../lib/texts/translate.ts'
import type { FloorActions } from '../floor-actions.ts'
import { countTables } from './section-list.tsx'
import { tableIdAt, type TableSelection } from './use-table-selection.ts'

type Options = {
  sections: readonly Section[]
  tables: readonly PlacedTable[]
  selection: TableSelection
  /** Around the list or the map. */
  frame: RefObject<HTMLElement | null>
  actions: Pick<FloorActions, 'arrangeTables' | 'reorderSections'>
}

type SectionMoves = {
  moveTo: (section: Section | null, ids: ReadonlySet<string>) => void
  /** A digit moves the chosen tables, or else the focused one. */
  moveByDigit: (event: KeyboardEvent, focused: string) => void
  reorder: (section: Section, by: 1 | -1) => Promise<void>
  focusTable: (id: string | undefined) => void
}

/** Moves tables to other sections, and sections up and down. The focus stays with what has moved. */
export function useSectionMoves({ sections, tables, selection, frame, actions }: Options): SectionMoves {
  const focusTable = (id: string | undefined): void =>
    frame.current?.querySelector<HTMLElement>(`[data-table="${id}"]`)?.focus()
  // A table that moves to another group is a new element there.
  const refocus = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (refocus.current === undefined) return
    frame.current?.querySelector<HTMLElement>(`[data-table="${refocus.current}"]`)?.focus()
    refocus.current = undefined
  }, [tables, frame])

  function moveTo(section: Section | null, ids: ReadonlySet<string>): void {
    const moved = tables.filter(({ id, sectionId }) => ids.has(id) && sectionId !== (section?.id ?? null))
    selection.clear()
    if (moved.length === 0) return
    const [first] = moved
    refocus.current = tableIdAt(document.activeElement) ?? first?.id
    const what =
      first && moved.length === 1
        ? t('Table {table}', { table: first.tableNumber })
        : countTables(moved.length)
    void actions.arrangeTables(
      moved.map(({ id }) => ({ tableId: id, sectionId: section?.id ?? null })),
      section
        ? t('{tables} moved to {section}', { tables: what, section: section.name })
        : t('{tables} taken out of the section', { tables: what }),
    )
  }

  function moveByDigit({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, focused: string): void {
    if (ctrlKey || metaKey || altKey || !/^\d$/u.test(key)) return
    const section = key === '0' ? null : sections[Number(key) - 1]
    if (section !== undefined) moveTo(section, selection.ids.size > 0 ? selection.ids : new Set([focused]))
  }

  async function reorder(section: Section, by: 1 | -1): Promise<void> {
    const ids = sections.map(({ id }) => id)
    const from = ids.indexOf(section.id)
    ids.splice(from, 1)
    ids.splice(from + by, 0, section.id)
    await actions.reorderSections(ids)
    const find = (way: number): HTMLElement | null | undefined =>
      frame.current?.querySelector<HTMLElement>(`[data-move="${section.id} ${way}"]:not(:disabled)`)
    const control = find(by) ?? find(-by)
    control?.focus()
  }

  return { moveTo, moveByDigit, reorder, focusTable }
}
