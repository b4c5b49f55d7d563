import ChevronDown from 'lucide-react/icons/chevron-down'
import { type JSX, useCallback } from 'react'
import { type ServiceRequest, targetMsOf } from '#contract/requests/requests.ts'
import { t } from '../../../lib/texts/translate.ts'
import { showTime } from '../../../lib/time/ticker.ts'
import { Badge } from '../../../ui/badge.tsx'
import { useIsBefore } from '../heat.ts'

const newBadgeMs = 5000

type NewBadgeProps = { arrivedAt: number | null; size?: 'large' }

export function NewBadge({ arrivedAt, ...size }: NewBadgeProps): JSX.Element | null {
  const isNew = useIsBefore(arrivedAt === null ? null : arrivedAt + newBadgeMs)
  return isNew ? (
    <Badge tone="bright" {...size}>
      {t('NEW')}
    </Badge>
  ) : null
}

/** Whether and how often the guest has sent a reminder. */
export function StillWaiting({ stillWaiting = 0 }: ServiceRequest): JSX.Element | null {
  if (stillWaiting === 0) return null
  return (
    <strong className="still-waiting">
      {t('Still waiting')}
      {stillWaiting > 1 && ` · ${stillWaiting}×`}
    </strong>
  )
}

/** It fills in steps: an animation would draw 60 frames a second for the whole shift. */
const edgeSteps = 24

/** The longer a guest waits, the fuller and warmer the edge. */
export function HeatEdge(request: ServiceRequest): JSX.Element {
  const { timestamp } = request
  const target = targetMsOf(request)
  const show = useCallback(
    (edge: HTMLSpanElement) =>
      showTime((now) => {
        const step = Math.max(1, Math.floor(((now - timestamp) / target) * edgeSteps))
        edge.style.transform = `scaleY(${Math.min(1, step / edgeSteps)})`
        return step >= edgeSteps ? Infinity : timestamp + ((step + 1) / edgeSteps) * target
      }),
    [timestamp, target],
  )
  return (
    <span aria-hidden className="ticket-edge">
      <span ref={show} />
    </span>
  )
}

type MoreButtonProps = { request: ServiceRequest; onMore: (request: ServiceRequest) => void }

/** As large as the number of the table, which it does not name. */
export function MoreButton({ request, onMore }: MoreButtonProps): JSX.Element {
  return (
    <button
      type="button"
      aria-label={t('More for table {table}', { table: request.tableNumber })}
      aria-haspopup="dialog"
      className="ticket-more"
      onClick={() => onMore(request)}
    >
      <ChevronDown aria-hidden size={18} />
    </button>
  )
}
