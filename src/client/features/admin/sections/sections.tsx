import { type JSX, type RefObject, useMemo, useRef, useState } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { type FloorPlan, NewSection, type PlacedTable, type Section } from '#contract/floor/sections.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { RemoveDialog } from '../../../ui/dialogs/remove-dialog.tsx'
import { type DialogState, useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { AddForm } from '../add-form.tsx'
import type { DayAssignments } from '../assignments/day-assignments.ts'
import { formatLongDate } from '../assignments/week.ts'
import { RecentlyDeleted } from '../deleted/recently-deleted.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { FloorMap } from './floor-map.tsx'
import { clearOfTargets, MoveTargets } from './move-targets.tsx'
import { OwnSections, ownSections, suggestMember } from './own-sections.tsx'
import { AssignSectionDialog, RenameSectionDialog } from './section-dialogs.tsx'
import { countTables, SectionList, type SectionTask } from './section-list.tsx'
import { useSectionMoves } from './use-section-moves.ts'
import { useTableSelection } from './use-table-selection.ts'

type SectionsProps = {
  plan: FloorPlan
  tables: readonly Table[]
  crew: readonly CrewMember[]
  date: string
  day: DayAssignments | null
  /** By table, on the shown day. */
  assigned: ReadonlyMap<string, CrewMember> | null
  actions: FloorActions
}

/** The floor in sections, as a list or as a map, and who works them on the chosen day. */
export function Sections(props: SectionsProps): JSX.Element {
  const { plan, tables: existing, actions } = props
  const tables = useMemo(() => {
    const ids = new Set(existing.map(({ id }) => id))
    return plan.tables.filter(({ id }) => ids.has(id))
  }, [plan.tables, existing])
  const [view, setView] = useState<View>('list')
  const isDivided = plan.sections.length > 0
  return (
    <Card
      title={t('Sections')}
      anchor="sections"
      level={3}
      description={t(isDivided ? howToMove[view] : whyDivide)}
      action={isDivided && <ViewSwitch {...{ view, setView }} />}
    >
      {isDivided && <DividedFloor {...props} {...{ tables, view }} />}
      <AddForm
        schema={NewSection}
        name="name"
        label={t('Section Name')}
        width={{ most: '14rem', least: '14rem' }}
        addLabel={t('Add Section')}
        add={async ({ name }) => actions.addSection(name)}
      />
      <RecentlyDeleted kind="section" />
    </Card>
  )
}

type View = 'list' | 'map'

const whyDivide =
  'Divide the floor into sections, such as Terrace and Bar. Then a whole section can be assigned at once.'
const howToMove: Record<View, string> = {
  list: 'Choose tables, or drag across several. Then press a section or its digit.',
  map: 'Drag tables, or move them with Shift and the arrow keys. Without dragging: choose a table, then press a free place.',
}

type DividedFloorProps = Omit<SectionsProps, 'tables'> & { tables: PlacedTable[]; view: View }

function DividedFloor(props: DividedFloorProps): JSX.Element {
  const { plan, tables, crew, day, assigned, actions, view } = props
  const { sections } = plan
  const [active, setActive] = useState<string | null>(null)
  const selection = useTableSelection(tables)
  const dialogs = { assign: useDialog<Section>(), rename: useDialog<Section>(), delete: useDialog<Section>() }
  const frame = useRef<HTMLDivElement>(null)
  const moves = useSectionMoves({ sections, tables, selection, frame, actions })
  const tabStop = tables.find(({ id }) => id === active)?.id ?? tables[0]?.id
  const assign = (work: SectionWork[]): Promise<void> => assignSections(props, work)
  const own = day ? ownSections(plan, tables, crew, day) : []
  const handlers = { onFocus: setActive, onKeyDown: moves.moveByDigit }
  const shared = { sections, tables, assigned, selection, tabStop, handlers }
  return (
    <>
      {own.length > 0 && (
        <OwnSections
          own={own}
          onAssign={() => {
            moves.focusTable(tabStop)
            void assign(own)
          }}
        />
      )}
      <div
        ref={frame}
        className={classNames(
          'grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_17rem]',
          selection.ids.size > 0 && clearOfTargets,
        )}
      >
        {view === 'list' ? (
          <SectionList
            {...shared}
            onMove={(section, by) => void moves.reorder(section, by)}
            onTask={(task, section) => dialogs[task].open(section)}
          />
        ) : (
          <FloorMap
            {...shared}
            onArrange={(changes, joined) =>
              void actions.arrangeTables(changes, joined && describeJoined(joined))
            }
          />
        )}
        <MoveTargets
          {...{ sections, tables, selection }}
          onChoose={(section) => moves.moveTo(section, selection.ids)}
          onClear={() => {
            moves.focusTable(tabStop)
            selection.clear()
          }}
        />
      </div>
      <SectionDialogs {...props} {...{ dialogs, frame, assign }} />
    </>
  )
}

const describeJoined = ({ table, section }: { table: PlacedTable; section: Section }): string =>
  t('{tables} moved to {section}', {
    tables: t('Table {table}', { table: table.tableNumber }),
    section: section.name,
  })

const tablesIn = (tables: readonly PlacedTable[], { id }: Section): PlacedTable[] =>
  tables.filter(({ sectionId }) => sectionId === id)

type SectionWork = { section: Section; member: CrewMember | null }

/** What undoing it brings back are the assignments that the tables had. */
async function assignSections(
  { tables, date, day, actions }: DividedFloorProps,
  work: SectionWork[],
): Promise<void> {
  if (!day) return
  const was = work.flatMap(({ section }) =>
    tablesIn(tables, section).flatMap(({ id: tableId }) => {
      const crewMemberId = day.tables.get(tableId)
      return crewMemberId === undefined ? [] : { tableId, crewMemberId }
    }),
  )
  const what = work.map(({ section, member }) => `${section.name}: ${member?.name ?? t('nobody')}`)
  await actions.assignSections(
    date,
    work.map(({ section, member }) => ({ sectionId: section.id, crewMemberId: member?.id ?? null })),
    was,
    what.join(', '),
  )
}

type SectionDialogsProps = DividedFloorProps & {
  dialogs: Record<SectionTask, DialogState<Section>>
  frame: RefObject<HTMLElement | null>
  assign: (work: SectionWork[]) => Promise<void>
}

function SectionDialogs(props: SectionDialogsProps): JSX.Element {
  const { plan, tables, crew, date, assigned, actions, dialogs, frame, assign } = props
  const { subject } = dialogs.assign
  return (
    <>
      <AssignSectionDialog
        dialog={dialogs.assign}
        crew={crew}
        description={
          subject ? `${countTables(tablesIn(tables, subject).length)}, ${formatLongDate(date)}` : ''
        }
        suggested={subject ? suggestMember(plan, tablesIn(tables, subject), subject, assigned) : ''}
        onAssign={async (section, member) => assign([{ section, member }])}
      />
      <RenameSectionDialog dialog={dialogs.rename} renameSection={actions.renameSection} />
      <RemoveDialog
        dialog={dialogs.delete}
        title={t('Delete {name}?', { name: dialogs.delete.subject?.name ?? '' })}
        description={`${t('Its tables and assignments stay; the tables are in no section then.')} ${t('You can undo this for 30 days.')}`}
        confirmLabel={t('Delete')}
        remove={actions.removeSection}
        finalFocus={() => frame.current?.querySelector<HTMLElement>('section button:not(:disabled)') ?? null}
      />
    </>
  )
}

function ViewSwitch({ view, setView }: { view: View; setView: (view: View) => void }): JSX.Element {
  return (
    <div
      role="group"
      aria-label={t('Show sections as')}
      className="flex flex-wrap gap-1 rounded-control bg-plate-2 p-1"
    >
      {(['list', 'map'] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={view === each}
          onClick={() => setView(each)}
          className="min-h-11 rounded-[9px] px-4 font-semibold text-text-mute hover:text-text aria-pressed:bg-plate aria-pressed:text-text aria-pressed:raised"
        >
          {t(each === 'list' ? 'List' : 'Map')}
        </button>
      ))}
    </div>
  )
}
