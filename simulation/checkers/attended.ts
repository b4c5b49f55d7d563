import type { Checker } from './evidence.ts'

/** A screen that falls silent is noticed within 7.5 seconds, and may be back from a reload within two more. */
const noticedMs = 10_000
/** Screens have eight seconds to find a restarted server. */
const restartedMs = 12_000

/** A request whose own crew cannot hear it does not wait for them: it calls all crew. */
export const attended: Checker = ({ restaurant: { tablets, world }, requests, events, now }) => {
  const isStill = (at: number) => now - at > noticedMs
  if (now - Math.max(world.server.startedAt, world.server.countsAt) < restartedMs) return []
  const lastAt = new Map(events.map(({ requestId, at }) => [requestId, at]))
  return requests
    .filter(
      ({ closedAt, acceptedAt, level, crew }) => (closedAt ?? acceptedAt) === null && level === 0 && crew,
    )
    .filter(({ id }) => isStill(lastAt.get(id) ?? now))
    .filter(({ crew }) => {
      const own = tablets.filter(({ crewMemberId }) => crew.split(' ').includes(crewMemberId))
      return own.every(({ heard }) => !heard.isHeard && isStill(heard.since))
    })
    .map(({ id, crew }) => ({
      about: id,
      problem: `request ${id} waits for ${crew} alone, who hear nothing`,
    }))
}
