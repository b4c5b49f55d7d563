import * as v from 'valibot'
import { keysOf } from './keys-of.ts'
import { type ServiceType, serviceTypes } from './requests.ts'

const seconds = 1000
const tooShortMessage = 'Please choose at least 5 seconds'
const tooLongMessage = 'Please choose at most 30 minutes'
const Delay = v.pipe(
  v.number('Please enter a number'),
  v.integer('Please enter a whole number'),
  v.minValue(5 * seconds, tooShortMessage),
  v.maxValue(1800 * seconds, tooLongMessage),
)

/** One delay per service type, in milliseconds. */
const Delays = v.object({
  general: Delay,
  drinks: Delay,
  food: Delay,
  check: Delay,
  assistance: Delay,
  other: Delay,
} satisfies Record<ServiceType, typeof Delay>)

/** When a request that nobody accepts alerts more people. All times are in milliseconds. */
export const AlertSettings = v.pipe(
  v.object({
    /** From creation until it alerts all crew. */
    allAfterMs: Delays,
    /** From creation until it alerts the manager. */
    managerAfterMs: Delays,
    /** From acceptance until it counts as waiting again. */
    acceptMs: Delay,
  }),
  v.check(
    ({ allAfterMs, managerAfterMs }) =>
      serviceTypes.every((type) => managerAfterMs[type] >= allAfterMs[type]),
    'The manager cannot be alerted before the crew',
  ),
)
export type AlertSettings = v.InferOutput<typeof AlertSettings>

const defaultDelays = { allAfterMs: 20 * seconds, managerAfterMs: 45 * seconds }
/** For services that guests should not have to wait for. */
const urgentTypes: ReadonlySet<ServiceType> = new Set(['check', 'assistance'])

const delaysFor = (ms: number): Record<ServiceType, number> => {
  const all: Record<ServiceType, number> = {
    general: ms,
    drinks: ms,
    food: ms,
    check: ms,
    assistance: ms,
    other: ms,
  }
  for (const type of keysOf(all)) if (urgentTypes.has(type)) all[type] = ms / 2
  return all
}

export const defaultAlerts: AlertSettings = {
  allAfterMs: delaysFor(defaultDelays.allAfterMs),
  managerAfterMs: delaysFor(defaultDelays.managerAfterMs),
  acceptMs: 180 * seconds,
}
