import { createContext } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'

/** Read only by the one open assignment cell, so the other cells need not render again. */
export const CrewSearchContext = createContext<{
  crew: readonly CrewMember[]
  /** How many tables each member has on the shown day. */
  load: ReadonlyMap<string, number>
}>({ crew: [], load: new Map() })
