import {
  minRequestsForAdjusted,
  loadLevels,
  type CrewSection,
  type DurationSummary,
} from '#contract/analytics.ts'
import type { Assignment } from '../../storage/analytics/analytics.ts'
import { compareNames } from '../collation.ts'
import { summarizeDurations } from './percentiles.ts'
import type { RequestFact, Scope } from './request-facts.ts'

type SectionTally = Omit<CrewSection, 'adjustedMs'> & {
  /** When the open requests of the day that is being counted were closed. */
  openUntil: number[]
  dayIndex: number
  answered: { response: number; load: number }[]
}

type Load = (typeof loadLevels)[number]

export function computeSections(facts: RequestFact[], assignments: Assignment[], scope: Scope) {
  const sections = new Map<string, SectionTally>()
  for (const { crewMemberId, name } of assignments) {
    if (scope !== null && crewMemberId !== scope) continue
    const existing = sections.get(crewMemberId)
    if (existing) existing.tableDays++
    else sections.set(crewMemberId, emptySection({ id: crewMemberId, name }))
  }
  const byLoad = loadLevels.map((load) => ({ load, requests: 0, responses: new Array<number>() }))
  let unassigned = 0
  for (const fact of facts) {
    const section = sections.get(fact.crewMemberId ?? '')
    if (!section) {
      unassigned++
      continue
    }
    const load = addToSection(section, fact)
    const loadGroup = byLoad[load - 1]
    if (!loadGroup) continue
    loadGroup.requests++
    if (fact.response !== null) loadGroup.responses.push(fact.response)
  }
  const summaries = byLoad.map(({ responses }) => summarizeDurations(responses))
  return {
    sections: [...sections.values()]
      .map((section) => toSection(section, scope === null ? summaries : []))
      .toSorted((a, b) => compareNames(a.crewMember.name, b.crewMember.name)),
    unassigned,
    byLoad: byLoad.map(({ load, requests }, index) => ({
      load,
      requests,
      response: summaries[index] ?? null,
    })),
  }
}

const emptySection = (crewMember: CrewSection['crewMember']): SectionTally => ({
  crewMember,
  tableDays: 1,
  requests: 0,
  busiest: 0,
  openUntil: [],
  dayIndex: -1,
  answered: [],
})

/** Counts a request in its section, and returns the load under which it came. */
function addToSection(section: SectionTally, { created, closed, dayIndex, response }: RequestFact): Load {
  const openUntil = section.dayIndex === dayIndex ? section.openUntil.filter((until) => until > created) : []
  openUntil.push(closed === null ? Infinity : created + closed)
  section.openUntil = openUntil
  section.dayIndex = dayIndex
  section.requests++
  section.busiest = Math.max(section.busiest, openUntil.length)
  const load = loadLevels[openUntil.length - 1] ?? 4
  if (response !== null) section.answered.push({ response, load })
  return load
}

function toSection(
  { crewMember, tableDays, requests, busiest, answered }: SectionTally,
  summaries: DurationSummary[],
): CrewSection {
  const differences = answered.flatMap(({ response, load }) => {
    const median = summaries[load - 1]?.medianMs
    return median === undefined ? [] : response - median
  })
  const adjustedMs =
    differences.length < minRequestsForAdjusted ? null : (summarizeDurations(differences)?.medianMs ?? null)
  return { crewMember, tableDays, requests, busiest, adjustedMs }
}
