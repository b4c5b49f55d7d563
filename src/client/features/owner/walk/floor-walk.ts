import type { TableCard } from '#contract/floor/qr.ts'
import { readShortCode } from '#contract/guests/short-links.ts'
import { nameKey } from '#contract/primitives.ts'

/** What a code turned out to be. */
export type Finding =
  | { kind: 'checked' | 'again' | 'old'; table: string }
  | { kind: 'other-restaurant'; restaurant: string }
  | { kind: 'other-address'; host: string }
  | { kind: 'no-such-table'; table: string }
  | { kind: 'old-link' | 'whole-restaurant' | 'unknown' }

/** `nameKeys` are those of all names that the restaurant has, and had. */
export type Floor = { cards: readonly TableCard[]; nameKeys: readonly string[] }

export type Walk = {
  /** The ids of their tables. */
  checked: ReadonlySet<string>
  last: Finding | null
  /** What is wrong, latest first, each thing once. */
  problems: readonly Finding[]
  /** Everything that was scanned or typed, each code once: a walk can be repeated from it. */
  codes: readonly string[]
  /** A camera goes on seeing the code that it has just read. */
  seen: { content: string; at: number } | null
}

export const newWalk: Walk = { checked: new Set(), last: null, problems: [], codes: [], seen: null }

/** The walk on which these codes were found, judged by what is printed today. */
export function repeatWalk(floor: Floor, codes: readonly string[]): Walk {
  const walk = codes.reduce((current, content) => examine(current, floor, content), newWalk)
  return { ...walk, last: null }
}

const stillInViewMs = 2_000

/** A code that the camera sees. */
export function scan(walk: Walk, floor: Floor, content: string, at: number): Walk {
  const { seen } = walk
  const isStillInView = seen?.content === content && at - seen.at < stillInViewMs
  const looked = { ...walk, seen: { content, at } }
  return isStillInView ? looked : examine(looked, floor, content)
}

/** A code, or a short link that was typed. */
export function examine(before: Walk, floor: Floor, content: string): Walk {
  const walk = { ...before, codes: [...before.codes.filter((code) => code !== content), content] }
  const card = findCard(floor.cards, content)
  if (!card) return withProblem(walk, whatIsWrong(floor, content))
  const { id, tableNumber: table } = card
  const kind = walk.checked.has(id) ? 'again' : 'checked'
  // The new card stands where an old one was found before.
  const problems = walk.problems.filter((problem) => !isOldCodeOf(table, problem))
  return { ...walk, checked: new Set([...walk.checked, id]), last: { kind, table }, problems }
}

const isOldCodeOf = (table: string, problem: Finding): boolean =>
  problem.kind === 'old' && nameKey(problem.table) === nameKey(table)

const withProblem = (walk: Walk, last: Finding): Walk => {
  const text = JSON.stringify(last)
  const others = walk.problems.filter((problem) => JSON.stringify(problem) !== text)
  return { ...walk, last, problems: [last, ...others] }
}

/** By its own link or its short one, as they would be printed today. */
function findCard(cards: readonly TableCard[], content: string): TableCard | undefined {
  const typed = readTyped(content)
  if (typed !== null) return cards.find(({ shortLink }) => readTyped(shortLink) === typed)
  const url = URL.parse(content.trim())
  return cards.find(({ link }) => {
    const own = new URL(link)
    return url?.origin === own.origin && url.pathname === own.pathname && provesSame(url, own)
  })
}

/** The restaurant's name may have changed since: its old one is an alias for ever. */
const provesSame = (a: URL, b: URL): boolean =>
  a.searchParams.get('k') === b.searchParams.get('k') && tableOf(a) === tableOf(b)

const tableOf = ({ searchParams }: URL): string => nameKey(searchParams.get('t') ?? '')

/** The code of a short link, with or without the address before it. */
function readTyped(content: string): string | null {
  const [, code = ''] = /^(?:.*\/t\/)?([^/?#]+)\/?$/iu.exec(content.trim()) ?? []
  return readShortCode(code)
}

function whatIsWrong({ cards, nameKeys }: Floor, content: string): Finding {
  if (readTyped(content) !== null) return { kind: 'old-link' }
  const url = URL.parse(content.trim())
  const [first] = cards
  const restaurant = url?.searchParams.get('r')?.trim()
  if (!url || !first || !restaurant) return { kind: 'unknown' }
  const own = new URL(first.link)
  const isOurs = nameKeys.includes(nameKey(restaurant))
  if (url.origin !== own.origin && (isOurs || cards.some(({ link }) => provesSame(url, new URL(link)))))
    return { kind: 'other-address', host: url.host }
  if (!isOurs) return { kind: 'other-restaurant', restaurant }
  const table = url.searchParams.get('t')?.trim()
  if (!table) return { kind: 'whole-restaurant' }
  const exists = cards.some(({ tableNumber }) => nameKey(tableNumber) === nameKey(table))
  return { kind: exists ? 'old' : 'no-such-table', table }
}
