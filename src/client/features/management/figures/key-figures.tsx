import type { JSX, ReactNode } from 'react'
import type { Figures, Totals } from '#contract/analytics.ts'
import { formatDuration, formatDurationOr, formatNumber, formatShare } from '../../../lib/texts/format.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { compareValues, previousValueText } from './comparison-text.ts'
import { useDurationColumns } from './percentiles.tsx'

export function KeyFigures({ figures }: { figures: Figures }): JSX.Element {
  const { withLongest } = useDurationColumns()
  const { totals, previous, range, unheard } = figures
  const { response } = totals.times
  const previously = (countOf: (before: Totals) => number): string | null =>
    previous && previousValueText(formatNumber(countOf(previous)), range)
  const shareOfAll = (count: number): string | false =>
    totals.requests > 0 && t('{share} of all', { share: formatShare(count, totals.requests) })
  return (
    <dl className="grid gap-3 min-[22rem]:grid-cols-2 lg:grid-cols-4">
      <Tile label={t('Requests')} value={formatNumber(totals.requests)}>
        {compareValues('count', totals.requests, previous?.requests ?? null, range)}
      </Tile>
      <Tile label={t('Half waited at most')} value={formatDurationOr(response?.medianMs)}>
        {response && t('9 of 10 waited at most {time}', { time: formatDuration(response.p90Ms) })}
        {withLongest && response && t('99% within {time}', { time: formatDuration(response.p99Ms) })}
        {withLongest && response && t('mean {time}', { time: formatDuration(response.meanMs) })}
        {response &&
          compareValues('time', response.medianMs, previous?.times.response?.medianMs ?? null, range)}
      </Tile>
      <Tile
        label={t('Answered within target')}
        value={formatShare(totals.withinTarget.within, totals.withinTarget.of)}
      >
        {totals.withinTarget.of > 0 &&
          t('{share} of {total}', {
            share: formatNumber(totals.withinTarget.within),
            total: formatNumber(totals.withinTarget.of),
          })}
        {previous &&
          previous.withinTarget.of > 0 &&
          previousValueText(formatShare(previous.withinTarget.within, previous.withinTarget.of), range)}
      </Tile>
      <Tile label={t('Repeated asks')} value={formatNumber(totals.repeatedAsks)}>
        {plural(totals.askedAgain, 'for {count} request', 'for {count} requests')}
        {previously((before) => before.repeatedAsks)}
      </Tile>
      <Tile label={t('“Still waiting”')} value={formatNumber(totals.stillWaiting)}>
        {previously((before) => before.stillWaiting)}
      </Tile>
      <Tile label={t('Called more people')} value={formatNumber(totals.escalated)}>
        {shareOfAll(totals.escalated)}
        {previously((before) => before.escalated)}
      </Tile>
      <Tile label={t('Cancelled')} value={formatNumber(totals.cancelled)}>
        {shareOfAll(totals.cancelled)}
        {previously((before) => before.cancelled)}
      </Tile>
      {unheard && (
        <Tile
          label={t('Time with no listening screen')}
          value={formatDurationOr(unheard.measuredMs === 0 ? null : unheard.ms)}
        >
          {unheard.measuredMs > 0 && [
            t('{share} of {total}', {
              share: formatShare(unheard.ms, unheard.measuredMs),
              total: formatDuration(unheard.measuredMs),
            }),
            t('{time} of it while a guest waited', { time: formatDuration(unheard.whileWaitingMs) }),
            plural(unheard.requests, '{count} request made in it', '{count} requests made in it'),
          ]}
        </Tile>
      )}
    </dl>
  )
}

/** Each child is a line of its own. */
function Tile({
  label,
  value,
  children,
}: {
  label: string
  value: string
  children: ReactNode
}): JSX.Element {
  const lines = (Array.isArray(children) ? children : [children]).filter(
    (line): line is string => typeof line === 'string' && line !== '',
  )
  return (
    <div className="rounded-control bg-plate-2 px-4 py-3">
      <dt>{label}</dt>
      <dd>
        <span className="font-display text-2xl font-bold">{value}</span>
        {lines.map((line) => (
          <span key={line} className="block">
            {line}
          </span>
        ))}
      </dd>
    </div>
  )
}
