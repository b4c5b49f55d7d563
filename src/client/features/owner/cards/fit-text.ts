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

/** The largest size at which the text, or each of several from its own line on, fits into the box, broken between words if possible. */
export function fitText(texts: string | readonly string[], box: TextBox, measure: Measure): number {
  const paragraphs = [texts].flat().map((text) => text.split(/\s+/u).filter(Boolean))
  const whole = largestSize(paragraphs, box, measure, false)
  return whole >= box.readable ? whole : Math.max(whole, largestSize(paragraphs, box, measure, true))
}

function largestSize(paragraphs: string[][], box: TextBox, measure: Measure, breaksWords: boolean): number {
  let { size } = box
  const heightOf = (): number => {
    const width = (box.width * room) / size
    const lines = paragraphs.reduce((sum, words) => sum + countLines(words, width, measure, breaksWords), 0)
    return lines * size * box.lineHeight
  }
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
