import type { Connection } from '../connection.ts'
import { reloadGraceMs } from './presence-times.ts'

type Screen = { sessionId: string | null; crewMemberId: string | null; since: number }
type DepartedScreen = Screen & { until: number; signedOut: boolean }

type ScreenCount = {
  /** Listening screens, including those that may be back in a moment. */
  listening: number
  crew: string[]
  /** How many of them are only expected back. */
  expected: number
  /** Some screens stopped listening since the last count, and all of them had signed out. */
  onPurpose: boolean
}

/** The listening screens of this node by restaurant, as of the last count. */
export class ListeningScreens {
  #listening = new Map<string, ReadonlyMap<Connection, Screen>>()
  #departed = new Map<string, DepartedScreen[]>()

  count(restaurantId: string, connections: Iterable<Connection>, now: number): ScreenCount {
    const before = this.#listening.get(restaurantId) ?? noScreens
    const expected: DepartedScreen[] = []
    const stopped: { signedOut: boolean }[] = []
    for (const screen of this.#departed.get(restaurantId) ?? [])
      (screen.until > now ? expected : stopped).push(screen)

    const listening = new Map<Connection, Screen>()
    for (const connection of connections) {
      if (!connection.isListening) continue
      const { sessionId, crewMember } = connection.actor
      const known = before.get(connection) ?? takeReturning(expected, sessionId)
      listening.set(connection, {
        sessionId,
        crewMemberId: crewMember?.id ?? null,
        since: known?.since ?? now,
      })
    }
    for (const [connection, screen] of before) {
      if (listening.has(connection)) continue
      // A page that stops at once, because its user has alerts off, is not waited for.
      const { isSilent, sessionEnded, signedOut } = connection
      const mayReturn = !isSilent && !sessionEnded && !signedOut && now - screen.since >= reloadGraceMs
      if (mayReturn) expected.push({ ...screen, until: now + reloadGraceMs, signedOut: false })
      else stopped.push(connection)
    }

    setOrDelete(this.#listening, restaurantId, listening, listening.size)
    setOrDelete(this.#departed, restaurantId, expected, expected.length)
    const crew = [...listening.values(), ...expected].flatMap(({ crewMemberId }) => crewMemberId ?? [])
    return {
      listening: listening.size + expected.length,
      crew: [...new Set(crew)].toSorted(),
      expected: expected.length,
      onPurpose: stopped.length > 0 && stopped.every(({ signedOut }) => signedOut),
    }
  }

  /** The restaurants where a screen was expected back but did not return. */
  overdue(now: number): string[] {
    return [...this.#departed].flatMap(([restaurantId, screens]) =>
      screens.some(({ until }) => until <= now) ? [restaurantId] : [],
    )
  }

  /** Stops expecting screens of these sessions. Returns the restaurants where they were expected. */
  endSessions(sessionIds: ReadonlySet<string>, signedOut: boolean): string[] {
    const restaurantIds: string[] = []
    for (const [restaurantId, screens] of this.#departed) {
      const ended = screens.filter(({ sessionId }) => sessionId !== null && sessionIds.has(sessionId))
      for (const screen of ended) Object.assign(screen, { until: 0, signedOut })
      if (ended.length > 0) restaurantIds.push(restaurantId)
    }
    return restaurantIds
  }
}

const noScreens: ReadonlyMap<Connection, Screen> = new Map()

function takeReturning(expected: DepartedScreen[], sessionId: string | null): DepartedScreen | undefined {
  const index = expected.findIndex((screen) => screen.sessionId === sessionId)
  return index < 0 ? undefined : expected.splice(index, 1)[0]
}

function setOrDelete<T>(map: Map<string, T>, restaurantId: string, value: T, size: number): void {
  if (size === 0) map.delete(restaurantId)
  else map.set(restaurantId, value)
}
