import { useMemo } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { ServiceRequest } from '#contract/requests.ts'
import { useLiveState } from '../../../api/use-live.ts'
import { removeById, upsertById } from '../../../lib/collections.ts'

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
export function useAcceptedRequests(me: string): readonly ServiceRequest[] {
  const accepted = useLiveState(acceptedReducer, noRequests)
  return useMemo(() => accepted.filter(({ acceptedBy }) => acceptedBy?.id === me), [accepted, me])
}
