type Size = { width: number; height: number }

type WallLayout = {
  columns: number
  rows: number
  /** How many requests have a place; the last place of a full wall says how many have none. */
  shown: number
}

/** In pixels: below this nobody reads it from five metres away. */
const least: Size = { width: 340, height: 170 }
/** A place is best when it is about this much wider than high. */
const shape = 1.9

/** Places as large as possible for so many requests, all of one size. */
export function wallLayout({ width, height }: Size, count: number): WallLayout {
  const most = {
    columns: Math.max(1, Math.floor(width / least.width)),
    rows: Math.max(1, Math.floor(height / least.height)),
  }
  const places = Math.max(1, Math.min(count, most.columns * most.rows))
  let best = { columns: most.columns, rows: most.rows, size: 0 }
  for (let columns = 1; columns <= most.columns; columns += 1) {
    const rows = Math.ceil(places / columns)
    const size = Math.min(width / columns / shape, height / rows)
    if (rows <= most.rows && size > best.size) best = { columns, rows, size }
  }
  return { columns: best.columns, rows: best.rows, shown: count <= places ? count : places - 1 }
}

/** In how many lines a table's name stands, and how many letters the longest of them has. */
export function nameShape(tableNumber: string): { lines: number; letters: number } {
  const words = tableNumber.split(' ')
  if (words.length === 1 || tableNumber.length < 6) return { lines: 1, letters: tableNumber.length }
  const longest = Math.max(...words.map(({ length }) => length))
  return { lines: 2, letters: Math.max(longest, Math.ceil(tableNumber.length / 2)) }
}
