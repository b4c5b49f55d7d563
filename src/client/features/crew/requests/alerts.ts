import type { ServiceRequest } from '#contract/requests.ts'

const repeatMs = 10_000
const groupingMs = 5_000
const minSoundGapMs = 1_000
/** More requests than can arrive while a completion can still be undone. */
const maxKnown = 1_000

/** A table with several requests is listed once. */
export type Alert = { kind: 'new' | 'again' | 'still-waiting'; tables: string[]; sound: boolean }

type AlertState = {
  /**
   * The requests this screen was alerted to or found when it opened, including closed ones: a completion may be
   * undone. Null before the first list.
   */
  known: ReadonlySet<string> | null
  /** What was open at the last check. */
  shown: ReadonlySet<string>
  /** Reminders seen so far, by request id. */
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
 * The waiting requests that alert this screen: those assigned to `me` or to nobody, and those escalated to all crew.
 * Without a chosen name, all of them.
 */
export function requestsCalling(open: readonly ServiceRequest[], me: string | null): ServiceRequest[] {
  return open.filter(
    (request) =>
      request.state === 'waiting' &&
      (request.level > 0 || request.crew.length === 0 || me === null || isMine(request, me)),
  )
}

const isMine = ({ crew }: ServiceRequest, me: string | null): boolean => me !== null && crew.includes(me)

/** Requests with a new reminder. It alerts the person on the way, or everybody the request itself would alert. */
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

/** Without a chosen name, it may be the person at this screen. */
const isAcceptedBy = ({ acceptedBy }: ServiceRequest, me: string | null): boolean =>
  acceptedBy !== null && (acceptedBy.id === me || acceptedBy.id === null || me === null)

const reminderCounts = (open: readonly ServiceRequest[]): Map<string, number> =>
  new Map(open.map(({ id, stillWaiting = 0 }) => [id, stillWaiting]))

/** The alert that is due now, if any. Requests in the first list are not new. */
export function nextAlert(
  earlier: AlertState,
  open: readonly ServiceRequest[],
  me: string | null,
  now: number,
  closed: readonly ServiceRequest[] = [],
): { state: AlertState; alert: Alert | null } {
  const waiting = requestsCalling(open, me)
  const { known } = earlier
  const [shown, reminders] = [idsOf(open), reminderCounts(open)]
  const remembered = new Set([...(known ?? []), ...idsOf(closed), ...idsOf(waiting)].slice(-maxKnown))
  if (!known)
    return { state: { ...earlier, known: remembered, shown, reminders, alertedAt: now }, alert: null }

  const before = { ...withReopened(earlier, open, known, now), shown }
  const added = waiting.filter(({ id }) => !known.has(id))
  if (added.length > 0) {
    const burst = now - before.recentGroup.at < groupingMs ? before.recentGroup.tables : []
    const tables = unique([...burst, ...tablesOf(added)])
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
  const state = { ...before, known: remembered, reminders }
  const reminded = remindedSince(before.reminders, open, me)
  if (reminded.length > 0) {
    return {
      state: { ...state, alertedAt: now, soundedAt: now },
      alert: { kind: 'still-waiting', tables: unique(tablesOf(reminded)), sound: true },
    }
  }
  if (waiting.length === 0 || now - before.alertedAt < repeatMs) return { state, alert: null }
  return {
    state: { ...state, alertedAt: now, soundedAt: now },
    alert: { kind: 'again', tables: unique(tablesOf(mineFirst(waiting, me))), sound: true },
  }
}

/** A reopened request is not new; it alerts again at the next repeat. */
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

/** Null when nobody is waiting. */
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
