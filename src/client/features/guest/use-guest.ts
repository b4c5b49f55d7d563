import * as v from 'valibot'
import { type Dispatch, useCallback, useEffect, useReducer, useSyncExternalStore } from 'react'
import { ServiceRequest } from '#contract/requests.ts'
import type { GuestPage } from '#contract/visits.ts'
import { noConnectionText } from '../../api/http.ts'
import type { LiveChannel } from '../../api/live-channel.ts'
import { type GuestEvent, type GuestState, guestReducer, initialStep, type Place } from './guest-flow.ts'
import { type NoticeText, useNotice } from './notice.tsx'
import type { Outbox, OutboxEvent, Tap } from './outbox.ts'
import type { TableRequests } from './table-requests.ts'
import { connectivityText, noopSubscribe, useConnectivity } from './use-connectivity.ts'
import { type RequestActions, useRequestActions } from './use-request-actions.ts'
import { type TableLookup, useTableLookup } from './use-table-lookup.ts'
import { type TableState, useTableRequests } from './use-table-requests.ts'
import { checkVisit, resetVisit } from './visit.ts'

export type Guest = TableLookup &
  RequestActions & {
    flow: GuestState
    table: TableRequests
    /** The taps at this table that the server has not answered yet. */
    sending: readonly Tap[]
    /** Why taps cannot be sent right now; null while they can. */
    disconnected: string | null
    notice: NoticeText | null
    enterManually: () => void
    backToScan: () => void
    doneSeen: (id: string) => void
    sendAnother: () => void
    reset: () => Promise<void>
  }

/** All guest actions and transitions; the screens only render them. */
export function useGuest(page: GuestPage, outbox: Outbox | undefined, live: LiveChannel | undefined): Guest {
  const [flow, dispatch] = useReducer(guestReducer, page, initialStep)
  const [notice, setNotice] = useNotice(page.refused)
  const place = 'place' in flow ? flow.place : null
  const initial = { open: page.requests, done: [], listening: page.listening, barrier: page.barrier }
  const tableState = useTableRequests(place, initial, live)
  const { table, reachable, dispatch: dispatchToTable, refresh } = tableState
  const sending = useWaitingTaps(outbox, place)
  const connectivity = useConnectivity(outbox, reachable)
  const lookup = useTableLookup({ flow, dispatch, dispatchToTable, setNotice })
  const requestActions = useRequestActions(page.mine, tableState, setNotice)
  useVisitCheck(place, dispatch)
  useOutboxEvents(outbox, place, { tableState, dispatch, setNotice })

  return {
    ...lookup,
    ...requestActions,
    flow,
    table,
    sending,
    disconnected: connectivityText(connectivity, sending.length),
    notice,
    enterManually: () => dispatch({ type: 'manual-entry' }),
    backToScan: () => dispatch({ type: 'back-to-scan' }),
    doneSeen: useCallback((id) => dispatchToTable({ type: 'done-seen', id }), [dispatchToTable]),
    sendAnother: () => place && dispatch({ type: 'send-another', visit: checkVisit(place, Date.now()) }),
    async reset() {
      if (!place || !(await resetVisit(place))) return setNotice({ text: noConnectionText })
      dispatch({ type: 'reset' })
      refresh()
    },
  }
}

const noTaps: readonly Tap[] = []
const getNoTaps = () => noTaps

const isAt = (place: Place | null, { restaurantId, tableNumber }: Tap): boolean =>
  restaurantId === place?.restaurantId && tableNumber === place.tableNumber

function useWaitingTaps(outbox: Outbox | undefined, place: Place | null): readonly Tap[] {
  const taps = useSyncExternalStore(
    outbox?.subscribe ?? noopSubscribe,
    outbox?.waiting ?? getNoTaps,
    getNoTaps,
  )
  return taps.filter((tap) => isAt(place, tap))
}

function useVisitCheck(place: Place | null, dispatch: Dispatch<GuestEvent>): void {
  useEffect(() => {
    if (place && checkVisit(place, Date.now()) === 'expired') dispatch({ type: 'visit-expired' })
  }, [place, dispatch])
}

type TapListener = {
  tableState: TableState
  dispatch: Dispatch<GuestEvent>
  setNotice: (notice: NoticeText | null) => void
}

/** Shows what becomes of the taps in the outbox, also of those from before the app had loaded. */
function useOutboxEvents(
  outbox: Outbox | undefined,
  place: Place | null,
  { tableState, dispatch, setNotice }: TapListener,
): void {
  const { dispatch: dispatchToTable, applyAnswer, refresh } = tableState
  const handleEvent = useCallback(
    (event: OutboxEvent): void => {
      for (const button of document.querySelectorAll('[data-tapped]')) button.removeAttribute('data-tapped')
      const { tap } = event
      if (event.type === 'added') return setNotice(null)
      if (event.type === 'refused') {
        if (isAt(place, tap) && (event.code === 'code_required' || event.code === 'table_muted'))
          return dispatchToTable({ type: 'barred', barrier: event.code })
        if (event.code !== 'visit_expired') return setNotice({ text: event.message, persistent: true })
        return isAt(place, tap) ? dispatch({ type: 'visit-expired' }) : undefined
      }
      if (!isAt(place, tap)) return
      const request = v.safeParse(ServiceRequest, event.request)
      if (request.success) applyAnswer(request.output, tap.at)
      if (event.again || !request.success) refresh()
      dispatch({ type: 'stored', serviceType: tap.serviceType })
    },
    [place, applyAnswer, refresh, setNotice, dispatch, dispatchToTable],
  )
  useEffect(() => outbox?.subscribeWithReplay(handleEvent), [outbox, handleEvent])
}
