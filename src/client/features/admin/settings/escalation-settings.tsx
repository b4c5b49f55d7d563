import { type FormEvent, type JSX, useId, useRef, useState } from 'react'
import { type AlertSettings, defaultAlerts } from '#contract/alerts.ts'
import { api } from '#contract/api.ts'
import { type ServiceType, serviceTypeLabels, serviceTypes } from '#contract/requests.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { focusField } from '../../../lib/focus-field.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { controlClass } from '../../../ui/form/field.tsx'
import { useErrorToast, useToast } from '../../../ui/toast.tsx'
import {
  toForm,
  type EscalationField,
  type EscalationFieldError,
  parseForm,
  type EscalationStep,
} from './escalation-form.ts'
import { useTask } from '../../../lib/use-task.ts'
import { useReportError } from '../use-report-error.ts'

const escalationSteps: [EscalationStep, string][] = [
  ['allAfterMs', 'All crew after'],
  ['managerAfterMs', 'Manager after'],
]

/** When a request that nobody takes alerts more people. */
export function EscalationSettings({ settings }: { settings: AlertSettings }): JSX.Element {
  const [form, setForm] = useState(() => toForm(settings))
  const [problem, setProblem] = useState<EscalationFieldError | null>(null)
  const [busy, run] = useTask()
  const { setData } = useApiCache()
  const { toast } = useToast()
  const showError = useErrorToast()
  const reportError = useReportError()
  const element = useRef<HTMLFormElement>(null)
  const problemId = useId()

  function change(next: typeof form): void {
    setForm(next)
    setProblem(null)
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    const read = parseForm(form)
    if ('settings' in read) return void run(() => save(read.settings))
    setProblem(read.problem)
    focusField(element.current, read.problem.field)
    showError(read.problem.message)
  }

  async function save(wanted: AlertSettings): Promise<void> {
    try {
      setData(api.alerts.settings, {}, await call(api.alerts.setSettings, { body: wanted }))
      toast({ title: 'Success', description: 'Alerts saved' })
    } catch (error) {
      reportError(error, 'Failed to save the alerts')
    }
  }

  const seconds = (name: EscalationField, label: string, value: string, onType: (typed: string) => void) => (
    <input
      name={name}
      aria-label={label}
      inputMode="decimal"
      autoComplete="off"
      value={value}
      aria-invalid={problem?.field === name || undefined}
      aria-describedby={problem?.field === name ? problemId : undefined}
      onChange={({ target }) => onType(target.value)}
      className={controlClass}
    />
  )
  const cell = (step: EscalationStep, heading: string, type: ServiceType): JSX.Element =>
    seconds(
      `${step}.${type}`,
      `${serviceTypeLabels[type]}: ${heading.toLowerCase()}, in seconds`,
      form[step][type],
      (typed) => change({ ...form, [step]: { ...form[step], [type]: typed } }),
    )

  return (
    <Card
      title="Alerts"
      level={3}
      description="A request alerts the crew of its table first. While nobody takes it, it alerts all crew, then the manager."
    >
      <form ref={element} onSubmit={submit} noValidate className="flex flex-col gap-4">
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
                    {cell(step, heading, type)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <label className="flex items-center gap-4">
          <span className="flex-1">
            <span className="block font-semibold">Waits again after (seconds)</span>
            <span className="block text-text-mute">
              When somebody is on the way, but nobody says that it is done.
            </span>
          </span>
          <span className="w-1/3 shrink-0">
            {seconds('acceptMs', 'Waits again after, in seconds', form.acceptMs, (typed) =>
              change({ ...form, acceptMs: typed }),
            )}
          </span>
        </label>
        <p id={problemId} className="font-semibold text-late empty:-mt-4">
          {problem?.message}
        </p>
        <div className="flex flex-wrap gap-3">
          <Button type="submit" variant="primary" pending={busy} pendingLabel="Saving…">
            Save Alerts
          </Button>
          <Button onClick={() => change(toForm(defaultAlerts))}>Reset to Defaults</Button>
        </div>
        <p className="text-text-mute">What waits already keeps its times.</p>
      </form>
    </Card>
  )
}
