import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { type JSX, type KeyboardEvent, type PointerEvent, useId, useRef } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { PlacedTable, Section } from '#contract/floor/sections.ts'
import { nextIndex } from '../../../lib/list-navigation.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { MoveButtons } from '../move-buttons.tsx'
import { outlineOf } from './outlines.ts'
import { TableButton, type TableHandlers } from './table-button.tsx'
import { tableIdAt, type TableSelection } from './use-table-selection.ts'

export type SectionTask = 'assign' | 'rename' | 'delete'

/** What the list and the map show. */
export type FloorViewProps = {
  sections: readonly Section[]
  tables: readonly PlacedTable[]
  /** By table, on the shown day; null until loaded. */
  assigned: ReadonlyMap<string, CrewMember> | null
  selection: TableSelection
  tabStop: string | undefined
  handlers: Omit<TableHandlers, 'onChoose'>
}

type SectionListProps = FloorViewProps & {
  onTask: (task: SectionTask, section: Section) => void
  /** Moves a section up or down by one. */
  onMove: (section: Section, by: 1 | -1) => void
}

/** The tables of each section. Arrow keys move between tables, and dragging across several chooses them. */
export function SectionList(props: SectionListProps): JSX.Element {
  const { sections, tables, assigned, selection, tabStop, handlers, onTask, onMove } = props
  const list = useRef<HTMLDivElement>(null)
  const bySection = Map.groupBy(tables, ({ sectionId }) => sectionId)
  const rest = bySection.get(null) ?? []
  const shared = {
    assigned,
    selection,
    tabStop,
    handlers: {
      ...handlers,
      onKeyDown(event: KeyboardEvent<HTMLElement>, id: string) {
        moveFocus(event, list.current)
        handlers.onKeyDown(event, id)
      },
    },
  }
  return (
    <div ref={list} className="flex min-w-0 flex-col gap-4" {...useSweep(selection)}>
      {sections.map((section, index) => (
        <Group
          key={section.id}
          {...shared}
          name={section.name}
          digit={index + 1}
          outline={outlineOf(index)}
          tables={bySection.get(section.id) ?? []}
        >
          <SectionButtons
            section={section}
            isFirst={index === 0}
            isLast={index === sections.length - 1}
            {...{ onTask, onMove }}
          />
        </Group>
      ))}
      {rest.length > 0 && <Group {...shared} name={t('No section')} tables={rest} />}
    </div>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>, list: HTMLElement | null): void {
  if (event.altKey || event.metaKey || event.shiftKey) return
  const buttons = [...(list?.querySelectorAll<HTMLElement>('[data-table]') ?? [])]
  const from = buttons.findIndex((button) => button === document.activeElement)
  const rtl = getComputedStyle(event.currentTarget).direction === 'rtl'
  const to = nextIndex(event, from, { count: buttons.length, perRow: 1, rtl })
  if (to === null) return
  event.preventDefault()
  buttons[to]?.focus()
}

/** A mouse that is dragged from one table across others chooses them all. */
function useSweep(selection: TableSelection) {
  const from = useRef<string | null>(null)
  return {
    onPointerDown({ target, pointerType }: PointerEvent) {
      from.current = pointerType === 'touch' ? null : tableIdAt(target)
    },
    onPointerOver({ target, buttons }: PointerEvent) {
      const id = tableIdAt(target)
      if (buttons !== 1 || from.current === null || id === null || id === from.current) return
      selection.add([from.current, id])
    },
  }
}

type GroupProps = Pick<SectionListProps, 'assigned' | 'selection' | 'tabStop' | 'handlers'> & {
  name: string
  digit?: number
  outline?: string
  tables: readonly PlacedTable[]
  children?: JSX.Element
}

function Group(props: GroupProps): JSX.Element {
  const { name, digit, outline, tables, assigned, selection, tabStop, handlers, children } = props
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={classNames(
        'flex min-w-0 flex-col gap-3 rounded-ticket p-3',
        outline ?? 'border border-rule',
      )}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h4 id={id} className="font-semibold wrap-anywhere">
            {digit !== undefined && digit <= 9 && <Digit value={digit} />}
            <bdi>{name}</bdi>
          </h4>
          <p className="text-sm text-text-mute">
            {countTables(tables.length)}
            {digit !== undefined && assigned && tables.length > 0 && ` · ${describeCrew(tables, assigned)}`}
          </p>
        </div>
        {children}
      </div>
      {tables.length === 0 ? (
        <p className="text-text-mute">{t('No tables yet')}</p>
      ) : (
        <ul className="@container flex flex-wrap gap-2">
          {tables.map((table) => (
            <li key={table.id} className="max-w-[min(11rem,100%)]">
              <TableButton
                id={table.id}
                tableNumber={table.tableNumber}
                crewName={assigned?.get(table.id)?.name}
                chosen={selection.ids.has(table.id)}
                tabStop={table.id === tabStop}
                onChoose={selection.toggle}
                {...handlers}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

export const Digit = ({ value }: { value: number }): JSX.Element => (
  <kbd
    aria-hidden
    className="me-2 inline-grid size-6 place-items-center rounded-[9px] bg-plate-2 font-sans text-sm font-normal text-text-mute"
  >
    {value}
  </kbd>
)

export const countTables = (count: number): string => plural(count, '1 table', '{count} tables')

const maxNames = 2

function describeCrew(tables: readonly PlacedTable[], assigned: ReadonlyMap<string, CrewMember>): string {
  const people = tables.flatMap(({ id }) => assigned.get(id) ?? [])
  const names = [...new Map(people.map(({ id, name }) => [id, name])).values()]
  const open = tables.length - people.length
  if (names.length === 0) return t('nobody assigned')
  const shown = names.slice(0, maxNames).join(', ')
  const hidden = names.length - maxNames
  const all = hidden > 0 ? t('{names} and {count} more', { names: shown, count: hidden }) : shown
  return open > 0 ? `${all}, ${plural(open, '{count} open', '{count} open')}` : all
}

type SectionButtonsProps = Pick<SectionListProps, 'onTask' | 'onMove'> & {
  section: Section
  isFirst: boolean
  isLast: boolean
}

function SectionButtons({ section, isFirst, isLast, onTask, onMove }: SectionButtonsProps): JSX.Element {
  const { name } = section
  return (
    <div className="flex flex-wrap items-center">
      <Button
        size={44}
        aria-label={t('Assign {name}', { name })}
        aria-haspopup="dialog"
        onClick={() => onTask('assign', section)}
      >
        {t('Assign')}
      </Button>
      <MoveButtons
        id={section.id}
        name={name}
        isFirst={isFirst}
        isLast={isLast}
        onMove={(by) => onMove(section, by)}
      />
      <IconButton
        label={t('Rename {name}', { name })}
        size={44}
        aria-haspopup="dialog"
        onClick={() => onTask('rename', section)}
      >
        <Pencil aria-hidden size={18} />
      </IconButton>
      <IconButton
        label={t('Delete {name}', { name })}
        size={44}
        aria-haspopup="dialog"
        onClick={() => onTask('delete', section)}
      >
        <Trash2 aria-hidden size={18} />
      </IconButton>
    </div>
  )
}
