import { useCallback, useMemo } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { PersonRef, ServiceRequest } from '#contract/requests.ts'
import { useConnection, useLive, useLiveReducer } from '../../../api/use-live.ts'
import { useOptimisticRequest } from '../../../api/use-optimistic-request.ts'
import { useErrorToast } from '../../../ui/toast.tsx'
import {
  type RequestAction,
  type LocalAction,
  type RequestsState,
  requestsReducer,
  initialRequestsState,
  visibleRecent,
  visibleRequests,
  unansweredActions,
} from './requests-reducer.ts'
import { useConflictNotice } from './use-conflict-notice.ts'

/** Who acts at a screen where no name is chosen. */
export const anonymousCrew: PersonRef = { id: null, name: 'Crew' }

export type ActOnRequest = (action: RequestAction, request: ServiceRequest) => void

/** With the user's own taps applied. */
export type LiveRequests = Omit<RequestsState, 'pending'> & {
  /** Taps that are waiting for the connection. */
  unsent: ReadonlyMap<string, RequestAction>
  /** Which colleague was faster than a delayed tap; null when nobody was. */
  conflict: string | null
  act: ActOnRequest
}

const messageTypes = {
  accept: 'accept-request',
  release: 'release-request',
  complete: 'complete-request',
  reopen: 'reopen-request',
} as const

/** Maps each action to the one it undoes. */
const undoes: Partial<Record<RequestAction, RequestAction>> = { release: 'accept', reopen: 'complete' }

/** The restaurant's open requests, live. A tap is applied at once, and rolled back if the server refuses it. */
export function useRequests(me: PersonRef): LiveRequests {
  const live = useLive()
  const send = useOptimisticRequest(useErrorToast())
  const [state, dispatch] = useLiveReducer<RequestsState, LocalAction>(reducer, initialRequestsState)
  const connected = useConnection().state === 'live'
  const { watch, forget, text: conflict } = useConflictNotice(state, connected)

  const act = useCallback<ActOnRequest>(
    (action, { id, tableNumber }) => {
      const undone = undoes[action]
      if (undone && live.cancelUnsent(messageTypes[undone], id)) {
        forget(id)
        return dispatch({ type: 'refused', id, action: undone })
      }
      const finish = watch({ id, action, tableNumber, by: me })
      send({
        message: { type: messageTypes[action], id },
        apply: () => dispatch({ type: 'acting', id, action, by: me }),
        confirm({ request }) {
          dispatch({ type: 'acted', id, action, request })
          finish('answered')
        },
        rollBack() {
          finish('refused')
          dispatch({ type: 'refused', id, action })
        },
      })
    },
    [dispatch, live, me, send, watch, forget],
  )

  return useMemo<LiveRequests>(
    () => ({
      loaded: state.loaded,
      open: visibleRequests(state, { connected }),
      recent: visibleRecent(state),
      arrivedAt: state.arrivedAt,
      unsent: connected ? noActions : unansweredActions(state),
      conflict,
      act,
    }),
    [state, connected, conflict, act],
  )
}

const noActions: ReadonlyMap<string, RequestAction> = new Map()

const reducer = (state: RequestsState, message: ServerMessage | LocalAction): RequestsState =>
  requestsReducer(state, message, Date.now())
