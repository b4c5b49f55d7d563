import { type JSX, useId, useRef, useState } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { type CrewMember, crewRoles, NewCrewMember } from '#contract/crew/crew.ts'
import { TableSetup } from '#contract/floor/floor.ts'
import { parse } from '#contract/parse.ts'
import { nameKey } from '#contract/primitives.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { useApiCache, useApiMutation, useFreshApiQuery } from '../../../api/queries.ts'
import { parseCount } from '../../../lib/parse-number.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { LinkButton } from '../../../ui/link-button.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useGenerateCode } from '../use-generate-code.ts'
import { useErrorToastOrSignIn } from '../use-sign-in-redirect.ts'

const formClass = 'flex w-full flex-wrap items-end gap-3'

export function TablesStep(): JSX.Element {
  const setUp = useApiMutation(api.floor.setUp, api.firstSteps.list, api.floor.tables, api.tables.plan)
  const { toast } = useToast()
  const report = useErrorToastOrSignIn()
  const form = useForm({
    initial: { count: '10' },
    parse({ count }) {
      const parsed = parse(TableSetup, { setupType: 'count', tableCount: parseCount(count) })
      return parsed.ok ? parsed : { ...parsed, field: 'count' }
    },
    async submit(body) {
      await setUp.mutateAsync({ body })
      toast({ title: t('Success'), description: t('Tables set up successfully') })
    },
    onError: (error) => report(error, errorMessage(error, 'Failed to set up tables')),
  })
  return (
    <form {...form.props} className={formClass}>
      <div className="w-40 max-w-full">
        <Field
          label={t('Number of Tables')}
          inputMode="numeric"
          autoComplete="off"
          maxLength={9}
          {...form.field('count')}
        />
      </div>
      <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Setting up…')}>
        {t('Set Up Tables')}
      </Button>
      <span className="-mx-edge">
        <Link href="/admin-dashboard/floor" asChild>
          <LinkButton variant="quiet">{t('Names instead of numbers')}</LinkButton>
        </Link>
      </span>
    </form>
  )
}

export function CrewStep({ onAdding }: { onAdding: () => void }): JSX.Element {
  const { data: crew = [] } = useFreshApiQuery(api.crew.list, {})
  const { invalidate, refetch } = useApiCache()
  const { toast } = useToast()
  const report = useErrorToastOrSignIn()
  /** Somebody may have been added whose answer was lost. */
  const isUnsure = useRef(false)
  const initial: Record<'name' | 'role', string> = { name: '', role: crewRoles[0] }
  const form = useForm({
    initial,
    parse: (values) => parse(NewCrewMember, values),
    async submit(member, { values, reset, focus }) {
      onAdding()
      focus('name')
      // The hint says that there is such a person now; the next press adds another.
      if (isUnsure.current && (await isThereNow(member.name))) return
      await call(api.crew.add, { body: member })
      reset({ ...values, name: '' })
      toast({ title: t('Success'), description: t('Crew member added') })
      // Not awaited: the next name may be typed meanwhile.
      void invalidate(api.firstSteps.list, api.crew.list)
    },
    onError(error) {
      isUnsure.current = true
      report(error, errorMessage(error, 'Failed to add crew member'))
    },
  })

  async function isThereNow(name: string): Promise<boolean> {
    const people = await refetch(api.crew.list, {})
    isUnsure.current = false
    void invalidate(api.firstSteps.list)
    return findNamesake(people, name) !== undefined && findNamesake(crew, name) === undefined
  }

  const namesake = form.busy ? undefined : findNamesake(crew, form.values.name)
  return (
    <>
      {crew.length > 0 && (
        <ul aria-label={t('Crew')} className="flex flex-wrap gap-2">
          {crew.map(({ id, name, role }) => (
            <li key={id} className="rounded-control bg-plate-2 px-3 py-1 wrap-anywhere">
              <bdi className="font-semibold">{name}</bdi> <span className="text-text-mute">{t(role)}</span>
            </li>
          ))}
        </ul>
      )}
      <form {...form.props} className={formClass}>
        <div className="min-w-0 flex-1 basis-[min(12rem,100%)]">
          <Field
            label={t('Crew Member Name')}
            hint={
              namesake &&
              t('{name} is in the crew already. Guests and colleagues cannot tell them apart by name.', {
                name: namesake.name,
              })
            }
            autoComplete="off"
            {...form.field('name')}
          />
        </div>
        <div className="w-36 max-w-full">
          <SelectField label={t('Role')} {...form.field('role')}>
            {crewRoles.map((role) => (
              <option key={role} value={role}>
                {t(role)}
              </option>
            ))}
          </SelectField>
        </div>
        <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Adding…')}>
          {t('Add Crew Member')}
        </Button>
      </form>
    </>
  )
}

function findNamesake(crew: readonly CrewMember[], name: string): CrewMember | undefined {
  const key = nameKey(name)
  return crew.find((member) => nameKey(member.name) === key)
}

/** All tables to one person, which is enough for the first request. */
export function AssignStep({ day, ready }: { day: string; ready: boolean }): JSX.Element {
  const { data: crew = [] } = useFreshApiQuery(api.crew.list, ready ? {} : null)
  const { data: tables = [] } = useFreshApiQuery(api.floor.tables, ready ? {} : null)
  const assign = useApiMutation(api.floor.assign, api.firstSteps.list, api.floor.assignmentsByDate)
  const report = useErrorToastOrSignIn()
  const { invalidate } = useApiCache()
  const [chosen, setChosen] = useState<string | null>(null)
  const member = crew.find(({ id }) => id === chosen) ?? crew[0]
  if (!ready) return <p>{t('Set up tables and add somebody to the crew first.')}</p>

  function assignAll(crewMemberId: string): void {
    // The step is there as long as nobody has a table: what somebody else has assigned since stays.
    const assignments = tables.map(({ id }) => ({ tableId: id, crewMemberId, was: null }))
    assign.mutate(
      { body: { date: day, assignments } },
      {
        onError(error) {
          report(error, errorMessage(error, 'Failed to update assignments'))
          void invalidate(api.firstSteps.list)
        },
      },
    )
  }

  return (
    <div className={formClass}>
      <div className="min-w-0 flex-1 basis-[min(12rem,100%)]">
        <SelectField
          label={t('All tables today')}
          value={member?.id ?? ''}
          onChange={({ target }) => setChosen(target.value)}
        >
          {crew.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      <Button
        variant="primary"
        pending={assign.isPending}
        disabled={!member || tables.length === 0}
        onClick={() => member && assignAll(member.id)}
      >
        {t('Assign All Tables')}
      </Button>
      <Link href="/admin-dashboard/floor" asChild>
        <LinkButton variant="quiet">{t('Table by table')}</LinkButton>
      </Link>
    </div>
  )
}

type CodesStepProps = { restaurantName: string; isPaid: boolean }

export function CodesStep({ restaurantName, isPaid }: CodesStepProps): JSX.Element {
  const reasonId = useId()
  const [drawing, generate] = useGenerateCode(restaurantName)
  return (
    <>
      <Button
        variant="primary"
        pending={drawing}
        disabled={!isPaid}
        aria-describedby={isPaid ? undefined : reasonId}
        onClick={generate}
      >
        {t('Make the Codes')}
      </Button>
      {!isPaid && <p id={reasonId}>{t('Choose a plan first.')}</p>}
    </>
  )
}
