import { api } from '#contract/api.ts'
import { ApiError } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'

/** Something that was deleted in the last 30 days. */
export type Deleted = { kind: 'table' | 'section' | 'crew' | 'manager'; id: string; name: string }

export const deletedRoutes = {
  table: api.floor.deletedTables,
  section: api.sections.deleted,
  crew: api.crew.deleted,
  manager: api.managers.deleted,
}

export const deletedName = ({ kind, name }: Pick<Deleted, 'kind' | 'name'>): string =>
  kind === 'table' ? t('Table {table}', { table: name }) : name

export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === 'not_found'

/** False where somebody else has deleted it meanwhile: it is gone, as it should be. */
export async function isFirstDeletion(deletion: Promise<unknown>): Promise<boolean> {
  try {
    await deletion
    return true
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

export const alreadyDeletedText = (deleted: Deleted): string =>
  t(
    deleted.kind === 'table' || deleted.kind === 'section'
      ? '{name} has already been deleted'
      : '{name} has already been removed',
    { name: deletedName(deleted) },
  )

/**
 * Lists it among what can be restored. To be called before it is taken off its own list: whatever stands below moves
 * once, and not again when the server has answered, from under the next tap.
 */
export function cacheDeleted(cache: ApiCache, { kind, id, name }: Deleted): void {
  const route = deletedRoutes[kind]
  const others = cache.getData(route, {})
  if (others && !others.some((item) => item.id === id))
    cache.setData(route, {}, [{ id, name, deletedAt: Date.now() }, ...others])
  void cache.invalidate(route)
}
