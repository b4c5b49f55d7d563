import { useEffect, useRef } from 'react'

type Layer = { id: string; close: () => void }

/** What is open, the last one on top. */
const openLayers: Layer[] = []
/** The history entries that were made for what was opened since the page was, as far as they lie below this one. */
let layerEntries: string[] = []
let layerCount = 0
let isListening = false

/** Back, and the phone's gesture for it, closes what is open before it leaves the screen. */
export function useCloseOnBack(isOpen: boolean, close: () => void): void {
  const latest = useRef(close)
  useEffect(() => {
    latest.current = close
  }, [close])
  useEffect(() => (isOpen ? openLayer(() => latest.current()) : undefined), [isOpen])
}

/** Whether what is open has a history entry of its own here, which whoever goes on to another page leaves behind. */
export const isLayerOnTop = (): boolean => openLayers.some(({ id }) => id === currentEntryId())

function openLayer(close: () => void): () => void {
  if (!isListening) addEventListener('popstate', handlePopState)
  isListening = true
  const layer = { id: `${Date.now()}-${++layerCount}`, close }
  layerEntries = [...entriesUpTo(currentEntryId()), layer.id]
  history.pushState({ ...historyState(), layer: layer.id }, '')
  openLayers.push(layer)
  return () => {
    openLayers.splice(openLayers.indexOf(layer), 1)
    queueMicrotask(removeStaleEntries)
  }
}

function handlePopState(): void {
  layerEntries = entriesUpTo(currentEntryId())
  for (const layer of openLayers.toReversed()) if (!layerEntries.includes(layer.id)) layer.close()
  queueMicrotask(removeStaleEntries)
}

/** Leaves the entries of what was closed in another way; whoever has gone elsewhere meanwhile is not brought back. */
function removeStaleEntries(): void {
  if (layerEntries.length === 0 || currentEntryId() !== layerEntries.at(-1)) return
  const kept = layerEntries.findLastIndex((id) => openLayers.some((layer) => layer.id === id)) + 1
  const dropped = layerEntries.length - kept
  layerEntries = layerEntries.slice(0, kept)
  if (dropped > 0) history.go(-dropped)
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
