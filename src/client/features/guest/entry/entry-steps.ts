import type { ScanStep } from './scan-step.tsx'
import type { TableEntry } from './table-entry.tsx'

/** The steps before a table is known, which a guest with a table's link never loads. */
export const entrySteps: {
  part?: { ScanStep: typeof ScanStep; TableEntry: typeof TableEntry } | undefined
  load?: () => Promise<unknown>
} = {}
