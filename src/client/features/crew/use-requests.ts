import { useCallback, useMemo } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { By, ClosedRequest, ServiceRequest } from '#contract/requests.ts'
import { LiveError } from '../../api/live.ts'
import { useLive, useLiveReducer } from '../../api/use-live.ts'
import { useToast } from '../../ui/toast.tsx'
import {
  type Action,
  type LocalMessage,
  type RequestsState,
  fold,
  noRequests,
  shownRecent,
  shownRequests,
} from './requests-fold.ts'

export type Act = (action: Action, request: ServiceRequest) => void

export type Requests = {
  loaded: boolean
  open: readonly ServiceRequest[]
  recent: readonly ClosedRequest[]
  arrivedAt: ReadonlyMap<string, number>
  act: Act
}

const messages = {
  accept: 'accept-request',
  release: 'release-request',
  complete: 'complete-request',
  reopen: 'reopen-request',
} as const

/** The restaurant's open requests, live. A tap shows at once and is taken back only if the server refuses it. */
export function useRequests(me: By): Requests {
  const live = useLive()
  const { toast } = useToast()
  const [state, dispatch] = useLiveReducer<RequestsState, LocalMessage>(foldNow, noRequests)

  const act = useCallback<Act>(
    (action, { id }) => {
      dispatch({ type: 'acting', id, action, by: me })
      live.request({ type: messages[action], id }).then(
        ({ request }) => dispatch({ type: 'acted', id, action, request }),
        (problem: unknown) => {
          dispatch({ type: 'refused', id, action })
          if (!(problem instanceof LiveError)) throw problem
          if (problem.code === 'unauthenticated') return
          toast({ title: 'Error', description: problem.message, destructive: true })
        },
      )
    },
    [dispatch, live, me, toast],
  )

  return useMemo(
    () => ({
      loaded: state.loaded,
      open: shownRequests(state),
      recent: shownRecent(state),
      arrivedAt: state.arrivedAt,
      act,
    }),
    [state, act],
  )
}

const foldNow = (state: RequestsState, message: ServerMessage | LocalMessage): RequestsState =>
  fold(state, message, Date.now())
