import type { JSX, ReactNode } from 'react'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { addDays } from '../../../lib/time/dates.ts'
import { InOrder } from '../../../ui/page/in-order.tsx'
import { LoadError } from '../../../ui/page/load-error.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { WeekCard } from '../week-card.tsx'
import { FloorCard } from './floor-card.tsx'
import { TodayPanel } from './today-panel.tsx'
import type { TodayState } from './today-reducer.ts'
import { useFloor } from './use-floor.ts'

const ManagementCards = lazyPart(async () => (await import('../management-cards.tsx')).ManagementCards, {
  fallback: (failed, retry) =>
    failed ? <LoadError message="This part could not be loaded." onRetry={retry} /> : <Spinner />,
  retry: 'manual',
})

type NowPageProps = {
  today: TodayState
  listenersNeeded: boolean | null
  /** The restaurant's own; null until known. */
  day: string | null
  managerUsername: string | null
  /** The three cards of today. */
  overview: ReactNode
  shortcuts: ReactNode
}

/** What a manager needs to know at a glance, and what they change. */
export function NowPage(props: NowPageProps): JSX.Element {
  const { today, listenersNeeded, day, managerUsername, overview, shortcuts } = props
  const floor = useFloor(day, today)
  return (
    <InOrder className="flex flex-col gap-2.5 sm:gap-6">
      <InOrder className="grid gap-2.5 sm:gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] lg:items-start">
        <InOrder className="flex min-w-0 flex-col gap-2.5 sm:gap-6">
          <TodayPanel {...{ today, listenersNeeded }} people={floor.people} />
          {overview}
        </InOrder>
        <InOrder className="flex min-w-0 flex-col gap-2.5 sm:gap-6">
          {day === null ? <Spinner /> : <WeekCard until={addDays(day, -1)} />}
          <FloorCard floor={floor} />
        </InOrder>
      </InOrder>
      {shortcuts}
      <ManagementCards managerUsername={managerUsername} />
    </InOrder>
  )
}
