type Size = { width: number; height: number }

type WallLayout = {
  columns: number
  rows: number
  /** How many requests get a cell; the last cell of a full wall counts the others. */
  shown: number
}

/** In pixels: anything smaller cannot be read from five metres away. */
const minSize: Size = { width: 340, height: 150 }
/** The ideal width of a cell, as a multiple of its height. */
const aspectRatio = 1.3
/** On a wide wall 4×2, 5×3 and 5×5. In steps, so that tickets keep their size while requests come and go. */
const steps = [8, 15, 25]

/** Equal cells for at least this many requests, as large as possible. */
export function computeWallLayout({ width, height }: Size, count: number): WallLayout {
  const most = {
    columns: Math.max(1, Math.floor(width / minSize.width)),
    rows: Math.max(1, Math.floor(height / minSize.height)),
  }
  const step = steps.find((places) => count <= places) ?? Math.max(...steps)
  const places = Math.min(step, most.columns * most.rows)
  let best = { columns: most.columns, rows: most.rows, size: 0 }
  for (let columns = 1; columns <= most.columns; columns += 1) {
    const rows = Math.ceil(places / columns)
    const size = Math.min(width / columns / aspectRatio, height / rows)
    if (rows <= most.rows && size > best.size) best = { columns, rows, size }
  }
  const cells = best.columns * best.rows
  return { columns: best.columns, rows: best.rows, shown: count <= cells ? count : cells - 1 }
}

/** In hundredths of the width of an ideal cell: the largest letters, and as many digits of one size as fit a line. */
const maxFontSize = 40
const lineWidth = 170
const maxLines = 4

/**
 * The number of lines in which a table's name can be largest, and the width of the widest line in digits. Names break
 * only between words.
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
  Math.min(maxFontSize / lines, lineWidth / letters)

/** The smallest width in which the words fit into this many lines. */
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

/** In this font M and W are wider than a digit, and a Chinese character is nearly two digits; an emoji's length is 2 already. */
function measureWord(word: string): number {
  const count = (pattern: RegExp): number => word.match(pattern)?.length ?? 0
  return word.length + 0.6 * count(/[mw]/giu) + count(/[\u3000-\ud7ff]/gu)
}
