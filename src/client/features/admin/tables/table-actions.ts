import { api } from '#contract/api.ts'
import type { Table } from '#contract/floor/floor.ts'
import { ApiError, call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { upsertById } from '../../../lib/collections.ts'
import { compareNatural } from '../../../lib/texts/natural-order.ts'
import { t } from '../../../lib/texts/translate.ts'
import { alreadyDeletedText, type Deleted, cacheDeleted, isFirstDeletion } from '../deleted/deleted-items.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'

const floor = api.floor

type TableActions = Pick<FloorActions, 'setUp' | 'addTable' | 'removeTable'>

export function tableActions({ cache, run, showSuccess, showDone, restore }: ActionContext): TableActions {
  return {
    setUp: (setup) =>
      run('Failed to set up tables', async () => {
        cache.setData(floor.tables, {}, await call(floor.setUp, { body: setup }))
        void cache.invalidate(api.tables.plan)
        showSuccess(t('Tables set up successfully'))
      }),

    addTable: (tableNumber) =>
      run('Failed to add table', async () => {
        cacheTable(cache, await call(floor.addTable, { body: { tableNumber } }))
        showSuccess(t('Table added successfully'))
      }),

    async removeTable(table, confirmed) {
      const query = confirmed ? { confirm: 'true' as const } : {}
      let confirm: string | null = null
      const outcome = await run('Failed to delete table', async () => {
        let isFirst = true
        try {
          isFirst = await isFirstDeletion(call(floor.removeTable, { params: { id: table.id }, query }))
        } catch (error) {
          if (confirmed || !(error instanceof ApiError) || error.status !== 409) throw error
          confirm = error.message
          return
        }
        const deleted: Deleted = { kind: 'table', id: table.id, name: table.tableNumber }
        cacheDeleted(cache, deleted)
        const rest = cache.getData(floor.tables, {})?.filter(({ id }) => id !== table.id)
        if (rest) cache.setData(floor.tables, {}, rest)
        if (isFirst) showSuccess(t('Table deleted successfully'), () => restore(deleted))
        else showDone(alreadyDeletedText(deleted))
        if (confirmed || !isFirst) await cache.invalidate(floor.assignmentsByDate)
      })
      return confirm === null ? outcome : { confirm }
    },
  }
}

function cacheTable(cache: ApiCache, table: Table): void {
  // It may be in a list that was read meanwhile.
  const tables = upsertById(cache.getData(floor.tables, {}) ?? [], table)
  cache.setData(
    floor.tables,
    {},
    tables.toSorted((a, b) => compareNatural(a.tableNumber, b.tableNumber)),
  )
  void cache.invalidate(api.tables.plan)
}
