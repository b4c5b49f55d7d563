import type { Database } from './storage/types.ts'
import * as settings from './storage/settings.ts'

/** What the installation makes for itself once, such as keys; every node then reads the same. */
export async function keptSetting(db: Database, name: string, make: () => string): Promise<string> {
  const kept = await settings.get(db.reader, name)
  return kept ?? db.transact((inside) => settings.keep(inside, name, make()))
}
