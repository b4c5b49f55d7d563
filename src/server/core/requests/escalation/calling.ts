import { secondMs } from '#contract/durations.ts'
import type { CrewActivity } from '../../../storage/crew/crew-activity.ts'

/** A request that nobody has accepted by then calls more of the crew. */
export const widenAfterMs = 12 * secondMs

const calledAtFirst = 2
const calledLater = 3
/** Among so few, a table is left to its own server at first. */
const smallCrew = 3

type Call = {
  tableId: string | null
  /** Who looks after the table; empty for everybody. */
  crew: readonly string[]
  called: readonly string[]
  createdAt: number
}

type Crew = CrewActivity & { listeners: ReadonlySet<string> }

/**
 * Whom a request calls before it alerts all crew: those called already who are still free, and as many others as are
 * missing, best first. Empty when only those are left whom it alerts anyway.
 */
export function chooseCalled(call: Call, crew: Crew, now: number, { more = false } = {}): string[] {
  const reachable = [...crew.listeners].filter((id) => !crew.onBreak.has(id))
  const free = reachable.filter((id) => !crew.onTheWay.has(id))
  const stillCalled = call.called.filter((id) => free.includes(id))
  const others = rank(
    free.filter((id) => !call.called.includes(id)),
    call,
    crew,
  )
  const [best] = others
  const isOneEnough =
    best !== undefined &&
    (isAtScreen(best, crew) || (call.crew.includes(best) && reachable.length <= smallCrew))
  const wanted = now >= call.createdAt + widenAfterMs ? calledLater : isOneEnough ? 1 : calledAtFirst
  const missing = stillCalled.length > 0 && !more ? 0 : Math.max(0, wanted - stillCalled.length)
  const called = [...stillCalled, ...others.slice(0, missing)]
  const chosen = called.length > 0 ? called : reachable
  const isAlertedAnyway = (id: string) => call.crew.length === 0 || call.crew.includes(id)
  return chosen.length === reachable.length && reachable.every(isAlertedAnyway) ? [] : chosen
}

/** Who of those whom a need calls first can come; empty if none of them can hear it. */
export function chooseAmong(callees: ReadonlySet<string>, { listeners, onBreak, onTheWay }: Crew): string[] {
  const reachable = [...listeners].filter((id) => callees.has(id) && !onBreak.has(id)).toSorted()
  const free = reachable.filter((id) => !onTheWay.has(id))
  return free.length > 0 ? free : reachable
}

/** The table's own crew, then who has the fewest calls, the screen in hand, works nearest; the rest take turns. */
function rank(ids: string[], { tableId, crew, createdAt }: Call, activity: Crew): string[] {
  const distances = distancesFrom(tableId, activity.worked)
  const turn = Math.floor(createdAt / secondMs)
  return ids
    .toSorted()
    .map((id, index) => ({
      id,
      order: [
        crew.includes(id) ? 0 : 1,
        activity.calls.get(id) ?? 0,
        activity.screenInHand.has(id) ? 0 : 1,
        activity.sameSection.has(id) ? 0 : 1,
        distances.get(id) ?? activity.worked.length,
        (index + turn) % ids.length,
      ],
    }))
    .toSorted((a, b) => compareLists(a.order, b.order))
    .map(({ id }) => id)
}

const isAtScreen = (id: string, { calls, screenInHand }: Crew): boolean =>
  screenInHand.has(id) && !calls.has(id)

/** How many tables lie between a table and the nearest one of each crew member. */
function distancesFrom(tableId: string | null, worked: CrewActivity['worked']): Map<string, number> {
  const here = worked.findIndex((table) => table.tableId === tableId)
  const distances = new Map<string, number>()
  if (here < 0) return distances
  for (const [index, { crewMemberId }] of worked.entries()) {
    const distance = Math.abs(index - here)
    distances.set(crewMemberId, Math.min(distance, distances.get(crewMemberId) ?? distance))
  }
  return distances
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, i) => value !== b[i])
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}
