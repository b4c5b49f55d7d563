import type { ServiceRequest } from '#contract/requests/requests.ts'
import { plural, t } from '../../../lib/texts/translate.ts'

/** Until the first repeat: longer while a request calls only some of the crew, since it will call others. */
const repeatMs = { all: 10_000, some: 20_000 }
/** Each repeat takes twice as long as the one before, unless it gets worse. */
const maxRepeatMs = 60_000
/** What arrives within this time is one alert. */
const groupingMs = 5_000
/** New requests sound at most this often; those in between sound once it has passed. */
const minSoundGapMs = 10_000
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
  /** How urgent each request was at the last check. */
  urgency: ReadonlyMap<string, number>
  /** Repeats since something new called this screen, or something got worse. */
  repeats: number
  /** Whether this crew member was on the way somewhere at the last check. */
  busy: boolean
  alertedAt: number
  soundedAt: number
  /** Whether what came last has not sounded yet. */
  unheard: boolean
  recentGroup: { at: number; tables: string[] }
}

export const initialAlertState: AlertState = {
  known: null,
  shown: new Set(),
  reminders: new Map(),
  urgency: new Map(),
  repeats: 0,
  busy: false,
  alertedAt: -Infinity,
  soundedAt: -Infinity,
  unheard: false,
  recentGroup: { at: -Infinity, tables: [] },
}

/**
 * The waiting requests that alert this screen: those that call `me`, or where the server names nobody, those assigned to
 * `me` or to nobody and those escalated to all crew. Without a chosen name, all of them.
 */
export function requestsCalling(open: readonly ServiceRequest[], me: string | null): ServiceRequest[] {
  return open.filter((request) => request.state === 'waiting' && (me === null || calls(request, me)))
}

function calls(request: ServiceRequest, me: string): boolean {
  if (request.called && request.level === 0) return request.called.includes(me)
  return request.level > 0 || request.crew.length === 0 || isMine(request, me)
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
  const seen = {
    shown: idsOf(open),
    reminders: reminderCounts(open),
    urgency: urgencies(open),
    busy: isBusy(open, me),
  }
  const remembered = rememberedIds(known ?? new Set(), open, waiting, closed)
  if (!known) return { state: { ...earlier, ...seen, known: remembered, alertedAt: now }, alert: null }

  const before = withReopened(earlier, open, known, now)
  const state = { ...before, ...seen, known: remembered, reminders: before.reminders }
  const added = waiting.filter(({ id }) => !known.has(id))
  if (added.length > 0) {
    const burst = now - before.recentGroup.at < groupingMs ? before.recentGroup.tables : []
    const tables = unique([...burst, ...tablesOf(added)])
    const sound = now - before.soundedAt >= minSoundGapMs
    return {
      state: {
        ...state,
        repeats: 0,
        alertedAt: sound ? now : before.alertedAt,
        soundedAt: sound ? now : before.soundedAt,
        unheard: !sound,
        recentGroup: { at: now, tables },
      },
      alert: { kind: 'new', tables, sound },
    }
  }
  const sounded = { alertedAt: now, soundedAt: now, unheard: false }
  const reminded = remindedSince(before.reminders, open, me)
  if (reminded.length > 0) {
    return {
      state: { ...state, ...sounded, reminders: seen.reminders, repeats: 0 },
      alert: { kind: 'still-waiting', tables: unique(tablesOf(reminded)), sound: true },
    }
  }
  const repeats = hasWorsened(before.urgency, waiting) ? 0 : before.repeats
  const current = { ...state, reminders: seen.reminders, repeats }
  const isFreeAgain = before.busy && !seen.busy
  if (waiting.length === 0) return { state: { ...current, unheard: false }, alert: null }
  const isRepeat = isFreeAgain || now >= repeatAt(current, waiting)
  if (!isRepeat && now < soundAt(current, waiting)) return { state: current, alert: null }
  return {
    state: { ...current, ...sounded, repeats: isRepeat ? repeats + 1 : repeats },
    alert: { kind: 'again', tables: unique(tablesOf(mineFirst(waiting, me))), sound: true },
  }
}

/** Requests that call others now are forgotten, since they alert this screen anew if they call it again. */
const rememberedIds = (
  known: ReadonlySet<string>,
  open: readonly ServiceRequest[],
  waiting: readonly ServiceRequest[],
  closed: readonly ServiceRequest[],
): Set<string> => {
  const calling = idsOf(waiting)
  const callsOthers = idsOf(open.filter(({ id, state }) => state === 'waiting' && !calling.has(id)))
  const kept = [...known].filter((id) => !callsOthers.has(id))
  return new Set([...kept, ...idsOf(closed), ...calling].slice(-maxKnown))
}

const isBusy = (open: readonly ServiceRequest[], me: string | null): boolean =>
  me !== null && open.some(({ acceptedBy }) => acceptedBy?.id === me)

const urgencies = (open: readonly ServiceRequest[]): Map<string, number> =>
  new Map(open.map((request) => [request.id, urgencyOf(request)]))

/** Grows when the request reaches a new level, or the table asks again. */
const urgencyOf = ({ level, asks }: ServiceRequest): number => level + asks

const hasWorsened = (before: ReadonlyMap<string, number>, waiting: readonly ServiceRequest[]): boolean =>
  waiting.some((request) => urgencyOf(request) > (before.get(request.id) ?? Infinity))

function repeatAt({ alertedAt, repeats }: AlertState, waiting: readonly ServiceRequest[]): number {
  const first = waiting.every(({ called, level }) => called && level === 0) ? repeatMs.some : repeatMs.all
  return alertedAt + Math.min(maxRepeatMs, first * 2 ** repeats)
}

function soundAt(state: AlertState, waiting: readonly ServiceRequest[]): number {
  const at = repeatAt(state, waiting)
  return state.unheard ? Math.min(at, state.soundedAt + minSoundGapMs) : at
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
  const reminders = new Map([...state.reminders, ...reminderCounts(returned)])
  return { ...state, alertedAt: now, repeats: 0, reminders }
}

/** Null when nobody is waiting. */
export function msUntilRepeat(
  state: AlertState,
  open: readonly ServiceRequest[],
  me: string | null,
  now: number,
): number | null {
  const waiting = requestsCalling(open, me)
  return waiting.length > 0 ? Math.max(0, soundAt(state, waiting) - now) : null
}

export function alertText([first = '', ...others]: string[], kind: Alert['kind'] = 'new'): string {
  const many = others.length + 1
  if (kind === 'still-waiting')
    return many === 1
      ? t('Table {table} still waits', { table: first })
      : plural(many, '1 table still waits', '{count} tables still wait')
  return many === 1
    ? t('Table {table} needs service', { table: first })
    : plural(many, '1 table needs service', '{count} tables need service')
}

const mineFirst = (requests: ServiceRequest[], me: string | null): ServiceRequest[] =>
  requests.toSorted((a, b) => Number(isMine(b, me)) - Number(isMine(a, me)))

const idsOf = (requests: readonly ServiceRequest[]): Set<string> => new Set(requests.map(({ id }) => id))
const tablesOf = (requests: readonly ServiceRequest[]): string[] =>
  requests.map(({ tableNumber }) => tableNumber)
const unique = (tables: string[]): string[] => [...new Set(tables)]
