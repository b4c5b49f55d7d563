import { useMemo } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { ServiceRequest } from '#contract/requests.ts'
import { useLiveState } from '../../../api/use-live.ts'

const noRequests: readonly ServiceRequest[] = []

function acceptedReducer(
  accepted: readonly ServiceRequest[],
  message: ServerMessage,
): readonly ServiceRequest[] {
  switch (message.type) {
    case 'pending-requests':
      return message.requests.filter(isAccepted)
    case 'request-updated':
      return addAccepted(removeById(accepted, message.request.id), message.request)
    case 'request-completed':
      return removeById(accepted, message.id)
    default:
      return accepted
  }
}

const isAccepted = ({ state }: ServiceRequest): boolean => state === 'accepted'

const removeById = (accepted: readonly ServiceRequest[], id: string): readonly ServiceRequest[] =>
  accepted.some((one) => one.id === id) ? accepted.filter((one) => one.id !== id) : accepted

const addAccepted = (
  accepted: readonly ServiceRequest[],
  request: ServiceRequest,
): readonly ServiceRequest[] => (isAccepted(request) ? [...accepted, request] : accepted)

/** What `me` is on the way to. */
export function useAcceptedRequests(me: string): readonly ServiceRequest[] {
  const accepted = useLiveState(acceptedReducer, noRequests)
  return useMemo(() => accepted.filter(({ acceptedBy }) => acceptedBy?.id === me), [accepted, me])
}
