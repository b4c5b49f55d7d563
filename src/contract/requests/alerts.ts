import * as v from 'valibot'
import { minuteMs, secondMs } from '../durations.ts'
import { type ServiceType, serviceTypes } from './requests.ts'

const tooShortMessage = 'Please choose at least 5 seconds'
const tooLongMessage = 'Please choose at most 30 minutes'
export const Delay = v.pipe(
  v.number('Please enter a number'),
  v.integer('Please enter a whole number'),
  v.minValue(5 * secondMs, tooShortMessage),
  v.maxValue(30 * minuteMs, tooLongMessage),
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

/** Half as long for services that guests should not have to wait for. */
const delaysFor = (ms: number): Record<ServiceType, number> => ({
  general: ms,
  drinks: ms,
  food: ms,
  check: ms / 2,
  assistance: ms / 2,
  other: ms,
})

export const defaultAlerts: AlertSettings = {
  allAfterMs: delaysFor(40 * secondMs),
  managerAfterMs: delaysFor(45 * secondMs),
  acceptMs: 3 * minuteMs,
}
