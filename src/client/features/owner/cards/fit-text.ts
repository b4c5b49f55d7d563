export type TextBox = {
  width: number
  height: number
  /** The largest size of letters. */
  size: number
  /** Long words are broken rather than printed smaller than this. */
  readable: number
  /** In sizes of letters. */
  lineHeight: number
}

/** The width of a text at size 1. */
export type Measure = (text: string) => number

const smallest = 0.5
const step = 0.97
/** Printers round differently from screens. */
const room = 0.97

/** The largest size at which the text fits into the box, broken between words if possible. */
export function fitText(text: string, box: TextBox, measure: Measure): number {
  const words = text.split(/\s+/u).filter(Boolean)
  const whole = largestSize(words, box, measure, false)
  return whole >= box.readable ? whole : Math.max(whole, largestSize(words, box, measure, true))
}

function largestSize(words: string[], box: TextBox, measure: Measure, breaksWords: boolean): number {
  let { size } = box
  const heightOf = (): number =>
    countLines(words, (box.width * room) / size, measure, breaksWords) * size * box.lineHeight
  while (size > smallest && heightOf() > box.height) size *= step
  return size
}

/** As browsers fill lines: a word that is broken begins one, too. Infinite if it does not fit at all. */
function countLines(words: string[], width: number, measure: Measure, breaksWords: boolean): number {
  const space = measure('a a') - measure('aa')
  let lines = 1
  let used = 0
  for (const word of words) {
    const wordWidth = measure(word)
    if (used > 0 && used + space + wordWidth > width) {
      lines += 1
      used = 0
    }
    if (wordWidth <= width) used += (used > 0 ? space : 0) + wordWidth
    else if (!breaksWords) return Number.POSITIVE_INFINITY
    else
      for (const letter of lettersOf(word)) {
        const letterWidth = measure(letter)
        if (letterWidth > width) return Number.POSITIVE_INFINITY
        if (used + letterWidth > width) {
          lines += 1
          used = 0
        }
        used += letterWidth
      }
  }
  return lines
}

/** As people count them. */
const lettersOf = (word: string): string[] =>
  [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word)].map(({ segment }) => segment)
