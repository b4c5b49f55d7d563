type GridShape = {
  /** How many cells there are, and how many of them stand in one row. */
  cells: number
  perRow: number
  /** Right to left. */
  rtl: boolean
}

/** How many rows Page Up and Page Down pass over. */
const rowsPerPage = 5

/** Where a key leads from a cell; null when it leads nowhere. With Ctrl, Home and End go through the whole grid. */
export function nextCell(key: string, ctrl: boolean, from: number, grid: GridShape): number | null {
  const { cells, perRow, rtl } = grid
  const column = from % perRow
  const lastRowStart = Math.floor((cells - 1) / perRow) * perRow
  const step = (by: number): number => Math.min(Math.max(from + by, 0), cells - 1)
  const rows = (by: number): number => {
    const start = Math.min(Math.max(from - column + by * perRow, 0), lastRowStart)
    return Math.min(start + column, cells - 1)
  }
  const to = {
    ArrowRight: step(rtl ? -1 : 1),
    ArrowLeft: step(rtl ? 1 : -1),
    ArrowDown: rows(1),
    ArrowUp: rows(-1),
    PageDown: rows(rowsPerPage),
    PageUp: rows(-rowsPerPage),
    Home: ctrl ? 0 : from - column,
    End: ctrl ? cells - 1 : Math.min(from - column + perRow, cells) - 1,
  }[key]
  return to === undefined || to === from ? null : to
}
