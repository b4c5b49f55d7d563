import { api } from '#contract/api.ts'
import type { TableAssignment } from '#contract/floor/floor.ts'
import type { FloorArrangement, FloorPlan } from '#contract/floor/sections.ts'
import { call } from '../../../api/http.ts'
import { t } from '../../../lib/texts/translate.ts'
import { writeAssignments } from '../assignments/assignment-actions.ts'
import { alreadyDeletedText, type Deleted, cacheDeleted, isFirstDeletion } from '../deleted/deleted-items.ts'
import type { ActionContext, FloorActions } from '../floor-actions.ts'

const { plan } = api.tables
const { assignmentsByDate } = api.floor
const sections = api.sections

type SectionActions = Pick<
  FloorActions,
  'addSection' | 'renameSection' | 'reorderSections' | 'removeSection' | 'arrangeTables' | 'assignSections'
>
type Changes = FloorArrangement['tables']

export function sectionActions(context: ActionContext): SectionActions {
  const { cache, run, showSuccess, showDone, reportError, serialize, broadcastChange, restore } = context

  function updatePlan(update: (before: FloorPlan) => FloorPlan): void {
    const before = cache.getData(plan, {})
    if (before) cache.setData(plan, {}, update(before))
  }

  return {
    addSection: (name) =>
      run('Failed to add section', async () => {
        const section = await call(sections.add, { body: { name } })
        updatePlan((before) => ({ ...before, sections: [...before.sections, section] }))
        showSuccess(t('{name} added', { name: section.name }))
      }),

    renameSection: ({ id }, name) =>
      run('Failed to rename section', async () => {
        const renamed = await call(sections.change, { params: { id }, body: { name } })
        updatePlan((before) => ({
          ...before,
          sections: before.sections.map((section) => (section.id === id ? renamed : section)),
        }))
      }),

    reorderSections: (ids) =>
      serialize(() =>
        run('Failed to move section', async () => {
          const ordered = await call(sections.reorder, { body: { ids: [...ids] } })
          updatePlan((before) => ({ ...before, sections: ordered }))
        }),
      ),

    removeSection: ({ id, name }) =>
      run('Failed to delete section', async () => {
        const isFirst = await isFirstDeletion(call(sections.remove, { params: { id } }))
        const deleted: Deleted = { kind: 'section', id, name }
        cacheDeleted(cache, deleted)
        updatePlan((before) => ({
          sections: before.sections.filter((section) => section.id !== id),
          tables: before.tables.map((table) =>
            table.sectionId === id ? { ...table, sectionId: null } : table,
          ),
          members: before.members.filter(({ sectionId }) => sectionId !== id),
        }))
        if (isFirst) showSuccess(t('{name} deleted', { name }), () => restore(deleted))
        else showDone(alreadyDeletedText(deleted))
      }),

    /** Shown at once; when the server refuses, its own state is shown again. */
    async arrangeTables(changes, message) {
      const before = cache.getData(plan, {})
      updatePlan((current) => withChanges(current, changes))
      return serialize(async () => {
        try {
          await call(sections.arrange, { body: { tables: [...changes] } })
          broadcastChange()
          const undo = before && undoing(before, changes)
          if (message !== undefined)
            showSuccess(
              message,
              undo &&
                (async () => {
                  cache.setData(plan, {}, await call(sections.arrange, { body: { tables: undo } }))
                }),
            )
          return 'done'
        } catch (error) {
          void cache.invalidate(plan)
          reportError(error, 'Failed to move tables')
          return 'failed'
        }
      })
    },

    assignSections: (date, pairs, was, message) =>
      serialize(() =>
        run('Failed to update assignments', async () => {
          const { before, assignments } = await call(sections.assign, {
            body: { date, sections: [...pairs], was: [...was] },
          })
          cache.setData(assignmentsByDate, { query: { date } }, assignments)
          showSuccess(message, () => writeAssignments(cache, date, differences(assignments, before)))
        }),
      ),
  }
}

function withChanges(plan: FloorPlan, changes: Changes): FloorPlan {
  const byTable = new Map(changes.map((change) => [change.tableId, change]))
  return {
    ...plan,
    tables: plan.tables.map((table) => {
      const { sectionId = table.sectionId, place = table.place } = byTable.get(table.id) ?? {}
      return { ...table, sectionId, place }
    }),
  }
}

function undoing(before: FloorPlan, changes: Changes): Changes {
  const tables = new Map(before.tables.map((table) => [table.id, table]))
  return changes.flatMap(({ tableId, sectionId, place }) => {
    const table = tables.get(tableId)
    if (!table) return []
    return {
      tableId,
      ...(sectionId !== undefined && { sectionId: table.sectionId }),
      ...(place !== undefined && { place: table.place }),
    }
  })
}

/** What turns the assignments of a day into others. */
function differences(from: readonly TableAssignment[], to: readonly TableAssignment[]) {
  const [was, wanted] = [from, to].map(
    (assignments) => new Map(assignments.map(({ tableId, crewMemberId }) => [tableId, crewMemberId])),
  )
  const ids = new Set([...from, ...to].map(({ tableId }) => tableId))
  return [...ids].flatMap((tableId) => {
    const [before = null, after = null] = [was?.get(tableId), wanted?.get(tableId)]
    return before === after ? [] : [{ tableId, crewMemberId: after, was: before }]
  })
}
