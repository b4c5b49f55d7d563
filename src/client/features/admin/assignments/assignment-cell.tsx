import { type JSX, memo, useLayoutEffect, useRef, useState } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { t } from '../../../lib/texts/translate.ts'
import { classNames } from '../../../ui/class-names.ts'
import { SpinnerIcon } from '../../../ui/page/spinner.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { useDraft } from './cell-drafts.ts'
import { CrewSearch } from './crew-search.tsx'
import type { AssignmentChoice } from './crew-suggestions.ts'

type AssignmentCellProps = {
  table: Table
  date: string
  member: CrewMember | undefined
  /** False until the assignments of this day are loaded. */
  ready: boolean
  /** True for the one cell of the grid in the tab order. */
  tabStop: boolean
  assign: FloorActions['assign']
  onAssigned: (announcement: string) => void
}

type CellState =
  | { step: 'idle' }
  | { step: 'search'; date: string; open: boolean; typed?: string }
  | { step: 'saving'; date: string; name: string | null }

const idleState: CellState = { step: 'idle' }

const inputClass =
  'min-h-11 min-w-0 flex-1 basis-20 rounded-[9px] border border-dashed border-rule-strong bg-transparent px-2.5 text-text ' +
  'hover:border-solid focus:border-solid disabled:opacity-55'

/** Who works one table on one day: a search until somebody does, then a badge with Change. */
export const AssignmentCell = memo(function AssignmentCell(props: AssignmentCellProps): JSX.Element {
  const { table, date, member, ready, tabStop, assign, onAssigned } = props
  const [state, setState] = useState<CellState>(idleState)
  const control = useRef<HTMLElement>(null)
  const refocus = useRef(false)
  const latest = useRef(member)
  useLayoutEffect(() => {
    const changed = latest.current?.id !== member?.id
    latest.current = member
    // Somebody else was faster: show that, whatever was being typed.
    if (!changed || !member) return
    refocus.current = document.activeElement === control.current
    setState((current) => (current.step === 'search' ? idleState : current))
  }, [member])
  // A search begun on another day does not belong here.
  const current = state.step !== 'idle' && state.date !== date ? idleState : state
  const tabIndex = tabStop ? 0 : -1
  const { tableNumber } = table

  useLayoutEffect(() => {
    if (!refocus.current) return
    refocus.current = false
    control.current?.focus()
  }, [current, member])

  const keepControl = (element: HTMLElement | null): void => {
    control.current = element
  }

  useDraft(table.id, control, (typed) => setState({ step: 'search', date, open: typed !== '', typed }))

  function leave(keepsFocus: boolean): void {
    // With nobody assigned the search stays; only its suggestions close.
    if (keepsFocus && !member) return
    refocus.current = keepsFocus
    setState(idleState)
  }

  async function choose(choice: AssignmentChoice): Promise<void> {
    const name = choiceName(choice)
    refocus.current = true
    setState({ step: 'saving', date, name })
    const outcome = await assign(date, table, member, choice)
    const focused = document.activeElement === control.current
    setState(focused && !latest.current ? { step: 'search', date, open: false } : idleState)
    if (outcome === 'done')
      onAssigned(t('Table {table}: {name}', { table: tableNumber, name: name ?? t('nobody') }))
  }

  if (current.step === 'search') {
    return (
      <CrewSearch
        label={t(member ? 'Change crew of table {table}' : 'Assign crew to table {table}', {
          table: tableNumber,
        })}
        current={member}
        defaultOpen={current.open}
        defaultValue={current.typed}
        onChoose={(choice) => void choose(choice)}
        onLeave={leave}
        inputRef={keepControl}
        tabIndex={tabIndex}
        inputClassName={inputClass}
      />
    )
  }

  const saving = current.step === 'saving'
  const name = saving ? current.name : member?.name
  if (!saving && name === undefined) {
    return (
      <IdleSearch
        {...{ tableNumber, ready, tabIndex }}
        controlRef={keepControl}
        onUse={(open) => setState({ step: 'search', date, open })}
      />
    )
  }
  return (
    <AssignedBadge
      {...{ tableNumber, saving, tabIndex }}
      name={name ?? null}
      controlRef={keepControl}
      onChange={() => setState({ step: 'search', date, open: true })}
    />
  )
})

type ControlProps = {
  tableNumber: string
  tabIndex: number
  controlRef: (element: HTMLElement | null) => void
}

/** Looks like the search and becomes one when used: five hundred real ones would be slow to render. */
function IdleSearch({
  tableNumber,
  tabIndex,
  controlRef,
  ready,
  onUse,
}: ControlProps & { ready: boolean; onUse: (open: boolean) => void }): JSX.Element {
  const pressed = useRef(false)
  return (
    <input
      ref={controlRef}
      role="combobox"
      aria-expanded={false}
      aria-controls={undefined}
      aria-autocomplete="list"
      aria-label={t('Assign crew to table {table}', { table: tableNumber })}
      placeholder={ready ? t('Assign crew') : '…'}
      autoComplete="off"
      disabled={!ready}
      tabIndex={tabIndex}
      className={inputClass}
      onPointerDown={() => {
        pressed.current = true
      }}
      onPointerCancel={() => {
        pressed.current = false
      }}
      onFocus={() => {
        const open = pressed.current
        pressed.current = false
        onUse(open)
      }}
    />
  )
}

const badgeClass =
  'max-w-max min-w-0 flex-[1_1_min-content] rounded-[9px] bg-plate-2 px-2.5 py-1 text-sm leading-tight font-bold wrap-break-word'

/** `name`: null while the table is being given to nobody. */
function AssignedBadge({
  tableNumber,
  tabIndex,
  controlRef,
  name,
  saving,
  onChange,
}: ControlProps & { name: string | null; saving: boolean; onChange: () => void }): JSX.Element {
  const shownName = name ?? t('Nobody')
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-1" aria-busy={saving || undefined}>
      <span className={classNames(badgeClass, saving && 'flex items-center gap-1.5')}>
        {saving && <SpinnerIcon size={14} />}
        {saving ? <span className="min-w-0">{shownName}</span> : shownName}
      </span>
      <button
        ref={controlRef}
        type="button"
        aria-label={t('Change crew of table {table}', { table: tableNumber })}
        aria-disabled={saving || undefined}
        tabIndex={tabIndex}
        onClick={() => {
          if (!saving) onChange()
        }}
        className="ms-auto min-h-11 shrink-0 rounded-[9px] px-2 text-sm font-semibold text-action hover:bg-current/10 aria-disabled:cursor-progress aria-disabled:opacity-55"
      >
        {t('Change')}
      </button>
    </div>
  )
}

const choiceName = (choice: AssignmentChoice): string | null =>
  choice.kind === 'member' ? choice.member.name : choice.kind === 'new' ? choice.name : null
