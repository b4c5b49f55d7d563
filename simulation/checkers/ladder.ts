import { defaultEscalation } from '#contract/requests/escalation.ts'
import { serviceTypes } from '#contract/requests/requests.ts'
import type { Schema } from '../../src/server/storage/schema.ts'
import type { Checker } from './evidence.ts'
import { isRepeated } from './parties.ts'

/** After a start two steps may be due at once: the manager's comes as long after the crew's as ever. */
const catchUpMs = 10_000
/** The scheduler looks each second. */
const toleranceMs = 2_000

/** After it the times no longer follow from the age: of two that were joined, the more urgent one counts for both. */
const isTouched = ({ id, kind }: Schema['requestEvent']): boolean =>
  kind === 'accepted' || kind === 'reopened' || isRepeated(id)

/** Each step of the ladder is taken once, none too late, and the manager is not called too early. */
export const ladder: Checker = ({ restaurant: { world }, requests, eventsOf, now }) =>
  requests.flatMap((row) => {
    const about = eventsOf(row.id)
    const raised = about.filter(({ kind }) => kind === 'escalated')
    const type = serviceTypes.find((type) => type === row.serviceType) ?? 'general'
    const wasTouched = about.some(isTouched)
    const wasUrged = about.some(({ kind }) => kind === 'still_waiting')
    const until = row.closedAt ?? now
    const ageMs = until - row.createdAt
    const isCatchingUp = world.server.starts.some((at) => at <= until && until - at <= catchUpMs)
    const problems: string[] = []
    if (row.level > 2 || raised.length > 2) problems.push(`is at level ${row.level}`)
    if (raised.length > row.level) problems.push(`was raised ${raised.length} times to level ${row.level}`)
    if (!wasTouched && !wasUrged) {
      const due =
        ageMs > defaultEscalation.managerAfterMs[type] + toleranceMs
          ? 2
          : ageMs > defaultEscalation.allAfterMs[type] + toleranceMs
            ? 1
            : 0
      if (row.level < due && !isCatchingUp) problems.push(`is at level ${row.level} after ${ageMs} ms`)
      const last = raised.at(-1)
      const atMs = (last?.at ?? now) - row.createdAt
      if (row.level === 2 && last && atMs < defaultEscalation.managerAfterMs[type])
        problems.push(`called the manager after ${atMs} ms`)
    }
    if (row.closedAt === null) {
      const due = row.acceptedAt === null ? row.nextLevelAt : row.acceptUntil
      if (due !== null && due < now - toleranceMs) problems.push(`has a step due since ${now - due} ms`)
      if (row.acceptedAt === null && row.level < 2 && row.nextLevelAt === null)
        problems.push('waits, and nothing will call more people')
      if (row.acceptedAt !== null && row.acceptUntil === null) problems.push('is accepted for ever')
    }
    return problems.map((problem) => ({ about: row.id, problem: `request ${row.id} ${problem}` }))
  })
