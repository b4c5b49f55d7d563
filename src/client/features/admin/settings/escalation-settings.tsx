import { type JSX, useId } from 'react'
import { type AlertSettings, defaultAlerts } from '#contract/alerts.ts'
import { api } from '#contract/api.ts'
import { serviceTypeLabels, serviceTypes } from '#contract/requests.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { controlClass } from '../../../ui/form/field.tsx'
import { type Form, useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast.tsx'
import {
  type EscalationField,
  type EscalationForm,
  type EscalationStep,
  parseForm,
  toForm,
} from './escalation-form.ts'
import { useReportError } from '../use-report-error.ts'

const escalationSteps: [EscalationStep, string][] = [
  ['allAfterMs', 'All crew after'],
  ['managerAfterMs', 'Manager after'],
]

/** When a request that nobody accepts alerts more people. */
export function EscalationSettings({ settings }: { settings: AlertSettings }): JSX.Element {
  const { setData } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const [errorId, acceptId] = [useId(), useId()]
  const form = useForm({
    initial: toForm(settings),
    parse: parseForm,
    async submit(body) {
      setData(api.alerts.settings, {}, await call(api.alerts.setSettings, { body }))
      toast({ title: 'Success', description: 'Alerts saved' })
    },
    onError: (error) => reportError(error, 'Failed to save the alerts'),
  })

  const inputProps = { form, errorId }
  return (
    <Card
      title="Alerts"
      level={3}
      description="A request alerts the crew of its table first. While nobody takes it, it alerts all crew, then the manager."
    >
      <form {...form.props} className="flex flex-col gap-4">
        <EscalationTable {...inputProps} />
        <label htmlFor={acceptId} className="flex items-center gap-4">
          <span className="flex-1">
            <span className="block font-semibold">Waits again after (seconds)</span>
            <span className="block text-text-mute">
              When somebody is on the way, but nobody says that it is done.
            </span>
          </span>
          <span className="w-1/3 shrink-0">
            <SecondsInput
              {...inputProps}
              id={acceptId}
              name="acceptMs"
              label="Waits again after, in seconds"
            />
          </span>
        </label>
        <p id={errorId} className="font-semibold text-late empty:-mt-4">
          {Object.values(form.errors)[0]}
        </p>
        <div className="flex flex-wrap gap-3">
          <Button type="submit" variant="primary" pending={form.busy} pendingLabel="Saving…">
            Save Alerts
          </Button>
          <Button onClick={() => form.reset(toForm(defaultAlerts))}>Reset to Defaults</Button>
        </div>
        <p className="text-text-mute">What waits already keeps its times.</p>
      </form>
    </Card>
  )
}

type InputProps = { form: Form<EscalationForm>; errorId: string }

/** A row for each type of request, a column for each step. */
function EscalationTable(props: InputProps): JSX.Element {
  return (
    <table className="w-[calc(100%+1rem)] border-separate border-spacing-x-2 border-spacing-y-1 -mx-2">
      <thead>
        <tr className="text-start align-bottom text-sm">
          <th scope="col" className="text-start font-semibold">
            Request
          </th>
          {escalationSteps.map(([step, heading]) => (
            <th key={step} scope="col" className="text-start font-semibold">
              {heading} <span className="font-normal text-text-mute">(seconds)</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {serviceTypes.map((type) => (
          <tr key={type}>
            <th scope="row" className="text-start font-semibold">
              {serviceTypeLabels[type]}
            </th>
            {escalationSteps.map(([step, heading]) => (
              <td key={step} className="w-1/3">
                <SecondsInput
                  {...props}
                  name={`${step}.${type}`}
                  label={`${serviceTypeLabels[type]}: ${heading.toLowerCase()}, in seconds`}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
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
      className={controlClass}
      {...rest}
    />
  )
}
