import { availability } from './availability.ts'
import { inputs } from './inputs.ts'
import { live } from './live.ts'
import { parties } from './parties.ts'
import { push } from './push.ts'
import { requests } from './requests.ts'
import { shifts } from './shifts.ts'
import { storage } from './storage.ts'

export type Edit = { file: string; find: string; replace: string }

/** One fault that could be made by mistake. `find` occurs exactly once in its file. */
export type Mutant = {
  name: string
  edits: readonly Edit[]
  /** The test that finds it, where the simulation cannot see it. */
  foundBy?: string
}

export const mutants: readonly Mutant[] = [
  ...requests,
  ...parties,
  ...availability,
  ...shifts,
  ...storage,
  ...live,
  ...push,
  ...inputs,
]
