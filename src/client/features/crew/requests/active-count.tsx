import type { JSX } from 'react'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { useConnection } from '../../../api/live/use-live.ts'
import { plural } from '../../../lib/texts/translate.ts'
import { Badge } from '../../../ui/badge.tsx'
import { type Heat, heatTimes, useHeat } from '../heat.ts'
import { useRequestsOnScreen } from './requests-provider.tsx'

const tones = { fresh: 'plain', warm: 'action', late: 'late' } as const satisfies Record<Heat, string>

export function ActiveCount(): JSX.Element {
  const { open } = useRequestsOnScreen()
  return <ActiveBadge open={open} />
}

/** As hot as the guest who has waited longest; grey while nobody knows. */
export function ActiveBadge({ open }: { open: readonly ServiceRequest[] }): JSX.Element {
  const isLive = useConnection().state === 'live'
  const heat = useHeat(heatTimes(open))
  return (
    <Badge tone={isLive ? tones[heat] : 'plain'} size="large">
      {plural(open.length, '{count} Active', '{count} Active')}
    </Badge>
  )
}
