import * as v from 'valibot'
import { DayRange } from '#contract/analytics.ts'
import { addDays } from '../../lib/dates.ts'

export const choices = {
  today: 'Today',
  week: '7 days',
  month: '30 days',
  quarter: '90 days',
  custom: 'Custom',
} as const
export type Choice = keyof typeof choices

const lengths = { today: 1, week: 7, month: 30, quarter: 90 } as const

/** The days of a choice, the last of them today. */
export const rangeOf = (choice: Exclude<Choice, 'custom'>, today: string): DayRange => ({
  from: addDays(today, 1 - lengths[choice]),
  to: today,
})

export type Custom = { range: DayRange } | { problem: string }

/** What two date inputs say: a range, or what is wrong with it. */
export function customRange(from: string, to: string): Custom {
  const { success, output, issues } = v.safeParse(DayRange, { from, to })
  return success ? { range: output } : { problem: issues[0].message }
}
