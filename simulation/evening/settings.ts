import { crewNames } from '../restaurant.ts'

/** What an evening is like, and may become at any time. */
export type Settings = {
  /** How many requests the guests have in an hour. */
  rush: number
  /** How many of the crew are at work. */
  staff: number
  /** How many of a hundred calls get lost on their way. */
  losses: number
}

export const tableCount = 12

export const ranges: Record<keyof Settings, { least: number; most: number; usual: number }> = {
  rush: { least: 0, most: 480, usual: 120 },
  staff: { least: 0, most: crewNames.length, usual: 4 },
  losses: { least: 0, most: 60, usual: 5 },
}

export const usualSettings: Settings = {
  rush: ranges.rush.usual,
  staff: ranges.staff.usual,
  losses: ranges.losses.usual,
}
