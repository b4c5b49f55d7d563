import { useMemo } from 'react'
import { hourMs } from '#contract/durations.ts'
import type { ServerMessage } from '#contract/live.ts'
import type { MutedTable } from '#contract/requests/muted-tables.ts'
import { useLiveState } from '../../../api/live/use-live.ts'
import { useOptimisticRequest } from '../../../api/live/use-optimistic-request.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useErrorToast } from '../../../ui/toast/toast.tsx'

export type MutedTablesState = {
  all: readonly MutedTable[]
  muteForAnHour: (tableNumber: string) => void
  mute: (tableNumber: string) => void
  unmute: (tableNumber: string) => void
}

const noMutedTables: readonly MutedTable[] = []

function mutedTablesReducer(muted: readonly MutedTable[], message: ServerMessage): readonly MutedTable[] {
  if (message.type === 'muted-tables') return message.tables
  return message.type === 'pending-requests' ? (message.muted ?? noMutedTables) : muted
}

/** The tables whose guests cannot send requests. */
export function useMutedTables(): MutedTablesState {
  const request = useOptimisticRequest(useErrorToast())
  const all = useLiveState(mutedTablesReducer, noMutedTables)
  return useMemo(
    () => ({
      all,
      muteForAnHour: (tableNumber) =>
        request({ message: { type: 'mute-table', tableNumber, until: serverNow() + hourMs } }),
      mute: (tableNumber) => request({ message: { type: 'mute-table', tableNumber } }),
      unmute: (tableNumber) => request({ message: { type: 'unmute-table', tableNumber } }),
    }),
    [all, request],
  )
}
