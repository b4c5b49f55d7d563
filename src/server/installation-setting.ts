import type { Database } from './storage/engine/types.ts'
import * as settings from './storage/settings.ts'

/** What the installation makes for itself once, such as keys; every node then reads the same. */
export async function getOrCreateSetting(db: Database, name: string, create: () => string): Promise<string> {
  const existing = await settings.get(db.reader, name)
  return existing ?? db.transact((inside) => settings.putIfAbsent(inside, name, create()))
}
