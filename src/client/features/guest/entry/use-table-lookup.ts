import { type Dispatch, useState } from 'react'
import type { ErrorCode } from '#contract/errors.ts'
import { t } from '../../../lib/texts/translate.ts'
import { correctTable, fetchTableRequests } from '../guest-calls.ts'
import type { EntryState, GuestEvent, Place } from '../guest-flow.ts'
import { errorText, languageInAddress, refusalOf } from '../language.ts'
import { leftNotice, type NoticeText } from '../notice.tsx'
import type { TableEvent } from '../requests/table-requests.ts'
import { toTableQuery } from '../requests/use-table-requests.ts'
import { hasAsked, rememberCodeProof } from '../taps/guest-storage.ts'
import { checkVisit } from '../visit.ts'
import { invalidCodeNotice, parseScannedCode } from './scanned-code.ts'

type TableLookup = {
  scanProblem: string | null
  setScanProblem: (problem: string | null) => void
  scanned: (content: string) => Promise<void>
  enter: (entered: { restaurantId: string; tableNumber: string }) => Promise<void>
}

/** What finding another table changes on the page. */
export type EntryActions = {
  /** The table that was not theirs. */
  from: string | undefined
  dispatch: Dispatch<GuestEvent>
  dispatchToTable: Dispatch<TableEvent>
  setNotice: (notice: NoticeText | null) => void
}

const shownByMenu: ReadonlySet<ErrorCode> = new Set([
  'table_muted',
  'table_closed',
  'code_required',
  'visit_expired',
])

/** `isRestaurant`: not even that was found. */
type Problem = { text: string; isRestaurant: boolean }

/** Opens the table that the guest scans or types in. */
export function useTableLookup(flow: EntryState, actions: EntryActions): TableLookup {
  const { from, dispatch, dispatchToTable, setNotice } = actions
  const [scanProblem, setScanProblem] = useState<string | null>(null)

  /** Why the table cannot be opened; null when it is open. */
  async function openTable(target: Place): Promise<Problem | null> {
    try {
      dispatchToTable({ type: 'snapshot', ...(await fetchTableRequests(toTableQuery(target))) })
    } catch (error) {
      const refusal = refusalOf(error)
      const isRestaurant = refusal?.code === 'not_found' && refusal.params?.table === undefined
      return { text: errorText(error), isRestaurant }
    }
    if (target.k !== null) rememberCodeProof(target.restaurantId, target.tableNumber, target.k)
    const query = new URLSearchParams({
      r: target.restaurantId,
      t: target.tableNumber,
      ...languageInAddress(),
    })
    history.replaceState(null, '', `/customer?${query.toString()}`)
    dispatch({ type: 'table-found', place: target, visit: checkVisit(target, Date.now()) })
    return null
  }

  /** Why the guest cannot go there with what this phone asked for at the wrong table. */
  async function takeAlong(target: Place): Promise<Problem | null> {
    if (from === undefined) return null
    try {
      await correctTable(from, toTableQuery(target))
      return null
    } catch (error) {
      const refusal = refusalOf(error)
      const isShownThere = refusal !== null && shownByMenu.has(refusal.code)
      // Who scans the code next takes it along then.
      if (isShownThere && refusal.code !== 'code_required' && hasAsked()) setNotice(leftNotice(from))
      // An earlier version of the server has no such operation.
      const isUnknown = refusal?.code === 'not_found' && refusal.params?.table === undefined
      return isShownThere || isUnknown ? null : { text: errorText(error), isRestaurant: false }
    }
  }

  return {
    scanProblem,
    setScanProblem,
    async scanned(content) {
      const code = parseScannedCode(content)
      if (!code) return setNotice({ title: t(invalidCodeNotice.title), text: t(invalidCodeNotice.text) })
      if (code.tableNumber === '' && code.k !== null) rememberCodeProof(code.restaurantId, '', code.k)
      const problem = code.tableNumber === '' ? null : ((await takeAlong(code)) ?? (await openTable(code)))
      if (problem?.isRestaurant) setScanProblem(problem.text)
      else if (problem !== null || code.tableNumber === '')
        dispatch({ type: 'restaurant-scanned', ...code, problem: problem?.text ?? null })
    },
    async enter(entered) {
      // The code of the wrong table proves nothing; one of the whole restaurant is on the device.
      const k = flow.step === 'table-entry' && from === undefined ? flow.k : null
      const target = { ...entered, k }
      const problem = (await takeAlong(target)) ?? (await openTable(target))
      if (problem !== null) dispatch({ type: 'table-refused', problem: problem.text })
    },
  }
}
