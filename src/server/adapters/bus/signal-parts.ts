import { randomUUID } from 'node:crypto'

/** A piece of a signal that is too long for the broker. */
export type Part = { kind: 'part'; of: string; index: number; count: number; text: string }

/** A text that is JSON already takes at most three bytes for each of its UTF-16 units. */
const maxBytesPerUnit = 3
/** For all else, and for emojis that are cut in two. */
const otherBytes = 250

export function cutIntoParts(text: string, limit: number): Part[] {
  const length = Math.floor((limit - otherBytes) / maxBytesPerUnit)
  const count = Math.ceil(text.length / length)
  const of = randomUUID()
  return Array.from({ length: count }, (_, index) => ({
    kind: 'part',
    of,
    index,
    count,
    text: text.slice(index * length, (index + 1) * length),
  }))
}

/** Returns the text that a part completes. A broker keeps the order of what a node sends, so its parts come in a row. */
export function createAssembler(): (from: string, part: Part) => string | null {
  const begun = new Map<string, Part[]>()
  return (from, part) => {
    const before = part.index === 0 ? [] : (begun.get(from) ?? [])
    begun.delete(from)
    const parts = [...before.filter(({ of }) => of === part.of), part]
    // One before this was lost.
    if (parts.length !== part.index + 1) return null
    if (parts.length === part.count) return parts.map(({ text }) => text).join('')
    begun.set(from, parts)
    return null
  }
}
