/** All in milliseconds. */
const batchMs = 50
/** Whether anybody listens is told at once, how many do at most this often, and while they keep coming less often. */
const countEveryMs = 1_000
const countAtLatestMs = 5_000

/** What decides when the screens and guests of a restaurant are told who listens. */
export type Announcement =
  /** Nothing was announced in the last second. */
  | { is: 'idle' }
  /** Announced at `until`: many screens that reconnect at once are announced together. */
  | { is: 'due'; until: number }
  /** Announced at `at`. If only the number changes, that is announced at `until`. */
  | { is: 'announced'; at: number; listening: boolean; isOutdated: boolean; until: number }

/** Presence may have changed, or time has passed; `listening`: whether anybody listens now. */
export type AnnouncementEvent = { type: 'presence' | 'time-passed'; listening: boolean }

type Next = { state: Announcement; announces: boolean }

export const idle: Announcement = { is: 'idle' }

const become = (state: Announcement, announces = false): Next => ({ state, announces })

export function announce(state: Announcement, { type, listening }: AnnouncementEvent, now: number): Next {
  return type === 'presence' ? change(state, listening, now) : wait(state, listening, now)
}

function change(state: Announcement, listening: boolean, now: number): Next {
  if (state.is === 'due') return become(state)
  if (state.is === 'idle' || state.listening !== listening) return become({ is: 'due', until: now + batchMs })
  const canWait = now - state.at < countAtLatestMs - countEveryMs
  // A busy server may be late already.
  return become({
    ...state,
    isOutdated: true,
    until: canWait ? now + countEveryMs : Math.max(now, state.until),
  })
}

function wait(state: Announcement, listening: boolean, now: number): Next {
  if (state.is === 'idle' || state.until > now) return become(state)
  if (state.is === 'announced' && !state.isOutdated) return become(idle)
  return become({ is: 'announced', at: now, listening, isOutdated: false, until: now + countEveryMs }, true)
}
