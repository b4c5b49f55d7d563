import { createContext, use } from 'react'
import type { DurationSummary } from '#contract/analytics.ts'
import { formatDurationOr, formatNumber, formatShare } from '../../../lib/texts/format.ts'
import { t } from '../../../lib/texts/translate.ts'
import type { Cell } from './data-table.tsx'

/** Whether waiting times are shown in statisticians' words and with all percentiles, or in everyday ones. */
export const PercentilesContext = createContext(false)

type DurationColumns = {
  withLongest: boolean
  legend: { label: string; className: string }[]
  /** After a column that counts. */
  columns: string[]
  cells: (summary: DurationSummary) => Cell[]
}

export function useDurationColumns(): DurationColumns {
  const withLongest = use(PercentilesContext)
  const usual = withLongest
    ? [t('Median'), t('90% within'), t('99% within'), t('Mean')]
    : [t('Half waited at most'), t('9 of 10 waited at most')]
  const colours = ['fill-action', 'fill-rule-strong', 'fill-text']
  return {
    withLongest,
    legend: usual.slice(0, 3).map((label, index) => ({ label, className: colours[index] ?? '' })),
    columns: usual,
    cells: (summary) => [
      countCell(summary?.count ?? 0),
      durationCell(summary?.medianMs),
      durationCell(summary?.p90Ms),
      ...(withLongest ? [durationCell(summary?.p99Ms), durationCell(summary?.meanMs)] : []),
    ],
  }
}

export const countCell = (count: number): Cell => ({ text: formatNumber(count), value: count })

export const durationCell = (ms: number | null | undefined): Cell => ({
  text: formatDurationOr(ms),
  value: ms ?? null,
})

export const shareCell = (part: number, total: number): Cell => ({
  text: formatShare(part, total),
  value: total === 0 ? null : part / total,
})
