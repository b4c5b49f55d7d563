import * as v from 'valibot'
import { minuteMs, secondMs } from '../durations.ts'
import { mapServiceTypes, type ServiceType, serviceTypes } from './requests.ts'

const tooShortMessage = 'Please choose at least 5 seconds'
const tooLongMessage = 'Please choose at most 30 minutes'
export const Delay = v.pipe(
  v.number('Please enter a number'),
  v.integer('Please enter a whole number'),
  v.minValue(5 * secondMs, tooShortMessage),
  v.maxValue(30 * minuteMs, tooLongMessage),
)

/** One delay per service type, in milliseconds. */
const Delays = v.object(mapServiceTypes(() => Delay))

const settings = {
  /** From creation until it alerts all crew. */
  allAfterMs: Delays,
  /** From creation until it alerts the manager. */
  managerAfterMs: Delays,
  /** From acceptance until it counts as waiting again. */
  acceptMs: Delay,
}

type Steps = Record<'allAfterMs' | 'managerAfterMs', Record<ServiceType, number>>
export const isCrewFirst = ({ allAfterMs, managerAfterMs }: Steps): boolean =>
  serviceTypes.every((type) => managerAfterMs[type] >= allAfterMs[type])
const crewFirstMessage = 'The manager cannot be alerted before the crew'

/** When a request that nobody accepts alerts more people. All times are in milliseconds. */
export const EscalationSettings = v.pipe(
  v.object(settings),
  v.check((given) => isCrewFirst(given), crewFirstMessage),
)
export type EscalationSettings = v.InferOutput<typeof EscalationSettings>

/**
 * With `was`, what the caller saw, only the times that differ are changed. One that somebody else has changed meanwhile in
 * another way is refused as a conflict.
 */
export const EscalationSettingsChange = v.pipe(
  v.object({ ...settings, was: v.optional(v.object(settings)) }),
  v.check((given) => isCrewFirst(given), crewFirstMessage),
)
export type EscalationSettingsChange = v.InferOutput<typeof EscalationSettingsChange>

/** Half as long for services that guests should not have to wait for. */
const delaysFor = (ms: number): Record<ServiceType, number> => ({
  general: ms,
  drinks: ms,
  food: ms,
  check: ms / 2,
  assistance: ms / 2,
  other: ms,
})

export const defaultEscalation: EscalationSettings = {
  allAfterMs: delaysFor(40 * secondMs),
  managerAfterMs: delaysFor(45 * secondMs),
  acceptMs: 3 * minuteMs,
}
