import type { JSX } from 'react'
import type { GuestPage } from '#contract/guests/visits.ts'
import type { EntryState } from '../guest-flow.ts'
import { ScanStep } from './scan-step.tsx'
import { TableEntry } from './table-entry.tsx'
import { type EntryActions, useTableLookup } from './use-table-lookup.ts'

type EntryStepsProps = {
  flow: EntryState
  given: GuestPage['given']
  actions: EntryActions
  takesFocus: boolean
  onBack: () => void
}

/** Before a table is known: its code is scanned, or its number typed in. */
export function EntrySteps({ flow, given, actions, takesFocus, onBack }: EntryStepsProps): JSX.Element {
  const { scanProblem, setScanProblem, scanned, enter } = useTableLookup(flow, actions)
  if (flow.step === 'qr-scan')
    return (
      <ScanStep
        takesFocus={takesFocus}
        problem={scanProblem}
        onProblem={setScanProblem}
        onScanned={(content) => void scanned(content)}
        onManual={() => actions.dispatch({ type: 'manual-entry' })}
      />
    )
  return (
    <TableEntry
      takesFocus={takesFocus}
      restaurantId={flow.restaurantId}
      k={flow.k}
      from={given.from}
      problem={flow.problem}
      entered={{ restaurantId: given.restaurantId ?? 'default', tableNumber: given.tableNumber ?? '' }}
      onContinue={enter}
      onBack={given.restaurantId === null ? onBack : undefined}
    />
  )
}
