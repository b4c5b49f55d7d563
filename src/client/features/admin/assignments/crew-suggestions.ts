import type { CrewMember } from '#contract/crew/crew.ts'
import { nameKey } from '#contract/primitives.ts'
import { normalizeForSearch } from '../../../lib/texts/format.ts'

/** What an assignment cell offers: a crew member, a new Server, or nobody. */
export type AssignmentChoice =
  | { kind: 'member'; member: CrewMember }
  | { kind: 'new'; name: string }
  | { kind: 'nobody' }

export const choiceKey = (choice: AssignmentChoice): string =>
  choice.kind === 'member' ? choice.member.id : `(${choice.kind})`

/** A longer list helps less than typing another letter. */
export const maxSuggestions = 30

export type Suggestions = {
  choices: AssignmentChoice[]
  /** Number of matching crew members, shown or not. */
  matches: number
}

export function suggestCrew(
  typed: string,
  crew: readonly CrewMember[],
  current: CrewMember | undefined,
  atMost = maxSuggestions,
): Suggestions {
  const wanted = normalizeForSearch(collapseWhitespace(typed))
  const found = wanted === '' ? crew : rankMatches(wanted, crew)
  const choices: AssignmentChoice[] = found.slice(0, atMost).map((member) => ({ kind: 'member', member }))
  if (wanted !== '' && !findMemberByName(typed, crew))
    choices.push({ kind: 'new', name: collapseWhitespace(typed) })
  if (wanted === '' && current) choices.push({ kind: 'nobody' })
  return { choices, matches: found.length }
}

/** Names that start with the text, then names with a word that does, then other matches. */
function rankMatches(wanted: string, crew: readonly CrewMember[]): CrewMember[] {
  const ranks: [CrewMember[], CrewMember[], CrewMember[]] = [[], [], []]
  for (const member of crew) {
    const name = normalizeForSearch(member.name)
    if (name.startsWith(wanted)) ranks[0].push(member)
    else if (name.includes(` ${wanted}`)) ranks[1].push(member)
    else if (name.includes(wanted)) ranks[2].push(member)
  }
  return ranks.flat()
}

const collapseWhitespace = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ')

/** The member of this name, whatever its case and spaces. */
export function findMemberByName(typed: string, crew: readonly CrewMember[]): CrewMember | undefined {
  const key = nameKey(typed)
  return crew.find(({ name }) => nameKey(name) === key)
}

/** What Enter does without a suggestion chosen: it takes the only one. Null while nothing is typed. */
export function choiceFromInput(typed: string, crew: readonly CrewMember[]): AssignmentChoice | null {
  if (typed.trim() === '') return null
  const { choices, matches } = suggestCrew(typed, crew, undefined)
  if (matches === 1 && choices[0]) return choices[0]
  const member = findMemberByName(typed, crew)
  return member ? { kind: 'member', member } : { kind: 'new', name: collapseWhitespace(typed) }
}
