import { api } from '#contract/api.ts'
import type { Table } from '#contract/floor.ts'
import { ApiError, call } from '../../api/http.ts'
import type { Reads } from '../../api/queries.ts'
import { byTableNumber } from '../../lib/table-order.ts'
import type { FloorActions, FloorWork } from './floor-actions.ts'

const { floor } = api

type TableActions = Pick<FloorActions, 'setUp' | 'addTable' | 'removeTable'>

export function tableActions({ reads, attempt, succeeded }: FloorWork): TableActions {
  return {
    setUp: (setup) =>
      attempt('Failed to set up tables', async () => {
        reads.keep(floor.tables, {}, await call(floor.setUp, { body: setup }))
        succeeded('Tables set up successfully')
      }),

    addTable: (tableNumber) =>
      attempt('Failed to add table', async () => {
        keepTable(reads, await call(floor.addTable, { body: { tableNumber } }))
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
        const rest = reads.known(floor.tables, {})?.filter(({ id }) => id !== table.id)
        if (rest) reads.keep(floor.tables, {}, rest)
        const addAgain = async (): Promise<void> =>
          keepTable(reads, await call(floor.addTable, { body: { tableNumber: table.tableNumber } }))
        succeeded('Table deleted successfully', confirmed ? undefined : addAgain)
        if (confirmed) await reads.refresh(floor.assignmentsByDate)
      })
      return mustConfirm ? 'confirm' : outcome
    },
  }
}

function keepTable(reads: Reads, table: Table): void {
  const tables = [...(reads.known(floor.tables, {}) ?? []), table]
  reads.keep(
    floor.tables,
    {},
    tables.toSorted((a, b) => byTableNumber(a.tableNumber, b.tableNumber)),
  )
}
