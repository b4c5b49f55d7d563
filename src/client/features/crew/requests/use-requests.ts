import { useCallback, useMemo } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { PersonRef, ClosedRequest, ServiceRequest } from '#contract/requests.ts'
import { LiveError } from '../../../api/live-channel.ts'
import { useConnection, useLive, useLiveReducer } from '../../../api/use-live.ts'
import { useToast } from '../../../ui/toast.tsx'
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

export type ActOnRequest = (action: RequestAction, request: ServiceRequest) => void

export type LiveRequests = {
  loaded: boolean
  open: readonly ServiceRequest[]
  recent: readonly ClosedRequest[]
  arrivedAt: ReadonlyMap<string, number>
  /** What was tapped and waits for the connection. */
  unsent: ReadonlyMap<string, RequestAction>
  /** Who was first with what waited; null when nobody was. */
  conflict: string | null
  act: ActOnRequest
}

const messageTypes = {
  accept: 'accept-request',
  release: 'release-request',
  complete: 'complete-request',
  reopen: 'reopen-request',
} as const

/** What takes back a tap that was not sent yet. */
const undoneBy: Partial<Record<RequestAction, RequestAction>> = { release: 'accept', reopen: 'complete' }

/** The restaurant's open requests, live. A tap shows at once and is taken back only if the server refuses it. */
export function useRequests(me: PersonRef): LiveRequests {
  const live = useLive()
  const { toast } = useToast()
  const [state, dispatch] = useLiveReducer<RequestsState, LocalAction>(reducer, initialRequestsState)
  const connected = useConnection().state === 'live'
  const { watch, forget, text: outdone } = useConflictNotice(state, connected)

  const act = useCallback<ActOnRequest>(
    (action, { id, tableNumber }) => {
      const before = undoneBy[action]
      if (before && live.cancelUnsent(messageTypes[before], id)) {
        forget(id)
        return dispatch({ type: 'refused', id, action: before })
      }
      const ended = watch({ id, action, tableNumber, by: me })
      dispatch({ type: 'acting', id, action, by: me })
      live.request({ type: messageTypes[action], id }).then(
        ({ request }) => {
          dispatch({ type: 'acted', id, action, request })
          ended('answered')
        },
        (problem: unknown) => {
          ended('refused')
          dispatch({ type: 'refused', id, action })
          if (!(problem instanceof LiveError)) throw problem
          if (problem.code === 'unauthenticated') return
          toast({ title: 'Error', description: problem.message, destructive: true })
        },
      )
    },
    [dispatch, live, me, toast, watch, forget],
  )

  return useMemo<LiveRequests>(
    () => ({
      loaded: state.loaded,
      open: visibleRequests(state, { connected }),
      recent: visibleRecent(state),
      arrivedAt: state.arrivedAt,
      unsent: connected ? noActions : unansweredActions(state),
      conflict: outdone,
      act,
    }),
    [state, connected, outdone, act],
  )
}

const noActions: ReadonlyMap<string, RequestAction> = new Map()

const reducer = (state: RequestsState, message: ServerMessage | LocalAction): RequestsState =>
  requestsReducer(state, message, Date.now())
