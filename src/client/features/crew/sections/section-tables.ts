import { getStored, removeStored, setStored } from '../../../lib/browser/browser-storage.ts'

/** The tables of the section that this device shows, as they were when last loaded. */
export function loadSectionTables(): ReadonlySet<string> | null {
  try {
    const tables: unknown = JSON.parse(getStored('section-tables') ?? 'null')
    return Array.isArray(tables) ? new Set(tables) : null
  } catch {
    return null
  }
}

export function keepSectionTables(tables: ReadonlySet<string> | null): void {
  if (tables) setStored('section-tables', JSON.stringify([...tables]))
  else removeStored('section-tables')
}
