import type { ExpressionBuilder } from 'kysely'
import { outsideChannelKinds } from '#contract/outside/outside-alerts.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import { defineStatement } from './engine/statement.ts'
import type { Db } from './engine/types.ts'
import { passOverLooked } from './outside/outside-events.ts'
import { isOutdated, isUnpushed } from './push/request-notifications.ts'
import { moveDue } from './requests/request-transitions.ts'
import type { Schema } from './schema.ts'

/** Of each kind of work a moment for which some may be due, in any restaurant, or where it is; null if none is. */
export type DueWork = Record<
  | 'requestSteps'
  | 'expiredAcceptances'
  | 'lateTaps'
  | 'roleCalls'
  | 'mutedTables'
  | 'messagePushes'
  | 'notePushes'
  | 'unpushedRequests'
  | 'outdatedPushes'
  | 'deliveries'
  | 'outsideChannels'
  | 'webhooks',
  number | string | null
>

/** Nearly always there is none of a kind, so one statement asks for all. */
export async function findDueWork(db: Db, now: number): Promise<DueWork> {
  const [work] = await db.run(dueWork, { now, lastUndoable: now - 2 * undoWindowMs })
  if (!work) throw new Error('The database does not say what is due')
  return work
}

/**
 * Not null at least where the query of a kind finds rows. In the order of an index, and one row of it: PostgreSQL expects
 * many, and would otherwise read the whole table for the first one. For the same reason each condition names the first
 * column of the index, also where every row of it fulfils that.
 */
const dueWork = defineStatement<{ now: number; lastUndoable: number }, DueWork & { n: number }>({
  name: 'due-work',
  input: { now: 'bigint', lastUndoable: 'bigint' },
  match: 'n',
  query: (db) =>
    db.selectFrom('input').select((e) => {
      // Closed ones have neither time.
      const requests = e.selectFrom('serviceRequest').limit(1)
      // A restaurant may have had phones. Not `exists`, for which PostgreSQL would join all of them.
      const pushes = requests
        .select('pushedLevel')
        .orderBy('pushedLevel')
        .where((r) =>
          r(
            r
              .selectFrom('pushSubscription')
              .select('id')
              .whereRef('pushSubscription.restaurantId', '=', 'serviceRequest.restaurantId')
              .limit(1),
            'is not',
            null,
          ),
        )
      return [
        'input.n',
        requests
          .select('nextLevelAt')
          .whereRef('nextLevelAt', '<=', 'input.now')
          .orderBy('nextLevelAt')
          .as('requestSteps'),
        requests
          .select('acceptUntil')
          .whereRef('acceptUntil', '<=', 'input.now')
          .orderBy('acceptUntil')
          .as('expiredAcceptances'),
        e
          .selectFrom('partyMove')
          .select('at')
          .whereRef('at', '>', 'input.lastUndoable')
          .orderBy('at')
          .limit(1)
          .as('lateTaps'),
        e
          .selectFrom('roleCall')
          .select('nextAlertAt')
          .whereRef('nextAlertAt', '<=', 'input.now')
          .orderBy('nextAlertAt')
          .limit(1)
          .as('roleCalls'),
        e
          .selectFrom('mutedTable')
          .select('until')
          .whereRef('until', '<=', 'input.now')
          .orderBy('until')
          .limit(1)
          .as('mutedTables'),
        e
          .selectFrom('teamMessage')
          .select('pushDueAt')
          .whereRef('pushDueAt', '<=', 'input.now')
          .orderBy('pushDueAt')
          .limit(1)
          .as('messagePushes'),
        e
          .selectFrom('managerNote')
          .select('pushDueAt')
          .whereRef('pushDueAt', '<=', 'input.now')
          .orderBy('pushDueAt')
          .limit(1)
          .as('notePushes'),
        pushes.where(isUnpushed).where('pushedLevel', '<', 2).as('unpushedRequests'),
        pushes.where(isOutdated).where('pushedLevel', '<=', moveDue).as('outdatedPushes'),
        e
          .selectFrom('pushDelivery')
          .select('nextAt')
          .whereRef('nextAt', '<=', 'input.now')
          .orderBy('nextAt')
          .limit(1)
          .as('deliveries'),
        e
          .selectFrom('outsideChannel')
          .select('nextAt')
          .where('kind', 'in', outsideChannelKinds)
          .where('failing', 'in', [0, 1])
          .whereRef('nextAt', '<=', 'input.now')
          .limit(1)
          .as('outsideChannels'),
        // What they are to be told of is looked for each time.
        e
          .selectFrom('outsideChannel')
          .select('restaurantId')
          .where('topics', 'is not', null)
          .where('restaurantId', '>', '')
          .orderBy('restaurantId')
          .limit(1)
          .as('webhooks'),
      ]
    }),
})

/** Alerts and pushes that would be due after `latest` are due now; nobody outside waits for longer than an owner wants. */
export async function bringForward(db: Db, { now, latest }: { now: number; latest: number }): Promise<void> {
  await db.updateTable('roleCall').set({ nextAlertAt: now }).where('nextAlertAt', '>', latest).execute()
  await db.updateTable('pushDelivery').set({ nextAt: now }).where('nextAt', '>', latest).execute()
  await db.updateTable('teamMessage').set({ pushDueAt: now }).where('pushDueAt', '>', latest).execute()
  await db.updateTable('managerNote').set({ pushDueAt: now }).where('pushDueAt', '>', latest).execute()
  await bringForwardOutside(db, { now, latest })
}

/** What is too early then is postponed again, by who sends it. */
async function bringForwardOutside(db: Db, { now, latest }: { now: number; latest: number }): Promise<void> {
  // Channels come first, as for whoever schedules alerts.
  await db.updateTable('outsideChannel').set({ nextAt: now }).where('nextAt', '>', latest).execute()
  await db
    .updateTable('outsideChannel')
    .set({ leasedUntil: latest })
    .where('leasedUntil', '>', latest)
    .execute()
  await passOverLooked(db, { now, latest })
  // Else webhooks would never be told of what happens until then.
  await db.updateTable('outsideChannel').set({ lookedUntil: now }).where('lookedUntil', '>', latest).execute()
  const openEvents = db.updateTable('outsideEvent').where('doneAt', 'is', null)
  await openEvents.set({ dueAt: now }).where('attempts', '=', 0).where('dueAt', '>', now).execute()
  // As long after the last attempt as before. Counted from now, so that another server that does the same changes nothing.
  await openEvents
    .set((e) => ({ dueAt: e(e('dueAt', '-', e.ref('lastAt')), '+', now), lastAt: now }))
    .where('attempts', '>', 0)
    .where('lastAt', '>', now)
    .execute()
  const fromNow = (e: ExpressionBuilder<Schema, 'outsideAlert'>) =>
    e
      .selectFrom('outsideAlertSetting as setting')
      .select((s) => s('afterMs', '+', now).as('dueAt'))
      .whereRef('setting.restaurantId', '=', 'outsideAlert.restaurantId')
  await db
    .updateTable('outsideAlert')
    .set((e) => ({ dueAt: fromNow(e) }))
    .where('doneAt', 'is', null)
    .where((e) => e('dueAt', '>', fromNow(e)))
    .execute()
}
