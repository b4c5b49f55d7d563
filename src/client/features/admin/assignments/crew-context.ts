import { createContext } from 'react'
import type { CrewMember } from '#contract/crew.ts'

/** What only the one open assignment cell looks at, so that the others need not be drawn again for it. */
export const CrewSearchContext = createContext<{
  crew: readonly CrewMember[]
  /** How many tables each has on the day that is shown. */
  load: ReadonlyMap<string, number>
}>({ crew: [], load: new Map() })
