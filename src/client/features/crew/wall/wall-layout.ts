type Size = { width: number; height: number }

type WallLayout = {
  columns: number
  rows: number
  /** How many requests have a place; the last place of a full wall says how many have none. */
  shown: number
}

/** In pixels: below this nobody reads it from five metres away. */
const minSize: Size = { width: 340, height: 170 }
/** A place is best when it is about this much wider than high. */
const aspectRatio = 1.9

/** Places as large as possible for so many requests, all of one size. */
export function computeWallLayout({ width, height }: Size, count: number): WallLayout {
  const most = {
    columns: Math.max(1, Math.floor(width / minSize.width)),
    rows: Math.max(1, Math.floor(height / minSize.height)),
  }
  const places = Math.max(1, Math.min(count, most.columns * most.rows))
  let best = { columns: most.columns, rows: most.rows, size: 0 }
  for (let columns = 1; columns <= most.columns; columns += 1) {
    const rows = Math.ceil(places / columns)
    const size = Math.min(width / columns / aspectRatio, height / rows)
    if (rows <= most.rows && size > best.size) best = { columns, rows, size }
  }
  return { columns: best.columns, rows: best.rows, shown: count <= places ? count : places - 1 }
}

/** In a place of the best shape, in hundredths of its width: a name in one line, and one as wide as its column. */
const maxFontSize = 30
const columnWidth = 75
const maxLines = 4

/**
 * In how many lines a table's name is the largest, and how wide the widest of them is, counted in digits. Names
 * break between their words only.
 */
export function fitTableName(tableNumber: string): { lines: number; letters: number } {
  const words = tableNumber.split(' ').map(measureWord)
  const inOne = { lines: 1, letters: narrowestWidth(words, 1) }
  if (tableNumber.length < 6) return inOne
  let best = inOne
  for (let lines = 2; lines <= Math.min(maxLines, words.length); lines += 1) {
    const shape = { lines, letters: narrowestWidth(words, lines) }
    if (fontSizeOf(shape) > fontSizeOf(best)) best = shape
  }
  return best
}

const fontSizeOf = ({ lines, letters }: { lines: number; letters: number }): number =>
  Math.min(maxFontSize / lines, columnWidth / letters)

/** The least width that takes the words in so many lines. */
function narrowestWidth(words: readonly number[], lines: number): number {
  const all = words.reduce((sum, word) => sum + word, words.length - 1)
  let width = Math.max(...words, all / lines)
  while (countLines(words, width) > lines) width += 0.5
  return width
}

function countLines(words: readonly number[], width: number): number {
  let lines = 1
  let used = -1
  for (const word of words) {
    if (used + 1 + word > width) {
      lines += 1
      used = -1
    }
    used += 1 + word
  }
  return lines
}

/** As the font has it: M and W are wider than a digit, Chinese letters nearly two; an emoji counts two already. */
function measureWord(word: string): number {
  const count = (pattern: RegExp): number => word.match(pattern)?.length ?? 0
  return word.length + 0.6 * count(/[mw]/giu) + count(/[\u3000-\ud7ff]/gu)
}
