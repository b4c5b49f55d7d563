import { type JSX } from 'react'
import type { ServiceRequest } from '#contract/requests.ts'
import { Badge } from '../../../ui/badge.tsx'
import { useIsBefore } from '../use-elapsed-time.ts'

const newBadgeMs = 5000

type NewBadgeProps = { arrivedAt: number | null; size?: 'large' }

export function NewBadge({ arrivedAt, ...size }: NewBadgeProps): JSX.Element | null {
  const isNew = useIsBefore(arrivedAt === null ? null : arrivedAt + newBadgeMs)
  return isNew ? (
    <Badge tone="action" {...size}>
      NEW
    </Badge>
  ) : null
}

/** Whether and how often the guest has sent a reminder. */
export function StillWaiting({ stillWaiting = 0 }: ServiceRequest): JSX.Element | null {
  if (stillWaiting === 0) return null
  return <p className="font-bold text-late">Still waiting{stillWaiting > 1 && ` · ${stillWaiting}×`}</p>
}
