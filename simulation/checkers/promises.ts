import { acts } from './acts.ts'
import { attended } from './attended.ts'
import { availability } from './availability.ts'
import type { Checker } from './evidence.ts'
import { figures } from './figures.ts'
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

/** `always`: what holds at any time; `seldom`: what does too, and takes so long that it is asked for less often. */
export type Promises = Record<'always' | 'seldom', Record<string, Checker>>

const always = {
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

export const promises: Promises = { always, seldom: { figures } }

/** All but these: what only one of them finds is not found without it. */
export function promisesWithout(names: readonly string[]): Promises {
  const known = Object.values(promises).flatMap((some) => Object.keys(some))
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`No promise is called ${unknown}, but: ${known.join(', ')}`)
  const keep = (some: Record<string, Checker>) =>
    Object.fromEntries(Object.entries(some).filter(([name]) => !names.includes(name)))
  return { always: keep(promises.always), seldom: keep(promises.seldom) }
}
