type ListShape = {
  count: number
  /** How many items stand in one row. */
  perRow: number
  /** Right to left. */
  rtl?: boolean
  /** From the last item on to the first, and back. */
  wrap?: boolean
}

type Key = { key: string; ctrlKey: boolean }

/** How many rows Page Up and Page Down pass over. */
const rowsPerPage = 5

/**
 * Where a key moves the focus from one item of a list or grid; null when it moves it nowhere. With Ctrl, Home and End
 * go to the ends of the whole grid.
 */
export function nextIndex({ key, ctrlKey }: Key, from: number, shape: ListShape): number | null {
  const { count, perRow, rtl = false, wrap = false } = shape
  const last = count - 1
  const column = from % perRow
  const lastRowStart = Math.floor(last / perRow) * perRow
  const move = (items: number): number =>
    wrap ? (from + items + count) % count : clamp(from + items, 0, last)
  const moveRows = (rows: number): number =>
    Math.min(clamp(from - column + rows * perRow, 0, lastRowStart) + column, last)
  const to = {
    ArrowRight: move(rtl ? -1 : 1),
    ArrowLeft: move(rtl ? 1 : -1),
    ArrowDown: moveRows(1),
    ArrowUp: moveRows(-1),
    PageDown: moveRows(rowsPerPage),
    PageUp: moveRows(-rowsPerPage),
    Home: ctrlKey ? 0 : from - column,
    End: ctrlKey ? last : Math.min(from - column + perRow, count) - 1,
  }[key]
  return to === undefined || to === from ? null : to
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max)
