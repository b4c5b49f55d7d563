import type { ServiceRequest } from '#contract/requests.ts'

const repeatMs = 10_000
const groupingMs = 5_000
const minSoundGapMs = 1_000
/** More than any evening brings while a completion can be taken back. */
const maxKnown = 1_000

/** `tables` of several requests at one table are named once. */
export type Alert = { kind: 'new' | 'again' | 'still-waiting'; tables: string[]; sound: boolean }

type AlertState = {
  /**
   * The requests this screen was alerted to, or found when it opened, also when they are closed: a completion may be
   * taken back. Null before the first list.
   */
  known: ReadonlySet<string> | null
  /** What was open when it last looked. */
  shown: ReadonlySet<string>
  /** How often the guest of each had said that they still wait. */
  reminders: ReadonlyMap<string, number>
  alertedAt: number
  soundedAt: number
  recentGroup: { at: number; tables: string[] }
}

export const initialAlertState: AlertState = {
  known: null,
  shown: new Set(),
  reminders: new Map(),
  alertedAt: -Infinity,
  soundedAt: -Infinity,
  recentGroup: { at: -Infinity, tables: [] },
}

/**
 * The requests that call this screen: what is everybody's or was raised to all, and what is first of all
 * `me`'s. Where nobody chose a name, nothing is somebody else's.
 */
export function requestsCalling(open: readonly ServiceRequest[], me: string | null): ServiceRequest[] {
  return open.filter(
    (request) =>
      request.state === 'waiting' &&
      (request.level > 0 || request.crew.length === 0 || me === null || isMine(request, me)),
  )
}

const isMine = ({ crew }: ServiceRequest, me: string | null): boolean => me !== null && crew.includes(me)

/** Requests whose guests said anew that they still wait: heard by whoever is on the way, else by whom they call. */
function remindedSince(
  before: ReadonlyMap<string, number>,
  open: readonly ServiceRequest[],
  me: string | null,
): ServiceRequest[] {
  const called = idsOf(requestsCalling(open, me))
  return open.filter(
    (request) =>
      (request.stillWaiting ?? 0) > (before.get(request.id) ?? 0) &&
      (called.has(request.id) || isAcceptedBy(request, me)),
  )
}

/** Where nobody chose a name, it may have been any of them. */
const isAcceptedBy = ({ acceptedBy }: ServiceRequest, me: string | null): boolean =>
  acceptedBy !== null && (acceptedBy.id === me || acceptedBy.id === null || me === null)

const reminderCounts = (open: readonly ServiceRequest[]): Map<string, number> =>
  new Map(open.map(({ id, stillWaiting = 0 }) => [id, stillWaiting]))

/** What to do now, and what to remember. What the first list brings is not news. */
export function nextAlert(
  earlier: AlertState,
  open: readonly ServiceRequest[],
  me: string | null,
  now: number,
  closed: readonly ServiceRequest[] = [],
): { state: AlertState; alert: Alert | null } {
  const waiting = requestsCalling(open, me)
  const { known } = earlier
  const [shown, urged] = [idsOf(open), reminderCounts(open)]
  const remembered = new Set([...(known ?? []), ...idsOf(closed), ...idsOf(waiting)].slice(-maxKnown))
  if (!known)
    return { state: { ...earlier, known: remembered, shown, reminders: urged, alertedAt: now }, alert: null }

  const before = { ...withReopened(earlier, open, known, now), shown }
  const fresh = waiting.filter(({ id }) => !known.has(id))
  if (fresh.length > 0) {
    const burst = now - before.recentGroup.at < groupingMs ? before.recentGroup.tables : []
    const tables = unique([...burst, ...tablesOf(fresh)])
    const sound = now - before.soundedAt >= minSoundGapMs
    return {
      state: {
        known: remembered,
        shown,
        reminders: before.reminders,
        alertedAt: now,
        soundedAt: sound ? now : before.soundedAt,
        recentGroup: { at: now, tables },
      },
      alert: { kind: 'new', tables, sound },
    }
  }
  const state = { ...before, known: remembered, reminders: urged }
  const again = remindedSince(before.reminders, open, me)
  if (again.length > 0) {
    return {
      state: { ...state, alertedAt: now, soundedAt: now },
      alert: { kind: 'still-waiting', tables: unique(tablesOf(again)), sound: true },
    }
  }
  if (waiting.length === 0 || now - before.alertedAt < repeatMs) return { state, alert: null }
  return {
    state: { ...state, alertedAt: now, soundedAt: now },
    alert: { kind: 'again', tables: unique(tablesOf(mineFirst(waiting, me))), sound: true },
  }
}

/** A completion that was taken back is no news: whoever is still to be called is called with the next repeat. */
function withReopened(
  state: AlertState,
  open: readonly ServiceRequest[],
  known: ReadonlySet<string>,
  now: number,
): AlertState {
  const returned = open.filter(({ id }) => known.has(id) && !state.shown.has(id))
  if (returned.length === 0) return state
  return { ...state, alertedAt: now, reminders: new Map([...state.reminders, ...reminderCounts(returned)]) }
}

/** How long until the alert must be repeated; null when nobody waits. */
export function msUntilRepeat(
  { alertedAt }: AlertState,
  open: readonly ServiceRequest[],
  me: string | null,
  now: number,
): number | null {
  return requestsCalling(open, me).length > 0 ? Math.max(0, alertedAt + repeatMs - now) : null
}

export function alertText([first, ...others]: string[], kind: Alert['kind'] = 'new'): string {
  const many = others.length + 1
  if (kind === 'still-waiting') return many === 1 ? `Table ${first} still waits` : `${many} tables still wait`
  return many === 1 ? `Table ${first} needs service` : `${many} tables need service`
}

const mineFirst = (requests: ServiceRequest[], me: string | null): ServiceRequest[] =>
  requests.toSorted((a, b) => Number(isMine(b, me)) - Number(isMine(a, me)))

const idsOf = (requests: readonly ServiceRequest[]): Set<string> => new Set(requests.map(({ id }) => id))
const tablesOf = (requests: readonly ServiceRequest[]): string[] =>
  requests.map(({ tableNumber }) => tableNumber)
const unique = (tables: string[]): string[] => [...new Set(tables)]
