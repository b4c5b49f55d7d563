import { useCallback, useMemo } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { By, ClosedRequest, ServiceRequest } from '#contract/requests.ts'
import { LiveError } from '../../api/live.ts'
import { useConnection, useLive, useLiveReducer } from '../../api/use-live.ts'
import { useToast } from '../../ui/toast.tsx'
import {
  type Action,
  type LocalMessage,
  type RequestsState,
  fold,
  noRequests,
  shownRecent,
  shownRequests,
  unanswered,
} from './requests-fold.ts'
import { useOutdone } from './use-outdone.ts'

export type Act = (action: Action, request: ServiceRequest) => void

export type Requests = {
  loaded: boolean
  open: readonly ServiceRequest[]
  recent: readonly ClosedRequest[]
  arrivedAt: ReadonlyMap<string, number>
  /** What was tapped and waits for the connection. */
  unsent: ReadonlyMap<string, Action>
  /** Who was first with what waited; null when nobody was. */
  outdone: string | null
  act: Act
}

const messages = {
  accept: 'accept-request',
  release: 'release-request',
  complete: 'complete-request',
  reopen: 'reopen-request',
} as const

/** What takes back a tap that was not sent yet. */
const undone: Partial<Record<Action, Action>> = { release: 'accept', reopen: 'complete' }

/** The restaurant's open requests, live. A tap shows at once and is taken back only if the server refuses it. */
export function useRequests(me: By): Requests {
  const live = useLive()
  const { toast } = useToast()
  const [state, dispatch] = useLiveReducer<RequestsState, LocalMessage>(foldNow, noRequests)
  const connected = useConnection().state === 'live'
  const { watch, forget, text: outdone } = useOutdone(state, connected)

  const act = useCallback<Act>(
    (action, { id, tableNumber }) => {
      const before = undone[action]
      if (before && live.withdraw(messages[before], id)) {
        forget(id)
        return dispatch({ type: 'refused', id, action: before })
      }
      const ended = watch({ id, action, tableNumber, by: me })
      dispatch({ type: 'acting', id, action, by: me })
      live.request({ type: messages[action], id }).then(
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

  return useMemo(
    () => ({
      loaded: state.loaded,
      open: shownRequests(state, { connected }),
      recent: shownRecent(state),
      arrivedAt: state.arrivedAt,
      unsent: connected ? none : unanswered(state),
      outdone,
      act,
    }),
    [state, connected, outdone, act],
  )
}

const none: ReadonlyMap<string, Action> = new Map()

const foldNow = (state: RequestsState, message: ServerMessage | LocalMessage): RequestsState =>
  fold(state, message, Date.now())
