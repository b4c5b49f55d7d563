import { type JSX, useId, useState } from 'react'
import { api } from '#contract/api.ts'
import { keysOf } from '#contract/keys-of.ts'
import { isSame, keepTheirs, mergeFields } from '#contract/merging.ts'
import { type EscalationSettings, defaultEscalation } from '#contract/requests/escalation.ts'
import { serviceTypeLabels, serviceTypes } from '#contract/requests/requests.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { controlClass } from '../../../ui/form/field.tsx'
import { type Form, useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { isConflict, useReportError } from '../use-report-error.ts'
import {
  type EscalationField,
  type EscalationForm,
  type EscalationStep,
  parseForm,
  toForm,
} from './escalation-form.ts'

const escalationSteps: [step: EscalationStep, heading: string, label: string][] = [
  ['allAfterMs', 'All crew after', '{request}: all crew after, in seconds'],
  ['managerAfterMs', 'Manager after', '{request}: manager after, in seconds'],
]

/** When a request that nobody accepts alerts more people. */
export function EscalationCard({ settings }: { settings: EscalationSettings }): JSX.Element {
  const { setData } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const [errorId, acceptId] = [useId(), useId()]
  const [known, setKnown] = useState(settings)
  const show = (now: EscalationSettings): void => {
    setKnown(now)
    setData(api.escalation.settings, {}, now)
  }
  const form = useForm({
    initial: toForm(settings),
    parse: parseForm,
    async submit(wanted, { values, reset }) {
      try {
        const saved = await call(api.escalation.setSettings, { body: { ...wanted, was: known } })
        show(saved)
        reset(toForm(saved))
        toast({ title: t('Success'), description: t('Alerts saved') })
      } catch (error) {
        if (!isConflict(error)) throw error
        const now = await call(api.escalation.settings)
        const merged = mergeFields(keepTheirs, toForm(now), toForm(known), values)
        show(now)
        reset(merged)
        const field = keysOf(merged).find((name) => merged[name] !== values[name]) ?? 'acceptMs'
        form.showIssue({ field, message: errorMessage(error, 'Failed to save the alerts') })
      }
    },
    onError: (error) => reportError(error, 'Failed to save the alerts'),
  })

  const isChanged = !isSame(form.values, toForm(known))
  const inputProps = { form, errorId }
  const [problem] = Object.values(form.errors)
  return (
    <Card
      title={t('Alerts')}
      titleHidden
      description={t(
        'A request alerts the crew of its table first. While nobody takes it, it alerts all crew, then the manager.',
      )}
    >
      <form {...form.props} className="flex flex-col gap-4">
        <EscalationTable {...inputProps} />
        <label htmlFor={acceptId} className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <span className="min-w-0 flex-1 basis-40">
            <span className="block font-semibold">{t('Waits again after (seconds)')}</span>
            <span className="block text-text-mute">
              {t('When somebody is on the way, but nobody marks the request as complete.')}
            </span>
          </span>
          <span className="w-1/3 min-w-19 shrink-0">
            <SecondsInput
              {...inputProps}
              id={acceptId}
              name="acceptMs"
              label={t('Waits again after, in seconds')}
            />
          </span>
        </label>
        <p id={errorId} className="font-semibold text-late empty:-mt-4">
          {problem && t(problem)}
        </p>
        <div className="flex flex-wrap gap-3">
          <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Saving…')}>
            {t('Save Alerts')}
          </Button>
          <Button
            aria-label={`${t('Alerts')}: ${t('Reset to Defaults')}`}
            onClick={() => form.reset(toForm(defaultEscalation))}
          >
            {t('Reset to Defaults')}
          </Button>
          <p role="status" className="self-center text-text-mute">
            {isChanged && t('Not saved yet')}
          </p>
        </div>
        <p className="text-text-mute">{t('Requests that are already waiting keep their times.')}</p>
      </form>
    </Card>
  )
}

type InputProps = { form: Form<EscalationForm>; errorId: string }

/** A row for each type of request, a column for each step. */
function EscalationTable(props: InputProps): JSX.Element {
  return (
    // Large text may be wider than a phone. The room around it is for the outline of what has the focus.
    <div className="-mx-2 -my-1 overflow-x-auto py-1">
      <table className="w-full border-separate [border-spacing:0.5rem_0.25rem]">
        <thead>
          <tr className="text-start align-bottom text-sm">
            <th scope="col" className="text-start font-semibold">
              {t('Request')}
            </th>
            {escalationSteps.map(([step, heading]) => (
              <th key={step} scope="col" className="text-start font-semibold">
                {t(heading)} <span className="font-normal text-text-mute">{t('(seconds)')}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {serviceTypes.map((type) => (
            <tr key={type}>
              <th scope="row" className="text-start font-semibold">
                {t(serviceTypeLabels[type])}
              </th>
              {escalationSteps.map(([step, , label]) => (
                <td key={step} className="w-1/3">
                  <SecondsInput
                    {...props}
                    name={`${step}.${type}`}
                    label={t(label, { request: t(serviceTypeLabels[type]) })}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type SecondsInputProps = InputProps & { id?: string; name: EscalationField; label: string }

function SecondsInput({ form, errorId, id, name, label }: SecondsInputProps): JSX.Element {
  const { error, ...rest } = form.field(name)
  return (
    <input
      id={id}
      aria-label={label}
      inputMode="decimal"
      autoComplete="off"
      aria-invalid={error !== undefined || undefined}
      aria-describedby={error === undefined ? undefined : errorId}
      // Wide enough for four digits.
      className={classNames(controlClass, 'min-w-19')}
      {...rest}
    />
  )
}
