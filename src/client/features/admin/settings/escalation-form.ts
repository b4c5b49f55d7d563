import * as v from 'valibot'
import { AlertSettings } from '#contract/alerts.ts'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'

export type EscalationStep = 'allAfterMs' | 'managerAfterMs'
/** As they are typed, in seconds. */
export type EscalationForm = Record<EscalationStep, Record<ServiceType, string>> & { acceptMs: string }

/** Of one input: the schema's own path to it. */
export type EscalationField = `${EscalationStep}.${ServiceType}` | 'acceptMs'
export type EscalationFieldError = { field: string; message: string }

const mapServiceTypes = <T>(value: (type: ServiceType) => T): Record<ServiceType, T> => ({
  general: value('general'),
  drinks: value('drinks'),
  food: value('food'),
  check: value('check'),
  assistance: value('assistance'),
  other: value('other'),
})

export const toForm = ({ allAfterMs, managerAfterMs, acceptMs }: AlertSettings): EscalationForm => ({
  allAfterMs: mapServiceTypes((type) => `${allAfterMs[type] / 1000}`),
  managerAfterMs: mapServiceTypes((type) => `${managerAfterMs[type] / 1000}`),
  acceptMs: `${acceptMs / 1000}`,
})

/** A comma is how half the world writes a fraction; nothing at all is no number. */
const secondsToMs = (typed: string): number =>
  typed.trim() === '' ? NaN : Math.round(Number(typed.trim().replace(',', '.')) * 1000)

export function parseForm(
  form: EscalationForm,
): { settings: AlertSettings } | { problem: EscalationFieldError } {
  const given = {
    allAfterMs: mapServiceTypes((type) => secondsToMs(form.allAfterMs[type])),
    managerAfterMs: mapServiceTypes((type) => secondsToMs(form.managerAfterMs[type])),
    acceptMs: secondsToMs(form.acceptMs),
  }
  const checked = v.safeParse(AlertSettings, given)
  if (checked.success) return { settings: checked.output }
  const [issue] = checked.issues
  return { problem: { field: v.getDotPath(issue) ?? findTooEarlyField(given), message: issue.message } }
}

/** Where the manager would be alerted before the crew. */
function findTooEarlyField({ allAfterMs, managerAfterMs }: AlertSettings): EscalationField {
  const type = serviceTypes.find((one) => managerAfterMs[one] < allAfterMs[one])
  return `managerAfterMs.${type ?? 'general'}`
}
