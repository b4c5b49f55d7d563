import type { EntrySteps } from './entry-steps-part.tsx'

/** The steps before a table is known, which a guest with a table's link never loads. */
export const entrySteps: {
  part?: { EntrySteps: typeof EntrySteps } | undefined
  load?: () => Promise<unknown>
} = {}
