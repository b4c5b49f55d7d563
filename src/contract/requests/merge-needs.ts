import { isSame, type Merge, mergeFields } from '../merging.ts'
import type { Need } from './needs.ts'

/** Need by need, and of one that all three have field by field. */
export function mergeNeeds(
  merge: Merge,
  now: readonly Need[],
  was: readonly Need[],
  wanted: readonly Need[],
): Need[] {
  const find = (needs: readonly Need[], id: string) => needs.find((need) => need.id === id)
  return mergeOrder(merge, now.map(idOf), was.map(idOf), wanted.map(idOf)).flatMap((id) => {
    const [current, seen, changed] = [find(now, id), find(was, id), find(wanted, id)]
    if (current && seen && changed) return mergeFields(merge, current, seen, changed)
    return merge(current, seen, changed) ?? []
  })
}

const idOf = ({ id }: Need): string => id

/** With all of both. */
function mergeOrder(merge: Merge, now: string[], was: string[], wanted: string[]): string[] {
  const ofAll = (ids: string[]): string[] =>
    ids.filter((id) => [now, was, wanted].every((each) => each.includes(id)))
  const order = merge(ofAll(now), ofAll(was), ofAll(wanted))
  const [first, second] = isSame(order, ofAll(wanted)) ? [wanted, now] : [now, wanted]
  const ids = [...first]
  // What only the second list has keeps its place behind whatever it followed there.
  for (const [index, id] of second.entries()) {
    const before = second[index - 1]
    if (!ids.includes(id)) ids.splice(before === undefined ? 0 : ids.indexOf(before) + 1, 0, id)
  }
  return ids
}
