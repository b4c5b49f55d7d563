import * as v from 'valibot'
import { AlertSettings } from '#contract/alerts.ts'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'

export type Step = 'allAfterMs' | 'managerAfterMs'
/** As they are typed, in seconds. */
export type LadderForm = Record<Step, Record<ServiceType, string>> & { acceptMs: string }

/** Of one input: the schema's own path to it. */
export type LadderField = `${Step}.${ServiceType}` | 'acceptMs'
export type LadderProblem = { field: string; message: string }

const each = <T>(value: (type: ServiceType) => T): Record<ServiceType, T> => ({
  general: value('general'),
  drinks: value('drinks'),
  food: value('food'),
  check: value('check'),
  assistance: value('assistance'),
  other: value('other'),
})

export const formOf = ({ allAfterMs, managerAfterMs, acceptMs }: AlertSettings): LadderForm => ({
  allAfterMs: each((type) => `${allAfterMs[type] / 1000}`),
  managerAfterMs: each((type) => `${managerAfterMs[type] / 1000}`),
  acceptMs: `${acceptMs / 1000}`,
})

/** A comma is how half the world writes a fraction; nothing at all is no number. */
const inMs = (typed: string): number =>
  typed.trim() === '' ? NaN : Math.round(Number(typed.trim().replace(',', '.')) * 1000)

export function settingsOf(form: LadderForm): { settings: AlertSettings } | { problem: LadderProblem } {
  const given = {
    allAfterMs: each((type) => inMs(form.allAfterMs[type])),
    managerAfterMs: each((type) => inMs(form.managerAfterMs[type])),
    acceptMs: inMs(form.acceptMs),
  }
  const checked = v.safeParse(AlertSettings, given)
  if (checked.success) return { settings: checked.output }
  const [issue] = checked.issues
  return { problem: { field: v.getDotPath(issue) ?? tooSoon(given), message: issue.message } }
}

/** Where the manager would be alerted before the crew. */
function tooSoon({ allAfterMs, managerAfterMs }: AlertSettings): LadderField {
  const type = serviceTypes.find((one) => managerAfterMs[one] < allAfterMs[one])
  return `managerAfterMs.${type ?? 'general'}`
}
