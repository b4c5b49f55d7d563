import { type Dispatch, useCallback, useEffect, useReducer, useRef } from 'react'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import type { Live } from '../../api/live.ts'
import type { Place } from './guest-flow.ts'
import { type TableEvent, type TableRequests, tableRequests } from './table-requests.ts'

/** How often the server is asked while the live channel is away. */
const askEveryMs = 20_000

export const requestsAt = ({ restaurantId, tableNumber }: Pick<Place, 'restaurantId' | 'tableNumber'>) =>
  call(api.requests.mine, { query: { restaurantId, tableNumber } })

/** The open requests of the guest's table: told live, and asked for when the page wakes up or nobody tells. */
export function useTableRequests(
  place: Place | null,
  initial: TableRequests,
  live: Live | undefined,
): [TableRequests, Dispatch<TableEvent>, () => void] {
  const [table, dispatch] = useReducer(tableRequests, initial)
  const told = useRef(0)
  const { restaurantId, tableNumber } = place ?? {}

  const refresh = useCallback(() => {
    if (restaurantId === undefined || tableNumber === undefined) return
    const before = told.current
    requestsAt({ restaurantId, tableNumber }).then(
      ({ requests, listening }) => {
        // What was told meanwhile is newer than this answer may be.
        if (told.current === before) dispatch({ type: 'snapshot', requests, listening })
        else refresh()
      },
      () => {},
    )
  }, [restaurantId, tableNumber])

  useEffect(() => {
    if (!live || restaurantId === undefined || tableNumber === undefined) return
    const stopListening = live.onMessage((message) => {
      told.current += 1
      dispatch(message)
    })
    live.setContext({ type: 'set-restaurant-context', restaurantId, tableNumber })
    const release = live.hold()
    return () => {
      stopListening()
      live.forgetContext('set-restaurant-context')
      release()
    }
  }, [live, restaurantId, tableNumber])

  useEffect(() => {
    const wake = (): void => {
      if (document.visibilityState === 'visible') refresh()
    }
    const comeBack = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) wake()
    }
    const timer = setInterval(() => {
      if (live?.connection.state !== 'live') wake()
    }, askEveryMs)
    document.addEventListener('visibilitychange', wake)
    addEventListener('pageshow', comeBack)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('pageshow', comeBack)
    }
  }, [live, refresh])

  return [table, dispatch, refresh]
}
