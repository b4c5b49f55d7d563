type Edit = { file: string; find: string; replace: string }

/** One fault that could be made by mistake. `find` occurs exactly once in its file. */
export type Mutant = {
  name: string
  edits: readonly Edit[]
  /** The test that finds it, where the simulation cannot see it. */
  foundBy?: string
}
