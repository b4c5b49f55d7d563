import {
  minRequestsForAdjusted,
  loadLevels,
  type CrewSection,
  type DurationSummary,
} from '#contract/analytics.ts'
import type { Assignment } from '../../storage/analytics.ts'
import { compareNames } from '../collation.ts'
import { summarizeDurations } from './percentiles.ts'
import type { RequestFact, Scope } from './request-facts.ts'

type SectionTally = Omit<CrewSection, 'adjustedMs'> & {
  /** When the requests that are still open here will be closed, of one day. */
  open: number[]
  day: number
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
  for (const one of facts) {
    const section = sections.get(one.crewMemberId ?? '')
    if (!section) {
      unassigned++
      continue
    }
    const load = addToSection(section, one)
    const loadGroup = byLoad[load - 1]
    if (!loadGroup) continue
    loadGroup.requests++
    if (one.response !== null) loadGroup.responses.push(one.response)
  }
  const spreadsByLoad = byLoad.map(({ responses }) => summarizeDurations(responses))
  return {
    sections: [...sections.values()]
      .map((section) => toSection(section, scope === null ? spreadsByLoad : []))
      .toSorted((a, b) => compareNames(a.crewMember.name, b.crewMember.name)),
    unassigned,
    byLoad: byLoad.map(({ load, requests }, index) => ({
      load,
      requests,
      response: spreadsByLoad[index] ?? null,
    })),
  }
}

const emptySection = (crewMember: CrewSection['crewMember']): SectionTally => ({
  crewMember,
  tableDays: 1,
  requests: 0,
  busiest: 0,
  open: [],
  day: -1,
  answered: [],
})

/** Counts a request in its section; tells under which load it came. */
function addToSection(section: SectionTally, { created, closed, day, response }: RequestFact): Load {
  const open = section.day === day ? section.open.filter((until) => until > created) : []
  open.push(closed === null ? Infinity : created + closed)
  section.open = open
  section.day = day
  section.requests++
  section.busiest = Math.max(section.busiest, open.length)
  const load = loadLevels[open.length - 1] ?? 4
  if (response !== null) section.answered.push({ response, load })
  return load
}

function toSection(
  { crewMember, tableDays, requests, busiest, answered }: SectionTally,
  spreadsByLoad: DurationSummary[],
): CrewSection {
  const differences = answered.flatMap(({ response, load }) => {
    const median = spreadsByLoad[load - 1]?.medianMs
    return median === undefined ? [] : response - median
  })
  const adjustedMs =
    differences.length < minRequestsForAdjusted ? null : (summarizeDurations(differences)?.medianMs ?? null)
  return { crewMember, tableDays, requests, busiest, adjustedMs }
}
