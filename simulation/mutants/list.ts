import { availability } from './availability.ts'
import { inputs } from './inputs.ts'
import { live } from './live.ts'
import type { Mutant } from './mutant.ts'
import { parties } from './parties.ts'
import { push } from './push.ts'
import { requests } from './requests.ts'
import { shifts } from './shifts.ts'
import { storage } from './storage.ts'

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
