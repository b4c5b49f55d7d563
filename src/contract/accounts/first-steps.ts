/** What an owner does before the first guest asks, in this order. */
export const firstSteps = ['tables', 'crew', 'assignments', 'plan', 'codes', 'request'] as const
export type FirstStep = (typeof firstSteps)[number]

/** Null once the owner has done all of it, or wants to see it no longer. */
export type FirstSteps = {
  steps: {
    done: FirstStep[]
    /** How many there are. */
    tables: number
    crew: number
    assigned: number
    /** The restaurant's own day, which the assignments are for. */
    day: string
    /** One that somebody works at today, if there is any, to try the first request at. */
    table: string | null
  } | null
}
