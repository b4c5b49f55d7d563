import { useCallback, useMemo } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import { anonymousName } from '#contract/names.ts'
import type { PersonRef, ServiceRequest } from '#contract/requests/requests.ts'
import { useConnection, useLive, useLiveReducer } from '../../../api/live/use-live.ts'
import { useOptimisticRequest } from '../../../api/live/use-optimistic-request.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { t } from '../../../lib/texts/translate.ts'
import { useErrorToast } from '../../../ui/toast/toast.tsx'
import { useConflictNotice } from '../alerts/use-conflict-notice.ts'
import {
  type DelayedAction,
  type RequestAction,
  type LocalAction,
  type RequestsState,
  requestsReducer,
  initialRequestsState,
  sendableMs,
  visibleRecent,
  visibleRequests,
  unansweredActions,
} from './requests-reducer.ts'

/** Who acts at a screen where no name is chosen. */
export const anonymousCrew: PersonRef = { id: null, name: anonymousName }

export type ActOnRequest = (action: RequestAction, request: ServiceRequest) => void

/** With the user's own taps applied. */
export type LiveRequests = Omit<RequestsState, 'pending'> & {
  connected: boolean
  unanswered: ReadonlyMap<string, RequestAction>
  /** Taps that are waiting for the connection. */
  unsent: ReadonlyMap<string, RequestAction>
  /** Which colleague was faster than a delayed tap; null when nobody was. */
  conflict: string | null
  act: ActOnRequest
  /** A tap of an earlier page, which was not sent. */
  resend: (tap: DelayedAction & { at: number }) => void
  /** False when the tap may have been sent. */
  withdraw: (action: RequestAction, id: string) => boolean
}

const messageTypes = {
  accept: 'accept-request',
  release: 'release-request',
  complete: 'complete-request',
  reopen: 'reopen-request',
} as const

/** Maps each action to the one it undoes. */
const undoes: Partial<Record<RequestAction, RequestAction>> = { release: 'accept', reopen: 'complete' }

/**
 * The restaurant's open requests, live. The tapped ticket shows a tap at once; everything else follows in the next frame,
 * and is rolled back if the server refuses it.
 */
export function useRequests(me: PersonRef): LiveRequests {
  const live = useLive()
  const send = useOptimisticRequest(useErrorToast())
  const [state, dispatch] = useLiveReducer<RequestsState, LocalAction>(reducer, initialRequestsState)
  const connected = useConnection().state === 'live'
  const { watch, forget, text: conflict } = useConflictNotice(state, connected)

  const withdraw = useCallback<LiveRequests['withdraw']>(
    (action, id) => {
      if (!live.cancelUnsent(messageTypes[action], id)) return false
      forget(id, action)
      dispatch({ type: 'refused', id, action })
      return true
    },
    [dispatch, live, forget],
  )

  const perform = useCallback(
    (tap: DelayedAction, isDelayed: boolean, at = Date.now()) => {
      const { id, action, tableNumber, by } = tap
      const finish = watch(tap, isDelayed)
      send({
        message: { type: messageTypes[action], id },
        due: { tappedAt: at, sendBefore: at + sendableMs },
        errorTitle: t('Table {table}', { table: tableNumber }),
        apply: () => dispatch({ type: 'acting', id, action, by }),
        confirm({ request }) {
          dispatch({ type: 'acted', id, action, request })
          finish({ request })
        },
        rollBack() {
          dispatch({ type: 'refused', id, action })
          finish(null)
        },
      })
    },
    [dispatch, send, watch],
  )

  const act = useCallback<ActOnRequest>(
    (action, { id, tableNumber }) => {
      const undone = undoes[action]
      if (undone && withdraw(undone, id)) return
      perform({ id, action, tableNumber, by: me }, live.connection.state !== 'live')
    },
    [live, me, perform, withdraw],
  )
  const resend = useCallback<LiveRequests['resend']>((tap) => perform(tap, true, tap.at), [perform])
  const { pending } = state
  const unanswered = useMemo(() => unansweredActions({ pending }), [pending])

  return useMemo<LiveRequests>(
    () => ({
      loaded: state.loaded,
      open: visibleRequests(state, { connected }),
      recent: visibleRecent(state),
      arrivedAt: state.arrivedAt,
      connected,
      unanswered,
      unsent: connected ? noActions : unanswered,
      conflict,
      act,
      resend,
      withdraw,
    }),
    [state, connected, unanswered, conflict, act, resend, withdraw],
  )
}

const noActions: ReadonlyMap<string, RequestAction> = new Map()

const reducer = (state: RequestsState, message: ServerMessage | LocalAction): RequestsState =>
  requestsReducer(state, message, serverNow())
