import Pencil from 'lucide-react/icons/pencil'
import X from 'lucide-react/icons/x'
import { type JSX, memo, useCallback, useState } from 'react'
import { api } from '#contract/api.ts'
import type { CrewDetails, CrewMember } from '#contract/crew.ts'
import { useApiCache } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog, useDialog } from '../../../ui/confirm-dialog.tsx'
import { SearchField } from '../../../ui/form/search-field.tsx'
import { AddCrewMember } from './add-crew-member.tsx'
import { CrewMemberDialog } from './crew-member-dialog.tsx'
import { isDoubleTap } from '../../../lib/double-tap.ts'
import { suggestCrew } from '../assignments/crew-suggestions.ts'
import { useTask } from '../../../lib/use-task.ts'
import { useReportError } from '../use-report-error.ts'
import type { FloorActions } from '../floor-actions.ts'
import { useFocusAfterRemoval } from '../../../lib/use-focus-after-removal.ts'

/** The rest is shown on request. */
const maxCollapsed = 24

type CrewPanelProps = {
  crew: readonly CrewMember[]
  actions: Pick<FloorActions, 'addCrew' | 'removeCrew'>
}

export const CrewPanel = memo(function CrewPanel({ crew, actions }: CrewPanelProps): JSX.Element {
  const [filter, setFilter] = useState('')
  const [all, setAll] = useState(false)
  const editing = useDialog<CrewMember>()
  const removal = useRemoval(actions.removeCrew)
  const { refetch } = useApiCache()
  const { open: openEditor } = editing
  const edit = useCallback(
    (member: CrewMember) => {
      // The dialog must not open with cached details.
      void refetch(api.crew.details, { params: { id: member.id } }).catch(() => undefined)
      openEditor(member)
    },
    [refetch, openEditor],
  )

  const found = filter.trim() === '' ? crew : filterCrew(filter, crew)
  const shown = all ? found : found.slice(0, maxCollapsed)

  const {
    container: listRef,
    markRemoved,
    nextControl,
  } = useFocusAfterRemoval<HTMLUListElement>(crew, 'li > button:last-child')
  const { start } = removal
  const remove = useCallback(
    (member: CrewMember, index: number) => {
      markRemoved(member, index)
      start(member)
    },
    [markRemoved, start],
  )

  return (
    <Card
      title="Crew"
      level={3}
      description={
        crew.length === 0 ? 'Nobody yet. Add the people who work the tables.' : `${crew.length} in the crew`
      }
    >
      {crew.length > maxCollapsed && (
        <SearchField label="Find crew members" value={filter} onValue={setFilter} />
      )}
      {shown.length > 0 && (
        <ul ref={listRef} aria-label="Crew" className="flex flex-wrap gap-2">
          {shown.map((member, index) => (
            <CrewBadge
              key={member.id}
              member={member}
              index={index}
              busy={removal.busy}
              onEdit={edit}
              onRemove={remove}
            />
          ))}
        </ul>
      )}
      {found.length === 0 && crew.length > 0 && <p className="text-text-mute">No crew members found</p>}
      {found.length > maxCollapsed && (
        <div>
          <Button variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${found.length}`}
          </Button>
        </div>
      )}
      <AddCrewMember addCrew={actions.addCrew} />
      <CrewMemberDialog dialog={editing} />
      <RemovalDialog removal={removal} nextControl={nextControl} />
    </Card>
  )
})

const filterCrew = (filter: string, crew: readonly CrewMember[]): CrewMember[] => {
  const ids = new Set(
    suggestCrew(filter, crew, undefined, crew.length).choices.flatMap((choice) =>
      choice.kind === 'member' ? [choice.member.id] : [],
    ),
  )
  return crew.filter(({ id }) => ids.has(id))
}

type CrewBadgeProps = {
  member: CrewMember
  index: number
  busy: boolean
  onEdit: (member: CrewMember) => void
  onRemove: (member: CrewMember, index: number) => void
}

const CrewBadge = memo(function CrewBadge({ member, index, busy, onEdit, onRemove }: CrewBadgeProps) {
  return (
    <li className="flex max-w-full items-stretch rounded-full bg-plate-2 [content-visibility:auto]">
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => onEdit(member)}
        className="group flex min-h-11 min-w-0 items-center gap-2 rounded-s-full ps-4 pe-1 text-start hover:bg-current/10"
      >
        <span className="min-w-0 truncate font-semibold">{member.name}</span>
        <span className="text-sm text-text-mute">{member.role}</span>
        <Pencil aria-hidden size={14} className="shrink-0 text-text-mute" />
      </button>
      <button
        type="button"
        aria-label={`Remove ${member.name}`}
        aria-disabled={busy || undefined}
        onClick={({ detail }) => {
          if (!busy && !isDoubleTap(detail)) onRemove(member, index)
        }}
        className="grid min-h-11 w-11 shrink-0 place-items-center rounded-e-full text-text-mute hover:bg-current/10 hover:text-text aria-disabled:cursor-progress"
      >
        <X aria-hidden size={18} />
      </button>
    </li>
  )
})

type Removal = {
  busy: boolean
  /** The member whose removal the owner has to confirm. */
  confirmation: { isOpen: boolean; subject: CrewDetails | null }
  start: (member: CrewMember) => void
  confirm: () => void
  cancel: () => void
}

function useRemoval(removeCrew: FloorActions['removeCrew']): Removal {
  const confirmation = useDialog<CrewDetails>()
  const { open, close, subject } = confirmation
  const [busy, run] = useTask()
  const { refetch } = useApiCache()
  const reportError = useReportError()
  const start = useCallback(
    (member: CrewMember) =>
      void run(async () => {
        try {
          const details = await refetch(api.crew.details, { params: { id: member.id } })
          if (describeLosses(details).length > 0) open(details)
          else await removeCrew(member, true)
        } catch (error) {
          reportError(error, 'Failed to remove crew member')
        }
      }),
    [run, refetch, removeCrew, reportError, open],
  )
  return {
    busy,
    confirmation,
    start,
    confirm: () =>
      void run(async () => {
        if (subject) await removeCrew(subject, false)
        close()
      }),
    cancel: close,
  }
}

/** What would be lost for good. */
function describeLosses({ upcoming, username, hasPin }: CrewDetails): string[] {
  return [
    ...(upcoming === 0
      ? []
      : [upcoming === 1 ? '1 assignment from today on' : `${upcoming} assignments from today on`]),
    ...(username === null ? [] : [`the login ${username}`]),
    ...(hasPin ? ['the PIN'] : []),
  ]
}

type RemovalDialogProps = { removal: Removal; nextControl: () => HTMLElement | null }

function RemovalDialog({ removal, nextControl }: RemovalDialogProps): JSX.Element {
  const { confirmation, busy, confirm, cancel } = removal
  const { isOpen, subject: member } = confirmation
  return (
    <ConfirmDialog
      title={member ? `Remove ${member.name}?` : 'Remove'}
      description="Days that are over keep the name. This goes with it:"
      open={isOpen}
      confirmLabel="Remove"
      danger
      pending={busy}
      onConfirm={confirm}
      onCancel={cancel}
      finalFocus={nextControl}
    >
      <ul className="list-disc ps-6">
        {member && describeLosses(member).map((loss) => <li key={loss}>{loss}</li>)}
      </ul>
    </ConfirmDialog>
  )
}
