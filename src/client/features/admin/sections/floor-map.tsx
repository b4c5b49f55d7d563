import {
  type JSX,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { FloorArrangement, MapPlace, PlacedTable, Section } from '#contract/floor/sections.ts'
import { t } from '../../../lib/texts/translate.ts'
import { classNames } from '../../../ui/class-names.ts'
import {
  arrowSteps,
  type Bounds,
  isOnMap,
  isWithin,
  moveTable,
  nearestTable,
  type Places,
  placeTables,
  sectionBounds,
  shownSize,
} from './map-layout.ts'
import { outlineOf } from './outlines.ts'
import { Digit, type FloorViewProps } from './section-list.tsx'
import { TableButton } from './table-button.tsx'
import { tableIdAt } from './use-table-selection.ts'

type FloorMapProps = FloorViewProps & {
  /** `joined`: the section that the moved table is to belong to from now on. */
  onArrange: (changes: FloorArrangement['tables'], joined?: { table: PlacedTable; section: Section }) => void
}

/**
 * Where the tables stand. A room has no reading direction, so the map is the same in all languages. A mouse drags tables,
 * or chooses those around which it draws a rectangle.
 */
export function FloorMap(props: FloorMapProps): JSX.Element {
  const { sections, tables, assigned, selection, tabStop, handlers, onArrange } = props
  const places = useMemo(() => placeTables(tables, sections), [tables, sections])
  const bounds = useMemo(() => sectionBounds(tables, places), [tables, places])
  const { columns, rows } = shownSize(places)
  const map = useRef<HTMLDivElement>(null)
  /** With a move that has not been drawn yet: a held key repeats faster than a slow device draws. */
  const latest = useRef(places)
  useLayoutEffect(() => {
    latest.current = places
  }, [places])

  /** The first move also keeps the places of the tables that nobody has moved yet. */
  function move(id: string, to: MapPlace, joins?: Section): void {
    const moved = moveTable(latest.current, id, to)
    if (moved.length === 0) return
    latest.current = new Map([
      ...latest.current,
      ...moved.map(({ tableId, place }) => [tableId, place] as const),
    ])
    const table = tables.find((each) => each.id === id)
    const kept = tables.filter(({ place }) => place === null)
    const changes = new Map(kept.map(({ id: tableId }) => [tableId, latest.current.get(tableId)]))
    for (const { tableId, place } of moved) changes.set(tableId, place)
    onArrange(
      [...changes].flatMap(([tableId, place]) =>
        place ? { tableId, place, ...(joins && tableId === id && { sectionId: joins.id }) } : [],
      ),
      joins && table && { table, section: joins },
    )
  }

  /** Dropped among the tables of another section, a table joins it. */
  function drop(id: string, to: MapPlace): void {
    const own = tables.find((table) => table.id === id)?.sectionId
    const around = [...sectionBounds(tables, places, id)].filter(([, each]) => isWithin(to, each))
    const [only] = around
    const joined = around.length === 1 && only && only[0] !== own ? only[0] : null
    move(
      id,
      to,
      sections.find((section) => section.id === joined),
    )
  }

  const gesture = useGesture(map, places, {
    onDrop: drop,
    onBand: selection.add,
    // Without dragging: a chosen table goes to the free place that is pressed.
    onPress(cell) {
      const [chosen, ...others] = selection.ids
      if (chosen !== undefined && others.length === 0) move(chosen, cell)
    },
  })

  function choose(id: string, { detail }: MouseEvent): void {
    // A drag ends with a click, which does not count; one from the keyboard has the detail zero.
    if (detail === 0 || !gesture.wasDragged()) selection.toggle(id)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>, id: string): void {
    handlers.onKeyDown(event, id)
    const step = arrowSteps[event.key]
    if (!step || event.altKey || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    if (!event.shiftKey) {
      const next = nearestTable(places, id, event.key)
      if (next !== null) map.current?.querySelector<HTMLElement>(`[data-table="${next}"]`)?.focus()
      return
    }
    const from = latest.current.get(id)
    const to = from && { x: from.x + step.x, y: from.y + step.y }
    if (to && isOnMap(to)) move(id, to)
  }

  // A long name makes its column wider and its row higher, so that it is shown whole.
  const size = { gridTemplateColumns: tracks(columns), gridTemplateRows: tracks(rows) }
  return (
    <div className="@container min-w-0 overflow-auto rounded-ticket border border-rule bg-ground p-4 pt-6">
      <div
        ref={map}
        dir="ltr"
        role="group"
        aria-label={t('Map of the floor')}
        className="relative grid w-max select-none"
        style={size}
        {...gesture.handlers}
      >
        {sections.map((section, index) => {
          const box = bounds.get(section.id)
          return box && <Outline key={section.id} {...{ section, index, box }} />
        })}
        {tables.map(({ id, tableNumber, sectionId }) => {
          const place = places.get(id)
          const section = sections.find((each) => each.id === sectionId)
          return (
            place && (
              <div
                key={id}
                className={classNames('relative p-1.5', gesture.draggedId === id && 'z-10 opacity-80')}
                style={{
                  gridColumn: place.x + 1,
                  gridRow: place.y + 1,
                  ...(gesture.draggedId === id && { translate: gesture.offset }),
                }}
              >
                <TableButton
                  fill
                  {...{ id, tableNumber }}
                  crewName={assigned?.get(id)?.name}
                  sectionName={section?.name ?? t('no section')}
                  chosen={selection.ids.has(id)}
                  tabStop={id === tabStop}
                  onFocus={handlers.onFocus}
                  onChoose={choose}
                  onKeyDown={onKeyDown}
                />
              </div>
            )
          )
        })}
        {gesture.band && (
          <div
            aria-hidden
            className="pointer-events-none absolute z-20 rounded-control border-2 border-dashed border-action"
            style={gesture.band}
          />
        )}
      </div>
    </div>
  )
}

const tracks = (count: number): string => `repeat(${count}, minmax(5rem, min-content))`

function Outline({ section, index, box }: { section: Section; index: number; box: Bounds }): JSX.Element {
  return (
    <div
      aria-hidden
      className={classNames(
        'pointer-events-none relative m-0.5 whitespace-nowrap rounded-primary bg-plate-2/60',
        outlineOf(index),
      )}
      style={{
        gridColumn: `${box.left + 1} / ${box.right + 2}`,
        gridRow: `${box.top + 1} / ${box.bottom + 2}`,
      }}
    >
      <span className="absolute -top-4.5 left-3 z-10 max-w-48 truncate rounded-[9px] bg-ground px-1 text-sm leading-6 font-semibold">
        {index < 9 && <Digit value={index + 1} />}
        {section.name}
      </span>
    </div>
  )
}

type Point = { clientX: number; clientY: number }

/** In pixels: a press that moves less is a click. */
const dragThreshold = 6

type Dragging = {
  from: Point
  to: Point
  /** The table, or null for a rectangle. */
  id: string | null
  /** The map's corner on the screen. */
  corner: { left: number; top: number }
}

type GestureEvents = {
  onDrop: (id: string, to: MapPlace) => void
  onBand: (ids: string[]) => void
  onPress: (cell: MapPlace) => void
}

/** Of a grid's rows or columns, given as `80px 80px 112px`, the index of that at the offset, or of the nearest. */
function trackAt(sizes: string, offset: number): number {
  const all = sizes.split(' ').map((size) => Number.parseFloat(size))
  let end = 0
  const at = all.findIndex((size) => offset < (end += size))
  return at === -1 ? all.length - 1 : at
}

/** What a mouse or a pen does on the map. A finger presses, and scrolls. */
function useGesture(
  map: { readonly current: HTMLElement | null },
  places: Places,
  { onDrop, onBand, onPress }: GestureEvents,
) {
  const pressed = useRef<(Pick<Dragging, 'from' | 'id'> & { canDrag: boolean }) | null>(null)
  const dragged = useRef(false)
  const [dragging, setDragging] = useState<Dragging | null>(null)

  function cellAt({ clientX, clientY }: Point): MapPlace | null {
    const box = map.current?.getBoundingClientRect()
    if (!map.current || !box || box.width === 0) return null
    const { gridTemplateColumns, gridTemplateRows } = getComputedStyle(map.current)
    return {
      x: trackAt(gridTemplateColumns, clientX - box.left),
      y: trackAt(gridTemplateRows, clientY - box.top),
    }
  }

  function finishDrag({ id, from, to }: Dragging): void {
    const [start, end] = [cellAt(from), cellAt(to)]
    if (!start || !end) return
    if (id !== null) return onDrop(id, end)
    const band = {
      left: Math.min(start.x, end.x),
      right: Math.max(start.x, end.x),
      top: Math.min(start.y, end.y),
      bottom: Math.max(start.y, end.y),
    }
    onBand([...places].flatMap(([each, place]) => (isWithin(place, band) ? each : [])))
  }

  const handlers = {
    onPointerDown({ target, button, pointerType, clientX, clientY }: PointerEvent) {
      dragged.current = false
      const from = { clientX, clientY }
      pressed.current =
        button === 0 ? { from, id: tableIdAt(target), canDrag: pointerType !== 'touch' } : null
    },
    onPointerMove({ currentTarget, pointerId, clientX, clientY }: PointerEvent) {
      const start = pressed.current
      if (!start?.canDrag) return
      const distance = Math.hypot(clientX - start.from.clientX, clientY - start.from.clientY)
      if (!dragging && distance < dragThreshold) return
      if (!dragging) currentTarget.setPointerCapture(pointerId)
      const { left, top } = currentTarget.getBoundingClientRect()
      setDragging({ id: start.id, from: start.from, to: { clientX, clientY }, corner: { left, top } })
    },
    onPointerUp() {
      const start = pressed.current
      pressed.current = null
      if (dragging) {
        dragged.current = true
        setDragging(null)
        return finishDrag(dragging)
      }
      const cell = start?.id === null ? cellAt(start.from) : null
      if (cell) onPress(cell)
    },
    /** A finger began to scroll. */
    onPointerCancel() {
      pressed.current = null
      setDragging(null)
    },
  }

  const [dx, dy] = dragging
    ? [dragging.to.clientX - dragging.from.clientX, dragging.to.clientY - dragging.from.clientY]
    : [0, 0]
  return {
    handlers,
    wasDragged: () => dragged.current,
    draggedId: dragging?.id ?? null,
    offset: `${dx}px ${dy}px`,
    band:
      dragging?.id === null
        ? {
            left: Math.min(dragging.from.clientX, dragging.to.clientX) - dragging.corner.left,
            top: Math.min(dragging.from.clientY, dragging.to.clientY) - dragging.corner.top,
            width: Math.abs(dx),
            height: Math.abs(dy),
          }
        : null,
  }
}
