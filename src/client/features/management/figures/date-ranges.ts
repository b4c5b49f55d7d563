import type { DayRange } from '#contract/analytics.ts'
import { addDays } from '../../../lib/time/dates.ts'

export const rangeLabels = {
  today: 'Today',
  week: '7 days',
  month: '30 days',
  quarter: '90 days',
  custom: 'Custom',
} as const
export type RangeChoice = keyof typeof rangeLabels

const rangeDays = { today: 1, week: 7, month: 30, quarter: 90 } as const

/** The days of a choice, ending today. */
export const rangeForChoice = (choice: Exclude<RangeChoice, 'custom'>, today: string): DayRange => ({
  from: addDays(today, 1 - rangeDays[choice]),
  to: today,
})
