import Pencil from 'lucide-react/icons/pencil'
import X from 'lucide-react/icons/x'
import { type JSX, memo, useCallback, useMemo, useState } from 'react'
import { api } from '#contract/api.ts'
import type { CrewDetails, CrewMember } from '#contract/crew/crew.ts'
import type { FloorPlan } from '#contract/floor/sections.ts'
import { useApiCache } from '../../../api/queries.ts'
import { isDoubleTap } from '../../../lib/double-tap.ts'
import { useFocusAfterRemoval } from '../../../lib/hooks/use-focus-after-removal.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { RemoveDialog } from '../../../ui/dialogs/remove-dialog.tsx'
import { type DialogState, useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { SearchField } from '../../../ui/form/search-field.tsx'
import { useFold } from '../../../ui/page/use-fold.tsx'
import { suggestCrew } from '../assignments/crew-suggestions.ts'
import { isGone } from '../deleted/deleted-items.ts'
import { RecentlyDeleted } from '../deleted/recently-deleted.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { useReportError } from '../use-report-error.ts'
import { AddCrewMember } from './add-crew-member.tsx'
import { CrewMemberDialog } from './crew-member-dialog.tsx'

/** The rest is shown on request. */
const maxCollapsed = 24

type CrewPanelProps = {
  level?: 2 | 3
  crew: readonly CrewMember[]
  plan: FloorPlan | undefined
  actions: Pick<FloorActions, 'addCrew' | 'removeCrew'>
  /** What the filter begins with. */
  find?: string
}

export const CrewPanel = memo(function CrewPanel(props: CrewPanelProps): JSX.Element {
  const { level = 3, crew, plan, actions, find = '' } = props
  const [filter, setFilter] = useState(find)
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

  const sectionOf = useMemo(() => sectionNames(plan), [plan])
  const found = filter.trim() === '' ? crew : filterCrew(filter, crew)
  const { shown, toggle } = useFold(found, maxCollapsed)

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
      title={t('Crew')}
      titleHidden={level === 2}
      level={level}
      description={
        crew.length === 0
          ? t('Nobody yet. Add the people who work the tables.')
          : t('{count} in the crew', { count: crew.length })
      }
    >
      {(crew.length > maxCollapsed || find !== '') && (
        <SearchField
          label={t('Find crew members')}
          value={filter}
          onValue={setFilter}
          autoFocus={find !== ''}
        />
      )}
      {shown.length > 0 && (
        <ul ref={listRef} aria-label={t('Crew')} className="flex flex-wrap gap-2">
          {shown.map((member, index) => (
            <CrewBadge
              key={member.id}
              member={member}
              section={sectionOf.get(member.id)}
              index={index}
              busy={removal.busy}
              onEdit={edit}
              onRemove={remove}
            />
          ))}
        </ul>
      )}
      {found.length === 0 && crew.length > 0 && (
        <p className="text-text-mute">{t('No crew members found')}</p>
      )}
      {toggle}
      <AddCrewMember crew={crew} addCrew={actions.addCrew} />
      <RecentlyDeleted kind="crew" />
      <CrewMemberDialog dialog={editing} />
      <RemovalDialog dialog={removal.confirmation} remove={actions.removeCrew} nextControl={nextControl} />
    </Card>
  )
})

/** The name of the section that each member has as their own. */
function sectionNames(plan: FloorPlan | undefined): ReadonlyMap<string, string> {
  const names = new Map(plan?.sections.map(({ id, name }) => [id, name]))
  return new Map(
    plan?.members.map(({ crewMemberId, sectionId }) => [crewMemberId, names.get(sectionId) ?? '']),
  )
}

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
  section: string | undefined
  index: number
  busy: boolean
  onEdit: (member: CrewMember) => void
  onRemove: (member: CrewMember, index: number) => void
}

const CrewBadge = memo(function CrewBadge({
  member,
  section,
  index,
  busy,
  onEdit,
  onRemove,
}: CrewBadgeProps) {
  return (
    <li className="flex max-w-full items-stretch rounded-[1.375rem] bg-plate-2">
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => onEdit(member)}
        className="group flex min-h-11 min-w-0 items-center gap-2 rounded-s-[1.375rem] py-1 ps-4 pe-1 text-start max-[15rem]:ps-3 max-[15rem]:pe-0 hover:bg-current/10"
      >
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 wrap-anywhere">
          <span className="font-semibold">{member.name}</span>
          <span className="text-sm text-text-mute">
            {t(member.role)}
            {section && ` · ${section}`}
          </span>
        </span>
        <Pencil aria-hidden size={14} className="shrink-0 text-text-mute max-[15rem]:hidden" />
      </button>
      <button
        type="button"
        aria-label={t('Remove {name}', { name: member.name })}
        aria-disabled={busy || undefined}
        onClick={({ detail }) => {
          if (!busy && !isDoubleTap(detail)) onRemove(member, index)
        }}
        className="grid min-h-11 w-11 shrink-0 place-items-center rounded-e-[1.375rem] max-[15rem]:w-[44px] text-text-mute hover:bg-current/10 hover:text-text aria-disabled:cursor-progress"
      >
        <X aria-hidden size={18} />
      </button>
    </li>
  )
})

type Removal = {
  busy: boolean
  /** About the member whose removal the owner has to confirm. */
  confirmation: DialogState<CrewDetails>
  start: (member: CrewMember) => void
}

function useRemoval(removeCrew: FloorActions['removeCrew']): Removal {
  const confirmation = useDialog<CrewDetails>()
  const { open } = confirmation
  const [busy, run] = useTask()
  const { refetch } = useApiCache()
  const reportError = useReportError()
  const start = useCallback(
    (member: CrewMember) =>
      void run(async () => {
        try {
          const details = await refetch(api.crew.details, { params: { id: member.id } })
          if (describeLosses(details).length > 0) open(details)
          else await removeCrew(member)
        } catch (error) {
          // Somebody else was faster, which the removal says.
          if (isGone(error)) await removeCrew(member)
          else reportError(error, 'Failed to remove crew member')
        }
      }),
    [run, refetch, removeCrew, reportError, open],
  )
  return { busy, confirmation, start }
}

/** What goes with a member, and comes back only with them. */
function describeLosses({ upcoming, username, hasPin }: CrewDetails): string[] {
  return [
    ...(upcoming === 0
      ? []
      : [plural(upcoming, '1 assignment from today on', '{count} assignments from today on')]),
    ...(username === null ? [] : [t('the login {username}', { username })]),
    ...(hasPin ? [t('the PIN')] : []),
  ]
}

type RemovalDialogProps = {
  dialog: DialogState<CrewDetails>
  remove: FloorActions['removeCrew']
  nextControl: () => HTMLElement | null
}

function RemovalDialog({ dialog, remove, nextControl }: RemovalDialogProps): JSX.Element {
  const { subject: member } = dialog
  return (
    <RemoveDialog
      dialog={dialog}
      title={member ? t('Remove {name}?', { name: member.name }) : t('Remove')}
      description={t('Days that are over keep the name. This goes too, and can be restored for 30 days:')}
      confirmLabel={t('Remove')}
      remove={remove}
      finalFocus={nextControl}
    >
      <ul className="list-disc ps-6">
        {member && describeLosses(member).map((loss) => <li key={loss}>{loss}</li>)}
      </ul>
    </RemoveDialog>
  )
}
