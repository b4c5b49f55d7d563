import type { Breach, Checker } from './evidence.ts'

/** The numbers of a stream reach each screen without a gap and without a repetition, up to the last one. */
export const numbers: Checker = ({ restaurant: { tablets }, lastSeq, mayBeBehind }) =>
  tablets.flatMap(({ numbers, isWhole, isFrozen }, index): Breach[] => {
    const about = `tablet ${index}`
    if (!isWhole || isFrozen) return []
    const wrong = numbers.findIndex((number, at) => at > 0 && number !== (numbers[at - 1] ?? 0) + 1)
    if (wrong > 0)
      return [{ about, problem: `${about} got number ${numbers[wrong]} after ${numbers[wrong - 1]}` }]
    return numbers.at(-1) === lastSeq || mayBeBehind
      ? []
      : [{ about, problem: `${about} is at number ${numbers.at(-1)}, the stream at ${lastSeq}` }]
  })
