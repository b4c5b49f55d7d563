import type { CrewMember } from '#contract/crew.ts'
import { nameKey } from '#contract/primitives.ts'

/** What an assignment cell can do: take somebody who is there, make a new Server, or leave the table to nobody. */
export type Choice =
  | { kind: 'member'; member: CrewMember }
  | { kind: 'new'; name: string }
  | { kind: 'nobody' }

export const choiceKey = (choice: Choice): string =>
  choice.kind === 'member' ? choice.member.id : `(${choice.kind})`

/** More rows help nobody: another letter does. */
export const shownAtMost = 30

export type Suggestions = {
  choices: Choice[]
  /** Crew members that fit, shown or not. */
  matches: number
}

/** Accents are not looked at: 'Rene' finds 'René'. */
const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

export function suggestionsFor(
  typed: string,
  crew: readonly CrewMember[],
  current: CrewMember | undefined,
  atMost = shownAtMost,
): Suggestions {
  const wanted = plain(tidy(typed))
  const found = wanted === '' ? crew : bestFirst(wanted, crew)
  const choices: Choice[] = found.slice(0, atMost).map((member) => ({ kind: 'member', member }))
  if (wanted !== '' && !memberNamed(typed, crew)) choices.push({ kind: 'new', name: tidy(typed) })
  if (wanted === '' && current) choices.push({ kind: 'nobody' })
  return { choices, matches: found.length }
}

/** Names that begin with it, then names with a word that does, then the rest. */
function bestFirst(wanted: string, crew: readonly CrewMember[]): CrewMember[] {
  const ranks: [CrewMember[], CrewMember[], CrewMember[]] = [[], [], []]
  for (const member of crew) {
    const name = plain(member.name)
    if (name.startsWith(wanted)) ranks[0].push(member)
    else if (name.includes(` ${wanted}`)) ranks[1].push(member)
    else if (name.includes(wanted)) ranks[2].push(member)
  }
  return ranks.flat()
}

const tidy = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ')

/** Whose name it is, however it is spelt. */
export function memberNamed(typed: string, crew: readonly CrewMember[]): CrewMember | undefined {
  const key = nameKey(typed)
  return crew.find(({ name }) => nameKey(name) === key)
}

/** What Enter does without a suggestion chosen; null while nothing is typed. */
export function choiceOf(typed: string, crew: readonly CrewMember[]): Choice | null {
  if (typed.trim() === '') return null
  const member = memberNamed(typed, crew)
  return member ? { kind: 'member', member } : { kind: 'new', name: tidy(typed) }
}
