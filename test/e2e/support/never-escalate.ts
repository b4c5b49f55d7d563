import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { mapServiceTypes } from '#contract/requests/requests.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'

/** However long the test takes, no request of the restaurant escalates. */
export async function neverEscalate({ owner }: Pick<Restaurant, 'owner'>): Promise<void> {
  const longest = 30 * minuteMs
  const delays = mapServiceTypes(() => longest)
  const body = { allAfterMs: delays, managerAfterMs: delays, acceptMs: longest }
  await owner.ok(api.escalation.setSettings, { body })
}
