import type { Spread } from '#contract/analytics.ts'
import { durationOr } from '../../lib/figures.ts'

export const responseLegend = [
  { label: 'Median', className: 'fill-action' },
  { label: '90% are answered within', className: 'fill-rule-strong' },
]
export const spreadLegend = [
  ...responseLegend.slice(0, 1),
  { label: '90% within', className: 'fill-rule-strong' },
  { label: '99% within', className: 'fill-text' },
]

export const spreadColumns = ['Requests', 'Median', '90% within', '99% within', 'Mean']
export const spreadCells = (spread: Spread): string[] => [
  String(spread?.count ?? 0),
  durationOr(spread?.medianMs),
  durationOr(spread?.p90Ms),
  durationOr(spread?.p99Ms),
  durationOr(spread?.meanMs),
]
