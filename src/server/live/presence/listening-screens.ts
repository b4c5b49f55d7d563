import type { Connection } from '../connection.ts'

/** Whoever reloads the page, or looks at something else for a moment, is back by then; in milliseconds. */
const graceMs = 2_000

type Screen = { sessionId: string | null; crewMemberId: string | null; since: number }
type DepartedScreen = Screen & { until: number; signedOut: boolean }

type ScreenCount = {
  /** Listening screens, those that may be back in a moment among them. */
  listening: number
  crew: string[]
  /** How many of these are only expected back. */
  expected: number
  /** Some stopped listening since the last count, and all that did had signed out. */
  onPurpose: boolean
}

/** The screens of this node that listen, restaurant by restaurant, as they were counted last. */
export class ListeningScreens {
  #listening = new Map<string, ReadonlyMap<Connection, Screen>>()
  #departed = new Map<string, DepartedScreen[]>()

  count(restaurantId: string, connections: Iterable<Connection>, now: number): ScreenCount {
    const before = this.#listening.get(restaurantId) ?? noScreens
    const expected: DepartedScreen[] = []
    const stopped: { signedOut: boolean }[] = []
    for (const one of this.#departed.get(restaurantId) ?? []) (one.until > now ? expected : stopped).push(one)

    const here = new Map<Connection, Screen>()
    for (const connection of connections) {
      if (!connection.isListening) continue
      const { sessionId, crewMember } = connection.actor
      const known = before.get(connection) ?? takeReturning(expected, sessionId)
      here.set(connection, { sessionId, crewMemberId: crewMember?.id ?? null, since: known?.since ?? now })
    }
    for (const [connection, screen] of before) {
      if (here.has(connection)) continue
      // Who listened for a moment only, as a page does that says at once that it will not, is not waited for.
      const { isSilent, sessionEnded: ended, signedOut } = connection
      const mayReturn = !isSilent && !ended && !signedOut && now - screen.since >= graceMs
      if (mayReturn) expected.push({ ...screen, until: now + graceMs, signedOut: false })
      else stopped.push(connection)
    }

    setOrDelete(this.#listening, restaurantId, here, here.size)
    setOrDelete(this.#departed, restaurantId, expected, expected.length)
    const crew = [...here.values(), ...expected].flatMap(({ crewMemberId }) => crewMemberId ?? [])
    return {
      listening: here.size + expected.length,
      crew: [...new Set(crew)],
      expected: expected.length,
      onPurpose: stopped.length > 0 && stopped.every(({ signedOut }) => signedOut),
    }
  }

  /** Where a screen that was expected back did not come. */
  overdue(now: number): string[] {
    return [...this.#departed].flatMap(([restaurantId, gone]) =>
      gone.some(({ until }) => until <= now) ? [restaurantId] : [],
    )
  }

  /** These sessions are over: nobody comes back to them. Tells where they were expected. */
  endSessions(sessionIds: ReadonlySet<string>, signedOut: boolean): string[] {
    const concerned: string[] = []
    for (const [restaurantId, gone] of this.#departed) {
      const over = gone.filter(({ sessionId }) => sessionId !== null && sessionIds.has(sessionId))
      for (const one of over) Object.assign(one, { until: 0, signedOut })
      if (over.length > 0) concerned.push(restaurantId)
    }
    return concerned
  }
}

const noScreens: ReadonlyMap<Connection, Screen> = new Map()

function takeReturning(expected: DepartedScreen[], sessionId: string | null): DepartedScreen | undefined {
  const at = expected.findIndex((one) => one.sessionId === sessionId)
  return at < 0 ? undefined : expected.splice(at, 1)[0]
}

function setOrDelete<T>(map: Map<string, T>, restaurantId: string, value: T, size: number): void {
  if (size === 0) map.delete(restaurantId)
  else map.set(restaurantId, value)
}
