import { acts } from './acts.ts'
import { attended } from './attended.ts'
import { availability } from './availability.ts'
import type { Checker } from './evidence.ts'
import { guestTruth } from './guest-truth.ts'
import { history } from './history.ts'
import { ladder } from './ladder.ts'
import { listening } from './listening.ts'
import { numbers } from './numbers.ts'
import { parties } from './parties.ts'
import { plans } from './plans.ts'
import { pushes } from './pushes.ts'
import { rights } from './rights.ts'
import { screens } from './screens.ts'
import { shifts } from './shifts.ts'
import { taps } from './taps.ts'

/** What holds at any time. Figures take longer, so they are asked for less often. */
export const promises: Record<string, Checker> = {
  taps,
  acts,
  history,
  screens,
  numbers,
  rights,
  parties,
  availability,
  plans,
  shifts,
  ladder,
  attended,
  listening,
  pushes,
  guestTruth,
}
