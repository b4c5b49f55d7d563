import { type Dispatch, useState } from 'react'
import { errorMessage, noConnectionText } from '../../api/http.ts'
import type { GuestEvent, GuestState, Place } from './guest-flow.ts'
import { rememberCodeProof } from './guest-storage.ts'
import type { NoticeText } from './notice.tsx'
import { invalidCodeNotice, parseScannedCode } from './scanned-code.ts'
import type { TableEvent } from './table-requests.ts'
import { fetchTableRequests } from './use-table-requests.ts'
import { checkVisit } from './visit.ts'

export type TableLookup = {
  scanProblem: string | null
  setScanProblem: (problem: string | null) => void
  scanned: (content: string) => Promise<void>
  enter: (entered: { restaurantId: string; tableNumber: string }) => Promise<void>
}

type LookupOptions = {
  flow: GuestState
  dispatch: Dispatch<GuestEvent>
  dispatchToTable: Dispatch<TableEvent>
  setNotice: (notice: NoticeText | null) => void
}

const restaurantNotFound = 'Restaurant not found'

/** Opens the table that the guest scans or types in. */
export function useTableLookup({ flow, dispatch, dispatchToTable, setNotice }: LookupOptions): TableLookup {
  const [scanProblem, setScanProblem] = useState<string | null>(null)

  /** Why the table cannot be opened; null when it is open. */
  async function openTable(target: Place): Promise<string | null> {
    try {
      dispatchToTable({ type: 'snapshot', ...(await fetchTableRequests(target)) })
    } catch (error) {
      return errorMessage(error, noConnectionText)
    }
    if (target.k !== null) rememberCodeProof(target.restaurantId, target.tableNumber, target.k)
    const query = new URLSearchParams({ r: target.restaurantId, t: target.tableNumber })
    history.replaceState(null, '', `/customer?${query.toString()}`)
    dispatch({ type: 'table-found', place: target, visit: checkVisit(target, Date.now()) })
    return null
  }

  return {
    scanProblem,
    setScanProblem,
    async scanned(content) {
      const code = parseScannedCode(content)
      if (!code) return setNotice(invalidCodeNotice)
      const problem = code.tableNumber === '' ? null : await openTable(code)
      if (problem === restaurantNotFound) setScanProblem(problem)
      else if (problem !== null || code.tableNumber === '')
        dispatch({ type: 'restaurant-scanned', ...code, problem })
    },
    async enter(entered) {
      const k = flow.step === 'table-entry' ? flow.k : null
      const problem = await openTable({ ...entered, k })
      if (problem !== null) dispatch({ type: 'table-refused', problem })
    },
  }
}
