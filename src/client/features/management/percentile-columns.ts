import type { DurationSummary } from '#contract/analytics.ts'
import { formatDurationOr } from '../../lib/format.ts'

export const responseLegend = [
  { label: 'Median', className: 'fill-action' },
  { label: '90% are answered within', className: 'fill-rule-strong' },
]
export const percentileLegend = [
  ...responseLegend.slice(0, 1),
  { label: '90% within', className: 'fill-rule-strong' },
  { label: '99% within', className: 'fill-text' },
]

export const percentileColumns = ['Requests', 'Median', '90% within', '99% within', 'Mean']
export const percentileCells = (spread: DurationSummary): string[] => [
  String(spread?.count ?? 0),
  formatDurationOr(spread?.medianMs),
  formatDurationOr(spread?.p90Ms),
  formatDurationOr(spread?.p99Ms),
  formatDurationOr(spread?.meanMs),
]
