import type { JSX, ReactNode } from 'react'
import type { Figures } from '#contract/analytics.ts'
import { formatDuration, formatDurationOr, formatShare, pluralize } from '../../lib/format.ts'
import { compareValues, previousPeriodText } from './comparison-text.ts'

export function KeyFigures({ figures }: { figures: Figures }): JSX.Element {
  const { totals, previous, range, unheard } = figures
  const before = previousPeriodText(range)
  const { response } = totals.times
  const previously = (text: string): string => `${text} ${before}`
  return (
    <dl className="grid min-[22rem]:grid-cols-2 lg:grid-cols-4 gap-3">
      <Tile label="Requests" value={String(totals.requests)}>
        {compareValues('count', totals.requests, previous.requests, before)}
      </Tile>
      <Tile label="Median response" value={formatDurationOr(response?.medianMs)}>
        {response && `90% within ${formatDuration(response.p90Ms)}`}
        {response && `99% within ${formatDuration(response.p99Ms)}`}
        {response && `mean ${formatDuration(response.meanMs)}`}
        {response &&
          compareValues('time', response.medianMs, previous.times.response?.medianMs ?? null, before)}
      </Tile>
      <Tile
        label="Answered within target"
        value={formatShare(totals.withinTarget.within, totals.withinTarget.of)}
      >
        {totals.withinTarget.of > 0 && `${totals.withinTarget.within} of ${totals.withinTarget.of}`}
        {previous.withinTarget.of > 0 &&
          previously(formatShare(previous.withinTarget.within, previous.withinTarget.of))}
      </Tile>
      <Tile label="Repeated asks" value={String(totals.repeatedAsks)}>
        {`for ${pluralize(totals.askedAgain, 'request')}`}
        {previously(String(previous.repeatedAsks))}
      </Tile>
      <Tile label="“Still waiting”" value={String(totals.stillWaiting)}>
        {previously(String(previous.stillWaiting))}
      </Tile>
      <Tile label="Escalated" value={String(totals.escalated)}>
        {totals.requests > 0 && `${formatShare(totals.escalated, totals.requests)} of all`}
        {previously(String(previous.escalated))}
      </Tile>
      <Tile label="Cancelled" value={String(totals.cancelled)}>
        {totals.requests > 0 && `${formatShare(totals.cancelled, totals.requests)} of all`}
        {previously(String(previous.cancelled))}
      </Tile>
      {unheard && (
        <Tile
          label="Time with no listening screen"
          value={formatDurationOr(unheard.measuredMs === 0 ? null : unheard.ms)}
        >
          {unheard.measuredMs > 0 && [
            `${formatShare(unheard.ms, unheard.measuredMs)} of ${formatDuration(unheard.measuredMs)}`,
            `${formatDuration(unheard.whileWaitingMs)} of it while a guest waited`,
            `${pluralize(unheard.requests, 'request')} made in it`,
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
