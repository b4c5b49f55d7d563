import { type JSX, useLayoutEffect } from 'react'
import type { PlacedTable, Section } from '#contract/floor/sections.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { countTables, Digit } from './section-list.tsx'
import type { TableSelection } from './use-table-selection.ts'

type MoveTargetsProps = {
  sections: readonly Section[]
  tables: readonly PlacedTable[]
  selection: TableSelection
  onChoose: (section: Section | null) => void
  onClear: () => void
}

/**
 * For what is around them: what gets the focus is scrolled to where they do not cover it on a narrow screen. Of their
 * height, the room for a toast is kept free anyway.
 */
export const clearOfTargets = 'max-lg:[&>:first-child_button]:scroll-mb-[calc(45dvh-5rem)]'

/** Where the chosen tables can go. On a narrow screen it appears with the first of them. */
export function MoveTargets(props: MoveTargetsProps): JSX.Element {
  const { sections, tables, selection, onChoose, onClear } = props
  const { size } = selection.ids
  const isShown = size > 0
  useLayoutEffect(() => {
    const { activeElement } = document
    // Who taps a table finds the page where it was.
    if (isShown && activeElement?.matches(':focus-visible'))
      activeElement.scrollIntoView({ block: 'nearest' })
  }, [isShown])
  return (
    <div
      role="group"
      aria-label={t('Move chosen tables')}
      className={classNames(
        'flex min-w-0 flex-col gap-2 rounded-ticket border border-rule bg-plate p-3 lg:sticky lg:top-16',
        'max-lg:sticky max-lg:bottom-2 max-lg:z-20 max-lg:max-h-[45dvh] max-lg:overflow-y-auto max-lg:floating',
        size === 0 && 'max-lg:hidden',
      )}
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="font-semibold">
          {size === 0 ? t('Choose tables to move') : t('Move {tables} to', { tables: countTables(size) })}
        </p>
        {size > 0 && (
          <Button variant="quiet" size={44} onClick={onClear}>
            {t('Clear')}
          </Button>
        )}
      </div>
      <div className="flex flex-wrap gap-2 lg:flex-col">
        {[...sections, null].map((section, index) => (
          <button
            key={section?.id ?? 'none'}
            type="button"
            disabled={size === 0}
            onClick={() => onChoose(section)}
            className="flex min-h-11 max-w-full min-w-0 items-center rounded-control border border-rule px-3 text-start font-semibold hover:not-disabled:border-rule-strong hover:not-disabled:bg-current/10 disabled:cursor-not-allowed disabled:text-text-mute"
          >
            {section === null ? <Digit value={0} /> : index < 9 && <Digit value={index + 1} />}
            <span className="min-w-0 flex-1 wrap-anywhere">{section?.name ?? t('No section')}</span>
            <span aria-hidden className="ms-2 text-sm font-normal text-text-mute">
              {tables.filter(({ sectionId }) => sectionId === (section?.id ?? null)).length}
            </span>
          </button>
        ))}
      </div>
    </div>
  )
}
