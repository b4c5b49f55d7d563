import { useEffect, useRef } from 'react'

type Layer = { id: string; close: () => void }

/** The open dialogs and drawers, the top one last. */
const openLayers: Layer[] = []
/** The history entries of layers opened on this page, up to the current entry. */
let layerEntries: string[] = []
let layerCount = 0
let isListening = false
let isLeaving = false
/** The browser is on its way back over entries, and would go back over one that is added now. */
let isGoingBack = false
/** What adds an entry once it has arrived. */
let waiting: (() => void)[] = []
let patience: ReturnType<typeof setTimeout> | undefined
/** Browsers ignore too many steps through the history in a short time, and tell nobody. A slow one needs a moment. */
const patienceMs = 10_000

/** The back button or gesture closes the top layer before it leaves the screen. */
export function useCloseOnBack(isOpen: boolean, close: () => void): void {
  const latest = useRef(close)
  useEffect(() => {
    latest.current = close
  }, [close])
  useEffect(() => (isOpen ? openLayer(() => latest.current()) : undefined), [isOpen])
}

/** Whether the current history entry belongs to a layer, open or closed; a navigation replaces it. */
export const isLayerOnTop = (): boolean => currentEntryId() !== undefined

/** A navigation right after a layer was closed: the browser would take it back with the layer's entry. */
export function afterGoingBack(navigate: () => void): void {
  if (isGoingBack) waiting.push(navigate)
  else navigate()
}

/**
 * Loads a page of the server. Going back over the entry of a layer that is closing would cancel that, so the entry stays.
 */
export function leaveFor(path: string, { replace = false }: { replace?: boolean } = {}): void {
  isLeaving = true
  addEventListener('pageshow', () => (isLeaving = false), { once: true })
  afterGoingBack(() => (replace ? location.replace(path) : location.assign(path)))
}

/**
 * Call once when the page starts: after a reload within a dialog the current entry is still that of the dialog, and the
 * next press of Back would do nothing but leave it.
 */
export function leaveOldLayers(): void {
  const { depth } = historyState()
  if (typeof depth === 'number') goBack(depth)
}

function goBack(by: number): void {
  listen()
  isGoingBack = true
  clearTimeout(patience)
  // What a page that was busy or asleep has not heard yet comes first.
  patience = setTimeout(() => setTimeout(arrive), patienceMs)
  history.go(-by)
}

function arrive(): void {
  if (!isGoingBack) return
  clearTimeout(patience)
  isGoingBack = false
  for (const layer of openLayers) if (!layerEntries.includes(layer.id)) addEntry(layer)
  const due = waiting
  waiting = []
  for (const navigate of due) navigate()
}

function listen(): void {
  if (!isListening) addEventListener('popstate', handlePopState)
  isListening = true
}

function openLayer(close: () => void): () => void {
  listen()
  const layer = { id: `${Date.now()}-${++layerCount}`, close }
  openLayers.push(layer)
  if (!isGoingBack) addEntry(layer)
  return () => {
    openLayers.splice(openLayers.indexOf(layer), 1)
    queueMicrotask(removeStaleEntries)
  }
}

function addEntry({ id }: Layer): void {
  layerEntries = [...entriesUpTo(currentEntryId()), id]
  history.pushState({ ...historyState(), layer: id, depth: layerEntries.length }, '')
}

function handlePopState(): void {
  layerEntries = entriesUpTo(currentEntryId())
  arrive()
  for (const layer of openLayers.toReversed()) if (!layerEntries.includes(layer.id)) layer.close()
  queueMicrotask(removeStaleEntries)
}

/** Goes back over the entries of layers closed in another way, unless the user has navigated away meanwhile. */
function removeStaleEntries(): void {
  if (isLeaving || layerEntries.length === 0 || currentEntryId() !== layerEntries.at(-1)) return
  const kept = layerEntries.findLastIndex((id) => openLayers.some((layer) => layer.id === id)) + 1
  const dropped = layerEntries.length - kept
  layerEntries = layerEntries.slice(0, kept)
  if (dropped > 0) goBack(dropped)
}

const entriesUpTo = (id: string | undefined): string[] =>
  id === undefined ? [] : layerEntries.slice(0, layerEntries.indexOf(id) + 1)

function currentEntryId(): string | undefined {
  const { layer } = historyState()
  return typeof layer === 'string' ? layer : undefined
}

function historyState(): Record<string, unknown> {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null ? { ...state } : {}
}
