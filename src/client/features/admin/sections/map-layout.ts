import { type MapPlace, mapSize, type PlacedTable, type Section } from '#contract/floor/sections.ts'

export type Places = ReadonlyMap<string, MapPlace>

/** The first and the last cell of a rectangle. */
export type Bounds = { left: number; top: number; right: number; bottom: number }

const cellKey = ({ x, y }: MapPlace): string => `${x} ${y}`

/** Where each table stands. Those that nobody has placed follow below the others, section by section. */
export function placeTables(tables: readonly PlacedTable[], sections: readonly Section[]): Places {
  const places = new Map<string, MapPlace>()
  const taken = new Set<string>()
  const put = (id: string, place: MapPlace): void => {
    places.set(id, place)
    taken.add(cellKey(place))
  }
  // Of two on the same cell, the second has none yet.
  for (const { id, place } of tables) if (place && !taken.has(cellKey(place))) put(id, place)
  const rest = tables.filter(({ id }) => !places.has(id))
  const groups = Map.groupBy(rest, ({ sectionId }) => sectionId)
  const ids = [...sections.map(({ id }) => id), null]
  let next = { x: 0, y: places.size === 0 ? 0 : boundsOf(places.values()).bottom + 2, below: 0 }
  for (const id of ids) {
    const group = groups.get(id) ?? []
    if (group.length === 0) continue
    const width = Math.ceil(Math.sqrt(group.length))
    const height = Math.ceil(group.length / width)
    if (next.x + width > blockRowWidth && next.x > 0) next = { x: 0, y: next.below + 1, below: 0 }
    for (const [index, table] of group.entries()) {
      const cell = { x: next.x + (index % width), y: next.y + Math.floor(index / width) }
      const fits = cell.x < mapSize.columns && cell.y < mapSize.rows && !taken.has(cellKey(cell))
      put(table.id, fits ? cell : findFree(taken))
    }
    next = { x: next.x + width + 1, y: next.y, below: Math.max(next.below, next.y + height) }
  }
  return places
}

/** In cells: where the next section would begin beyond it, it begins a new row. */
const blockRowWidth = 9

/** There is always one: a restaurant has fewer tables than the map has cells. */
function findFree(taken: ReadonlySet<string>): MapPlace {
  for (let y = 0; y < mapSize.rows; y += 1)
    for (let x = 0; x < mapSize.columns; x += 1) if (!taken.has(cellKey({ x, y }))) return { x, y }
  return { x: 0, y: 0 }
}

export function boundsOf(places: Iterable<MapPlace>): Bounds {
  const all = [...places]
  return {
    left: Math.min(...all.map(({ x }) => x)),
    top: Math.min(...all.map(({ y }) => y)),
    right: Math.max(...all.map(({ x }) => x)),
    bottom: Math.max(...all.map(({ y }) => y)),
  }
}

export const isWithin = ({ x, y }: MapPlace, { left, top, right, bottom }: Bounds): boolean =>
  x >= left && x <= right && y >= top && y <= bottom

/** The rectangle of each section that has tables; without `leaving`, a table that is being moved. */
export function sectionBounds(
  tables: readonly PlacedTable[],
  places: Places,
  leaving?: string,
): ReadonlyMap<string, Bounds> {
  const bounds = new Map<string, Bounds>()
  const inSections = tables.filter(({ id, sectionId }) => sectionId !== null && id !== leaving)
  for (const [sectionId, members] of Map.groupBy(inSections, (table) => table.sectionId))
    if (sectionId !== null) bounds.set(sectionId, boundsOf(members.flatMap(({ id }) => places.get(id) ?? [])))
  return bounds
}

/** How much of the map is shown: what is used, a free cell around it, and enough to be a room. */
export function shownSize(places: Places): { columns: number; rows: number } {
  const { right, bottom } = boundsOf([...places.values(), { x: 6, y: 3 }])
  return { columns: Math.min(right + 2, mapSize.columns), rows: Math.min(bottom + 2, mapSize.rows) }
}

type Change = { tableId: string; place: MapPlace }

/** Moves a table to a cell; whoever stands there takes its place. Nothing when it stands there already. */
export function moveTable(places: Places, tableId: string, to: MapPlace): Change[] {
  const from = places.get(tableId)
  if (!from || cellKey(from) === cellKey(to)) return []
  const other = [...places].find(([, place]) => cellKey(place) === cellKey(to))?.[0]
  return [{ tableId, place: to }, ...(other === undefined ? [] : [{ tableId: other, place: from }])]
}

/** The nearest table in the direction of an arrow key. */
export function nearestTable(places: Places, from: string, key: string): string | null {
  const start = places.get(from)
  const step = arrowSteps[key]
  if (!start || !step) return null
  const found = [...places].flatMap(([id, { x, y }]) => {
    const [dx, dy] = [x - start.x, y - start.y]
    const ahead = dx * step.x + dy * step.y
    const aside = Math.abs(dx * step.y) + Math.abs(dy * step.x)
    return ahead > 0 ? [{ id, distance: ahead + 2 * aside }] : []
  })
  return found.toSorted((a, b) => a.distance - b.distance)[0]?.id ?? null
}

export const arrowSteps: Readonly<Partial<Record<string, MapPlace>>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

export const isOnMap = ({ x, y }: MapPlace): boolean =>
  x >= 0 && y >= 0 && x < mapSize.columns && y < mapSize.rows
