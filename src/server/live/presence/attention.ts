import { repeatAlarmMs, restartGraceMs, screenMoveGraceMs } from './presence-times.ts'

/** What decides when managers are alerted that nobody listens in their restaurant. */
export type Attention =
  /** Nobody listens, and nobody is expected. */
  | { is: 'unattended' }
  | { is: 'attended'; since: number }
  /** Whoever listened since `since` has left. Managers are alerted at `until`, unless another node has the screens. */
  | { is: 'left'; since: number; onPurpose: boolean; until: number }
  /** Screens are expected back. An alarm that was raised before `since` no longer stands. */
  | { is: 'expected'; since: number; until: number }
  /** They have not come back. */
  | { is: 'missed'; since: number; until: number }

export type AttentionEvent =
  /** `onPurpose`: whoever has left had signed out. */
  | { type: 'presence'; listening: boolean; onPurpose: boolean }
  /** Somebody had been listening since then, when this or another node stopped. */
  | { type: 'interrupted'; since: number }
  /** Guests were waiting when this node started, from which its screens had been sent away. */
  | { type: 'restarted' }
  | { type: 'guest-asked' }
  | { type: 'time-passed' }

export type AttentionEffect =
  | { type: 'alert'; since: number; onPurpose: boolean }
  | { type: 'withdraw' }
  /** Screens that were expected have had the time to come back. */
  | { type: 'nobody-back' }

/** What the clock says, by which alarms are compared, and the time that this process has seen pass, by which it waits. */
type Moment = { clock: number; seen: number }

type Next = { state: Attention; effects: AttentionEffect[] }

export const unattended: Attention = { is: 'unattended' }

const become = (state: Attention, ...effects: AttentionEffect[]): Next => ({ state, effects })

export function attend(state: Attention, event: AttentionEvent, at: Moment): Next {
  switch (event.type) {
    case 'presence':
      return event.listening ? arrive(state, at) : leave(state, event.onPurpose, at)
    case 'interrupted':
      if (state.is !== 'unattended' && state.is !== 'expected') return become(state)
      return become({ is: 'expected', since: event.since, until: at.seen + restartGraceMs })
    case 'restarted':
      return expectSoon(state, at, restartGraceMs)
    case 'guest-asked':
      return expectSoon(state, at, restartGraceMs - screenMoveGraceMs)
    case 'time-passed':
      return wait(state, at)
  }
}

function arrive(state: Attention, { clock }: Moment): Next {
  if (state.is === 'attended') return become(state)
  if (state.is === 'left') return become({ is: 'attended', since: state.since })
  return become({ is: 'attended', since: clock }, { type: 'withdraw' })
}

function leave(state: Attention, onPurpose: boolean, { seen }: Moment): Next {
  if (state.is !== 'attended') return become(state)
  return become({ is: 'left', since: state.since, onPurpose, until: seen + screenMoveGraceMs })
}

/** The managers are told of guests who wait, unless screens are about to return. */
function expectSoon(state: Attention, { clock, seen }: Moment, graceMs: number): Next {
  if (state.is !== 'unattended') return become(state)
  return become({ is: 'expected', since: clock - repeatAlarmMs, until: seen + graceMs })
}

function wait(state: Attention, { seen }: Moment): Next {
  if (!('until' in state) || state.until > seen) return become(state)
  const { since } = state
  if (state.is === 'expected')
    return become({ is: 'missed', since, until: seen + screenMoveGraceMs }, { type: 'nobody-back' })
  return become(unattended, { type: 'alert', since, onPurpose: state.is === 'left' && state.onPurpose })
}

/** When the next thing happens by itself. */
export const dueAt = (state: Attention): number | undefined => ('until' in state ? state.until : undefined)
