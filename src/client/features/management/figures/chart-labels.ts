/** How much larger than usual the reader has set text. */
export const textScale = (): number =>
  (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16

/** The width of a text in pixels. */
export type Measure = (text: string) => number

/** Other programs draw a saved picture in letters of their own, which may be a little wider. */
const room = 1.05
/** The width of a character in font sizes, where nothing can be measured. */
const usualWidth = 0.55

/** Measures in the page's own letters; their size is in pixels. */
export function measureIn(size: number, weight = 400): Measure {
  const pen = typeof OffscreenCanvas === 'undefined' ? null : new OffscreenCanvas(1, 1).getContext('2d')
  if (!pen) return (text) => text.length * size * usualWidth
  pen.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`
  // The page draws all digits as wide as a zero, which a canvas cannot.
  return (text) => pen.measureText(text.replaceAll(/\d/gu, '0')).width * room
}

/** In lines no wider than `width`, broken between words. Only a word that is wider than a line is broken itself. */
export function wrapLabel(label: string, width: number, measure: Measure): string[] {
  const lines: string[] = []
  for (const word of label.split(/[^\S\u{a0}]+/u).flatMap((each) => cutWord(each, width, measure))) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim()
    if (lines.length > 0 && measure(longer) <= width) lines[lines.length - 1] = longer
    else if (word !== '') lines.push(word)
  }
  return lines
}

/** In as few parts as fit, of nearly the same length, so that none is a single letter. */
function cutWord(word: string, width: number, measure: Measure): string[] {
  const characters = charactersOf(word)
  for (let count = 1; count < characters.length; count++) {
    const parts = partsOf(characters, count)
    if (parts.every((part) => measure(part) <= width)) return parts
  }
  return characters
}

function partsOf(characters: readonly string[], count: number): string[] {
  const starts = Array.from({ length: count + 1 }, (_, part) => Math.ceil((part * characters.length) / count))
  return starts.slice(0, -1).map((start, part) => {
    const text = characters.slice(start, starts[part + 1]).join('')
    const isSyllable = part < count - 1 && /^\p{L}.*\p{L}$/u.test(text)
    return isSyllable ? `${text}-` : text
  })
}

const charactersOf = (text: string): string[] =>
  Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

type PlacedLabel = { label: string; x: number }

/**
 * The middles of the labels along an axis, none of which touches another or leaves the chart: as many are left out as it
 * takes.
 */
export function placeLabels(
  labels: readonly string[],
  {
    xOf,
    width,
    nth,
    measure,
  }: { xOf: (index: number) => number; width: number; nth: number; measure: Measure },
): PlacedLabel[] {
  let free = 0
  return labels.flatMap((label, index) => {
    if (index % nth !== 0) return []
    const half = measure(label) / 2
    const x = Math.min(Math.max(xOf(index), half), width - half)
    if (x - half < free) return []
    free = x + half + 8
    return [{ label, x }]
  })
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * second),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 4, 8, 12, 24].map((hours) => hours * hour),
]

const maxTicks = 4

const ticksUpTo = (top: number, step: number): number[] =>
  Array.from({ length: Math.max(1, Math.ceil(top / step)) + 1 }, (_, index) => index * step)

/** From zero to the first step that is not below `top`, in steps that people read off a clock. */
export function timeTicks(top: number): number[] {
  const step =
    timeSteps.find((time) => top / time <= maxTicks) ?? Math.ceil(top / maxTicks / (24 * hour)) * 24 * hour
  return ticksUpTo(top, step)
}

/** The same for a count: whole numbers only. */
export function countTicks(top: number): number[] {
  const rough = Math.max(1, top / maxTicks)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((count) => count >= rough) ?? 1
  return ticksUpTo(top, step)
}

/** Draws every n-th of `count` labels, so that each has at least `minWidth` pixels. */
export const labelInterval = (count: number, width: number, minWidth: number): number =>
  Math.max(1, Math.ceil((minWidth * count) / Math.max(1, width)))
