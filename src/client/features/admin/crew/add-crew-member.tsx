import { type JSX, useRef } from 'react'
import { api } from '#contract/api.ts'
import { type CrewMember, crewRoles, NewCrewMember } from '#contract/crew/crew.ts'
import { parse } from '#contract/parse.ts'
import { useApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { findMemberByName } from '../assignments/crew-suggestions.ts'
import type { FloorActions } from '../floor-actions.ts'
import { useReportError } from '../use-report-error.ts'
import { RoleField } from './role-field.tsx'

const initial: Record<'name' | 'role', string> = { name: '', role: crewRoles[0] }

type AddCrewMemberProps = { crew: readonly CrewMember[]; addCrew: FloorActions['addCrew'] }

/** Two people may share a name, but usually it is one person added twice. */
export function AddCrewMember({ crew, addCrew }: AddCrewMemberProps): JSX.Element {
  const namesake = useDialog<CrewMember>()
  const answer = useRef<(confirmed: boolean) => void>(undefined)
  /** Somebody may have been added whose answer was lost. */
  const isUnsure = useRef(false)
  const { refetch } = useApiCache()
  const reportError = useReportError()
  const form = useForm({
    initial,
    parse: (values) => parse(NewCrewMember, values),
    async submit(member, { values, reset, focus }) {
      const people = isUnsure.current ? await readAgain() : crew
      if (!people) return
      const other = findMemberByName(member.name, people)
      if (other && !(await confirm(other))) return
      focus('name')
      // The next one is likely to have the same role, so it stays.
      isUnsure.current = (await addCrew(member)) === 'failed'
      if (!isUnsure.current) reset({ ...values, name: '' })
    },
  })

  async function readAgain(): Promise<readonly CrewMember[] | null> {
    try {
      return await refetch(api.crew.list, {})
    } catch (error) {
      reportError(error, 'Failed to add crew member')
      return null
    }
  }

  async function confirm(other: CrewMember): Promise<boolean> {
    namesake.open(other)
    return await new Promise((resolve) => {
      answer.current = resolve
    })
  }

  function close(confirmed: boolean): void {
    namesake.close()
    answer.current?.(confirmed)
  }

  const name = namesake.subject?.name ?? ''
  return (
    <>
      <form {...form.props} className="grid items-start gap-3 sm:grid-cols-[minmax(0,20rem)_10rem_auto]">
        <Field label={t('Crew Member Name')} autoComplete="off" {...form.field('name')} />
        <RoleField {...form.field('role')} />
        <div className="sm:pt-7">
          <Button type="submit" pending={form.busy} pendingLabel={t('Adding…')}>
            {t('Add Crew Member')}
          </Button>
        </div>
      </form>
      <ConfirmDialog
        title={t('Add another {name}?', { name })}
        description={t(
          '{name} is in the crew already. Guests and colleagues cannot tell them apart by name.',
          {
            name,
          },
        )}
        open={namesake.isOpen}
        confirmLabel={t('Add anyway')}
        onConfirm={() => close(true)}
        onCancel={() => close(false)}
      />
    </>
  )
}
