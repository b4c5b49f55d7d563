import type { RestaurantOpening } from '#contract/guests/opening.ts'
import { clockAt } from './restaurant-clock.ts'

/** Whether the restaurant's clock is within its opening hours; without any it is always open. */
export function isOpenAt({ hours, timeZone }: RestaurantOpening, now: number): boolean {
  if (hours === null) return true
  const { weekday, time } = clockAt(now, timeZone)
  const today = hours[weekday] ?? []
  const yesterday = hours[(weekday + 6) % 7] ?? []
  return (
    today.some(({ from, to }) => from <= time && (time < to || to <= from)) ||
    yesterday.some(({ from, to }) => to <= from && time < to)
  )
}
