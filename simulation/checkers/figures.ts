import { api } from '#contract/api.ts'
import type { Checker } from './evidence.ts'

/** The owner's figures are those of a naive recount of the events. */
export const figures: Checker = async ({ restaurant: { owner }, requests, eventsOf, now }) => {
  const day = new Date(now).toISOString().slice(0, 10)
  const { totals } = await owner.ok(api.analytics.figures, { query: { from: day, to: day } })
  // What was joined counts as the request that goes on for both.
  const counted = requests.filter(({ closedAs }) => closedAs !== 'merged')
  const byRequest = counted.map(({ id }) => eventsOf(id))
  const kinds = byRequest.map((about) => about.map(({ kind }) => kind))
  const endings = kinds.map((all) =>
    all.findLast((kind) => kind === 'completed' || kind === 'cancelled' || kind === 'reopened'),
  )
  const count = (kind: string) => kinds.flat().filter((each) => each === kind).length
  const having = (kind: (typeof kinds)[number][number]) => kinds.filter((all) => all.includes(kind)).length
  const recounted = {
    requests: byRequest.length,
    repeatedAsks: count('asked') - count('taken_back'),
    cancelled: endings.filter((kind) => kind === 'cancelled').length,
    completed: endings.filter((kind) => kind === 'completed').length,
    escalated: having('escalated'),
    stillWaiting: having('still_waiting'),
  }
  const shown = {
    requests: totals.requests,
    repeatedAsks: totals.repeatedAsks,
    cancelled: totals.cancelled,
    completed: totals.times.completed?.count ?? 0,
    escalated: totals.escalated,
    stillWaiting: totals.stillWaiting,
  }
  const [told, stored] = [JSON.stringify(shown), JSON.stringify(recounted)]
  return told === stored
    ? []
    : [{ about: 'the figures', problem: `the figures say ${told}, the events ${stored}` }]
}
