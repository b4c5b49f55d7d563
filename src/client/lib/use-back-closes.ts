import { useEffect, useRef } from 'react'

type Layer = { id: string; close: () => void }

/** What is open, the last one on top. */
const open: Layer[] = []
/** The history entries that were made for what was opened since the page was, as far as they lie below this one. */
let entries: string[] = []
let count = 0
let isListening = false

/** Back, and the phone's gesture for it, closes what is open before it leaves the screen. */
export function useBackCloses(isOpen: boolean, close: () => void): void {
  const latest = useRef(close)
  useEffect(() => {
    latest.current = close
  }, [close])
  useEffect(() => (isOpen ? openLayer(() => latest.current()) : undefined), [isOpen])
}

/** Whether what is open has a history entry of its own here, which whoever goes on to another page leaves behind. */
export const isOverPage = (): boolean => open.some(({ id }) => id === entryId())

function openLayer(close: () => void): () => void {
  if (!isListening) addEventListener('popstate', cameBack)
  isListening = true
  const layer = { id: `${Date.now()}-${++count}`, close }
  entries = [...entriesUpTo(entryId()), layer.id]
  history.pushState({ ...stateOf(), layer: layer.id }, '')
  open.push(layer)
  return () => {
    open.splice(open.indexOf(layer), 1)
    queueMicrotask(dropEntries)
  }
}

function cameBack(): void {
  entries = entriesUpTo(entryId())
  for (const layer of open.toReversed()) if (!entries.includes(layer.id)) layer.close()
  queueMicrotask(dropEntries)
}

/** Leaves the entries of what was closed in another way; whoever has gone elsewhere meanwhile is not brought back. */
function dropEntries(): void {
  if (entries.length === 0 || entryId() !== entries.at(-1)) return
  const kept = entries.findLastIndex((id) => open.some((layer) => layer.id === id)) + 1
  const dropped = entries.length - kept
  entries = entries.slice(0, kept)
  if (dropped > 0) history.go(-dropped)
}

const entriesUpTo = (id: string | undefined): string[] =>
  id === undefined ? [] : entries.slice(0, entries.indexOf(id) + 1)

function entryId(): string | undefined {
  const { layer } = stateOf()
  return typeof layer === 'string' ? layer : undefined
}

function stateOf(): Record<string, unknown> {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null ? { ...state } : {}
}
