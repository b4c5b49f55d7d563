import { api } from '#contract/api.ts'
import type { ApiCache } from '../../../api/queries.ts'

/** Something that was deleted in the last 30 days. */
export type Deleted = { kind: 'table' | 'section' | 'crew' | 'manager'; id: string; name: string }

export const deletedRoutes = {
  table: api.floor.deletedTables,
  section: api.sections.deleted,
  crew: api.crew.deleted,
  manager: api.managers.deleted,
}

/**
 * Lists it among what can be restored. To be called before it is taken off its own list: whatever stands below moves
 * once, and not again when the server has answered, from under the next tap.
 */
export function cacheDeleted(cache: ApiCache, { kind, id, name }: Deleted): void {
  const route = deletedRoutes[kind]
  const others = cache.getData(route, {})
  if (others) cache.setData(route, {}, [{ id, name, deletedAt: Date.now() }, ...others])
  void cache.invalidate(route)
}
