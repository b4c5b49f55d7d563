import type { SqlBool } from 'kysely'
import { undoWindowMs } from '#contract/requests/requests.ts'
import { defineStatement } from './engine/statement.ts'
import type { Db } from './engine/types.ts'

/** The kinds of work of which some may be due, in any restaurant. */
export type DueWork = Record<'requestSteps' | 'lateTaps' | 'roleCalls' | 'mutedTables', SqlBool>

/** Nearly always there is none of a kind, so one statement asks for all. */
export async function findDueWork(db: Db, now: number): Promise<DueWork> {
  const [work] = await db.run(dueWork, { now, lastUndoable: now - 2 * undoWindowMs })
  if (!work) throw new Error('The database does not say what is due')
  return work
}

/** True at least where the query of a kind finds rows, from the same index. */
const dueWork = defineStatement<{ now: number; lastUndoable: number }, DueWork & { n: number }>({
  name: 'due-work',
  input: { now: 'bigint', lastUndoable: 'bigint' },
  match: 'n',
  query: (db) =>
    db.selectFrom('input').select((e) => {
      const open = e.selectFrom('serviceRequest').select('id').where('closedAt', 'is', null)
      return [
        'input.n',
        e
          .or([
            e.exists(open.whereRef('nextLevelAt', '<=', 'input.now')),
            e.exists(open.whereRef('acceptUntil', '<=', 'input.now')),
          ])
          .as('requestSteps'),
        e
          .exists(e.selectFrom('partyMove').select('id').whereRef('at', '>', 'input.lastUndoable'))
          .as('lateTaps'),
        e
          .exists(e.selectFrom('roleCall').select('id').whereRef('nextAlertAt', '<=', 'input.now'))
          .as('roleCalls'),
        e
          .exists(e.selectFrom('mutedTable').select('tableKey').whereRef('until', '<=', 'input.now'))
          .as('mutedTables'),
      ]
    }),
})
