import { type JSX, memo, useMemo } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import type { ServerMessage } from '#contract/live.ts'
import type { ServiceRequest } from '#contract/requests.ts'
import { useConnection, useLiveState } from '../../../api/use-live.ts'
import { removeById, upsertById } from '../../../lib/collections.ts'
import { Button } from '../../../ui/button.tsx'
import { lazyPart, useLazyDialog } from '../../../lib/lazy.tsx'
import type { Breaks } from './use-breaks.ts'
import type { Shift } from './use-shift.ts'

const EndShiftDrawer = lazyPart(async () => (await import('./end-shift-drawer.tsx')).EndShiftDrawer)
const BreakDrawer = lazyPart(async () => (await import('./break-drawer.tsx')).BreakDrawer)

type MyShiftProps = {
  me: CrewMember
  crew: readonly CrewMember[]
  shift: Shift
  breaks: Breaks
  onEnd: () => void
}

/** The break and the end of the shift of the crew member at this screen. */
export const MyShift = memo(function MyShift({ me, crew, shift, breaks, onEnd }: MyShiftProps): JSX.Element {
  const breakDrawer = useLazyDialog()
  const endDrawer = useLazyDialog()
  const requests = useAcceptedRequests(me.id)
  const isLive = useConnection().state === 'live'
  const own = breaks.all.find(({ crewMemberId }) => crewMemberId === me.id)
  const isAway = breaks.pending === null ? own !== undefined : breaks.pending === 'start-break'
  const nameOf = (id: string): string => crew.find((other) => other.id === id)?.name ?? 'a colleague'
  const covered = breaks.all.filter(({ coverId }) => coverId === me.id)
  return (
    <div className="flex flex-col gap-4">
      <div role="status" className="font-semibold empty:hidden">
        {!isLive && breaks.pending !== null && (
          <p>{`Kept: your break ${isAway ? 'begins' : 'ends'} when the connection is back`}</p>
        )}
        {own && (
          <p>
            You are on a break · {own.coverId === null ? 'everybody covers' : `${nameOf(own.coverId)} covers`}
          </p>
        )}
        {covered.map(({ crewMemberId }) => (
          <p key={crewMemberId}>You cover for {nameOf(crewMemberId)}</p>
        ))}
      </div>
      {isAway ? (
        <Button variant="primary" wide onClick={breaks.end}>
          Back from break
        </Button>
      ) : (
        <Button wide aria-haspopup="dialog" onClick={breakDrawer.show}>
          Going on break
        </Button>
      )}
      {!shift.flow.started && shift.flow.card === 'none' && (
        <Button variant="primary" wide onClick={shift.start}>
          Start shift
        </Button>
      )}
      <Button wide onClick={requests.length > 0 ? endDrawer.show : onEnd}>
        End shift
      </Button>
      {endDrawer.mounted && (
        <EndShiftDrawer {...{ me, crew, breaks, requests, onEnd }} {...endDrawer.props} />
      )}
      {breakDrawer.mounted && <BreakDrawer me={me} crew={crew} breaks={breaks} {...breakDrawer.props} />}
    </div>
  )
})

const noRequests: readonly ServiceRequest[] = []

function acceptedReducer(
  accepted: readonly ServiceRequest[],
  message: ServerMessage,
): readonly ServiceRequest[] {
  switch (message.type) {
    case 'pending-requests':
      return message.requests.filter(isAccepted)
    case 'request-updated':
      return isAccepted(message.request)
        ? upsertById(accepted, message.request)
        : removeById(accepted, message.request.id)
    case 'request-completed':
      return removeById(accepted, message.id)
    default:
      return accepted
  }
}

const isAccepted = ({ state }: ServiceRequest): boolean => state === 'accepted'

/** The requests that `me` has accepted. */
function useAcceptedRequests(me: string): readonly ServiceRequest[] {
  const accepted = useLiveState(acceptedReducer, noRequests)
  return useMemo(() => accepted.filter(({ acceptedBy }) => acceptedBy?.id === me), [accepted, me])
}
