import type { ServiceRequest } from '#contract/requests.ts'

const repeatMs = 10_000
const burstMs = 5_000
const breathMs = 1_000

/** `tables` of several requests at one table are named once. */
export type Alert = { kind: 'new' | 'again'; tables: string[]; sound: boolean }

type AlertState = {
  /** The open requests this screen was alerted to, or found when it opened; null before the first list. */
  known: ReadonlySet<string> | null
  alertedAt: number
  soundedAt: number
  burst: { at: number; tables: string[] }
}

export const quiet: AlertState = {
  known: null,
  alertedAt: -Infinity,
  soundedAt: -Infinity,
  burst: { at: -Infinity, tables: [] },
}

/**
 * The requests that call this screen: what is everybody's or was raised to all, and what is first of all
 * `me`'s. Where nobody chose a name, nothing is somebody else's.
 */
export function calling(open: readonly ServiceRequest[], me: string | null): ServiceRequest[] {
  return open.filter(
    (request) =>
      request.state === 'waiting' &&
      (request.level > 0 || request.crew.length === 0 || me === null || isMine(request, me)),
  )
}

const isMine = ({ crew }: ServiceRequest, me: string | null): boolean => me !== null && crew.includes(me)

/** What to do now, and what to remember. What the first list brings is not news. */
export function nextAlert(
  before: AlertState,
  open: readonly ServiceRequest[],
  me: string | null,
  now: number,
): { state: AlertState; alert: Alert | null } {
  const waiting = calling(open, me)
  const { known } = before
  if (!known) return { state: { ...before, known: idsOf(waiting), alertedAt: now }, alert: null }

  const stillOpen = idsOf(open)
  const remembered = new Set([...[...known].filter((id) => stillOpen.has(id)), ...idsOf(waiting)])
  const fresh = waiting.filter(({ id }) => !known.has(id))
  if (fresh.length > 0) {
    const earlier = now - before.burst.at < burstMs ? before.burst.tables : []
    const tables = unique([...earlier, ...tablesOf(fresh)])
    const sound = now - before.soundedAt >= breathMs
    return {
      state: {
        known: remembered,
        alertedAt: now,
        soundedAt: sound ? now : before.soundedAt,
        burst: { at: now, tables },
      },
      alert: { kind: 'new', tables, sound },
    }
  }
  const state = { ...before, known: remembered }
  if (waiting.length === 0 || now - before.alertedAt < repeatMs) return { state, alert: null }
  return {
    state: { ...state, alertedAt: now, soundedAt: now },
    alert: { kind: 'again', tables: unique(tablesOf(mineFirst(waiting, me))), sound: true },
  }
}

/** How long until the alert must be repeated; null when nobody waits. */
export function untilRepeat(
  { alertedAt }: AlertState,
  open: readonly ServiceRequest[],
  me: string | null,
  now: number,
): number | null {
  return calling(open, me).length > 0 ? Math.max(0, alertedAt + repeatMs - now) : null
}

export const alertText = ([first, ...others]: string[]): string =>
  others.length === 0 ? `Table ${first} needs service` : `${others.length + 1} tables need service`

const mineFirst = (requests: ServiceRequest[], me: string | null): ServiceRequest[] =>
  requests.toSorted((a, b) => Number(isMine(b, me)) - Number(isMine(a, me)))

const idsOf = (requests: readonly ServiceRequest[]): Set<string> => new Set(requests.map(({ id }) => id))
const tablesOf = (requests: readonly ServiceRequest[]): string[] =>
  requests.map(({ tableNumber }) => tableNumber)
const unique = (tables: string[]): string[] => [...new Set(tables)]
