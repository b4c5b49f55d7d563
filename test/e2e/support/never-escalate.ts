import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import type { EscalationSettings } from '#contract/requests/escalation.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'

const delays = (ms: number): EscalationSettings['allAfterMs'] => ({
  general: ms,
  drinks: ms,
  food: ms,
  check: ms,
  assistance: ms,
  other: ms,
})

/** However long the test takes, no request of the restaurant escalates. */
export async function neverEscalate({ owner }: Pick<Restaurant, 'owner'>): Promise<void> {
  const longest = 30 * minuteMs
  const body = { allAfterMs: delays(longest), managerAfterMs: delays(longest), acceptMs: longest }
  await owner.ok(api.escalation.setSettings, { body })
}
