import type { CSSProperties, JSX, KeyboardEvent, MouseEvent } from 'react'
import { firstName } from '#contract/names.ts'
import { t } from '../../../lib/texts/translate.ts'
import { classNames } from '../../../ui/class-names.ts'
import { longestWord } from '../../../ui/requests/table-number.tsx'

export type TableHandlers = {
  onChoose: (id: string, event: MouseEvent) => void
  onKeyDown: (event: KeyboardEvent<HTMLElement>, id: string) => void
  onFocus: (id: string) => void
}

type TableButtonProps = TableHandlers & {
  id: string
  tableNumber: string
  /** Who works it on the shown day. */
  crewName: string | undefined
  /** Read aloud only, where the surroundings do not say it. */
  sectionName?: string | undefined
  chosen: boolean
  tabStop: boolean
  /** Fills its cell of the map. */
  fill?: boolean
}

/** A table that can be chosen, alone or with others. */
export function TableButton(props: TableButtonProps): JSX.Element {
  const { id, tableNumber, crewName, sectionName, chosen, tabStop, fill = false } = props
  const { onChoose, onKeyDown, onFocus } = props
  const shape: CSSProperties & Record<`--${string}`, number> = { '--word': longestWord(tableNumber) }
  return (
    <button
      type="button"
      data-table={id}
      // With what stands on it, in that order, for whoever says what they read.
      aria-label={[t('Table {table}', { table: tableNumber }), crewName, sectionName]
        .filter(Boolean)
        .join(', ')}
      aria-pressed={chosen}
      tabIndex={tabStop ? 0 : -1}
      onClick={(event) => onChoose(id, event)}
      onKeyDown={(event) => onKeyDown(event, id)}
      onFocus={() => onFocus(id)}
      className={classNames(
        'flex min-h-14 min-w-14 flex-col items-center justify-center rounded-control border bg-plate px-1.5 py-1',
        'text-center leading-tight select-none',
        'border-rule-strong hover:border-text aria-pressed:border-2 aria-pressed:border-action aria-pressed:bg-plate-late',
        fill ? 'size-full raised' : 'w-full',
      )}
    >
      <bdi
        style={shape}
        className={tableNumber.length <= 4 ? 'font-display text-xl font-bold' : nameClass(tableNumber, fill)}
      >
        {tableNumber}
      </bdi>
      {crewName !== undefined && (
        <>
          {' '}
          <bdi className="w-full truncate text-sm text-text-mute [contain:inline-size]">
            {firstName(crewName)}
          </bdi>
        </>
      )}
    </button>
  )
}

/**
 * A word that is too wide for its place gets smaller before it breaks. A long name keeps some width, so that its words do
 * not pile up; on the map, where it makes its column wider, room for two or three words beside each other.
 */
const nameClass = (tableNumber: string, isOnMap: boolean): string =>
  classNames(
    'max-w-full leading-tight font-bold wrap-break-word',
    'text-[length:max(13px,0.5rem,min(0.875rem,(100cqi-2.5rem)/var(--word)/0.6))]',
    tableNumber.length > 16 && (isOnMap ? 'min-w-28' : 'min-w-[min(6rem,100%)]'),
    isOnMap && tableNumber.length > 8 && tableNumber.length <= 16 && 'min-w-20',
  )
