import { leastForAdjusted, loads, type Section, type Spread } from '#contract/analytics.ts'
import type { Assignment } from '../storage/analytics.ts'
import { compareNames } from './name-order.ts'
import { spreadOf } from './spreads.ts'
import type { Told, Whose } from './told-requests.ts'

type SectionWork = Omit<Section, 'adjustedMs'> & {
  /** When the requests that are still open here will be closed, of one day. */
  open: number[]
  day: number
  answered: { response: number; load: number }[]
}

type Load = (typeof loads)[number]

export function sectionsOf(told: Told[], assignments: Assignment[], whose: Whose) {
  const sections = new Map<string, SectionWork>()
  for (const { crewMemberId, name } of assignments) {
    if (whose !== null && crewMemberId !== whose) continue
    const known = sections.get(crewMemberId)
    if (known) known.tableDays++
    else sections.set(crewMemberId, emptySection({ id: crewMemberId, name }))
  }
  const byLoad = loads.map((load) => ({ load, requests: 0, responses: new Array<number>() }))
  let unassigned = 0
  for (const one of told) {
    const section = sections.get(one.crewMemberId ?? '')
    if (!section) {
      unassigned++
      continue
    }
    const load = addTo(section, one)
    const equals = byLoad[load - 1]
    if (!equals) continue
    equals.requests++
    if (one.response !== null) equals.responses.push(one.response)
  }
  const usual = byLoad.map(({ responses }) => spreadOf(responses))
  return {
    sections: [...sections.values()]
      .map((section) => toSection(section, whose === null ? usual : []))
      .toSorted((a, b) => compareNames(a.crewMember.name, b.crewMember.name)),
    unassigned,
    byLoad: byLoad.map(({ load, requests }, index) => ({ load, requests, response: usual[index] ?? null })),
  }
}

const emptySection = (crewMember: Section['crewMember']): SectionWork => ({
  crewMember,
  tableDays: 1,
  requests: 0,
  busiest: 0,
  open: [],
  day: -1,
  answered: [],
})

/** Counts a request in its section; tells under which load it came. */
function addTo(section: SectionWork, { created, closed, day, response }: Told): Load {
  const open = section.day === day ? section.open.filter((until) => until > created) : []
  open.push(closed === null ? Infinity : created + closed)
  section.open = open
  section.day = day
  section.requests++
  section.busiest = Math.max(section.busiest, open.length)
  const load = loads[open.length - 1] ?? 4
  if (response !== null) section.answered.push({ response, load })
  return load
}

function toSection(
  { crewMember, tableDays, requests, busiest, answered }: SectionWork,
  usual: Spread[],
): Section {
  const differences = answered.flatMap(({ response, load }) => {
    const median = usual[load - 1]?.medianMs
    return median === undefined ? [] : response - median
  })
  const adjustedMs = differences.length < leastForAdjusted ? null : (spreadOf(differences)?.medianMs ?? null)
  return { crewMember, tableDays, requests, busiest, adjustedMs }
}
