import { api } from '#contract/api.ts'
import type { Table } from '#contract/floor.ts'
import { ApiError, call } from '../../../api/http.ts'
import type { ApiCache } from '../../../api/queries.ts'
import { compareNatural } from '../../../lib/natural-order.ts'
import type { FloorActions, ActionContext } from '../floor-actions.ts'

const { floor } = api

type TableActions = Pick<FloorActions, 'setUp' | 'addTable' | 'removeTable'>

export function tableActions({
  cache: reads,
  run: attempt,
  showSuccess: succeeded,
}: ActionContext): TableActions {
  return {
    setUp: (setup) =>
      attempt('Failed to set up tables', async () => {
        reads.setData(floor.tables, {}, await call(floor.setUp, { body: setup }))
        succeeded('Tables set up successfully')
      }),

    addTable: (tableNumber) =>
      attempt('Failed to add table', async () => {
        cacheTable(reads, await call(floor.addTable, { body: { tableNumber } }))
        succeeded('Table added successfully')
      }),

    async removeTable(table, confirmed) {
      const query = confirmed ? { confirm: 'true' as const } : {}
      let mustConfirm = false
      const outcome = await attempt('Failed to delete table', async () => {
        try {
          await call(floor.removeTable, { params: { id: table.id }, query })
        } catch (problem) {
          mustConfirm = !confirmed && problem instanceof ApiError && problem.status === 409
          if (mustConfirm) return
          throw problem
        }
        const rest = reads.getData(floor.tables, {})?.filter(({ id }) => id !== table.id)
        if (rest) reads.setData(floor.tables, {}, rest)
        const addAgain = async (): Promise<void> =>
          cacheTable(reads, await call(floor.addTable, { body: { tableNumber: table.tableNumber } }))
        succeeded('Table deleted successfully', confirmed ? undefined : addAgain)
        if (confirmed) await reads.invalidate(floor.assignmentsByDate)
      })
      return mustConfirm ? 'confirm' : outcome
    },
  }
}

function cacheTable(reads: ApiCache, table: Table): void {
  const tables = [...(reads.getData(floor.tables, {}) ?? []), table]
  reads.setData(
    floor.tables,
    {},
    tables.toSorted((a, b) => compareNatural(a.tableNumber, b.tableNumber)),
  )
}
