import * as v from 'valibot'
import { EscalationSettings } from '#contract/requests/escalation.ts'
import { mapServiceTypes, type ServiceType, serviceTypes } from '#contract/requests/requests.ts'
import { parseNumber } from '../../../lib/parse-number.ts'
import { formatTypedNumber } from '../../../lib/texts/format.ts'

export type EscalationStep = 'allAfterMs' | 'managerAfterMs'
/** The name of one input: the schema's own path to it. */
export type EscalationField = `${EscalationStep}.${ServiceType}` | 'acceptMs'
/** As typed, in seconds. */
export type EscalationForm = Record<EscalationField, string>

export function toForm({ allAfterMs, managerAfterMs, acceptMs }: EscalationSettings): EscalationForm {
  const seconds = (ms: number): string => formatTypedNumber(ms / 1000)
  return {
    'allAfterMs.general': seconds(allAfterMs.general),
    'allAfterMs.drinks': seconds(allAfterMs.drinks),
    'allAfterMs.food': seconds(allAfterMs.food),
    'allAfterMs.check': seconds(allAfterMs.check),
    'allAfterMs.assistance': seconds(allAfterMs.assistance),
    'allAfterMs.other': seconds(allAfterMs.other),
    'managerAfterMs.general': seconds(managerAfterMs.general),
    'managerAfterMs.drinks': seconds(managerAfterMs.drinks),
    'managerAfterMs.food': seconds(managerAfterMs.food),
    'managerAfterMs.check': seconds(managerAfterMs.check),
    'managerAfterMs.assistance': seconds(managerAfterMs.assistance),
    'managerAfterMs.other': seconds(managerAfterMs.other),
    acceptMs: seconds(acceptMs),
  }
}

const secondsToMs = (typed: string): number => Math.round(parseNumber(typed) * 1000)

export function parseForm(
  form: EscalationForm,
): { ok: true; value: EscalationSettings } | { ok: false; field: string; message: string } {
  const given = {
    allAfterMs: mapServiceTypes((type) => secondsToMs(form[`allAfterMs.${type}`])),
    managerAfterMs: mapServiceTypes((type) => secondsToMs(form[`managerAfterMs.${type}`])),
    acceptMs: secondsToMs(form.acceptMs),
  }
  const parsed = v.safeParse(EscalationSettings, given)
  if (parsed.success) return { ok: true, value: parsed.output }
  const [issue] = parsed.issues
  return { ok: false, field: v.getDotPath(issue) ?? findTooEarlyField(given), message: issue.message }
}

/** Where the manager would be alerted before the crew. */
function findTooEarlyField({ allAfterMs, managerAfterMs }: EscalationSettings): EscalationField {
  const type = serviceTypes.find((name) => managerAfterMs[name] < allAfterMs[name])
  return `managerAfterMs.${type ?? 'general'}`
}
