import type { Mutant } from './mutant.ts'

const core = 'src/server/core/push/'

/** Faults in what devices with alerts on are sent. */
export const push: readonly Mutant[] = [
  {
    name: 'an alert stays on devices when somebody is on the way',
    edits: [
      {
        file: `${core}request-notifications.ts`,
        find: `if (!isWaiting) return ctx.pusher.withdraw(db, row.restaurantId, requestWithdrawal(row))`,
        replace: `if (!isWaiting) return []`,
      },
    ],
  },
  {
    name: 'whoever is on the way is not told what becomes of it',
    edits: [
      {
        file: `${core}request-notifications.ts`,
        find: `row.closedAt === null ? acceptanceShown : -1`,
        replace: `-1`,
      },
    ],
  },
  {
    name: 'a step is pushed again each second',
    edits: [
      {
        file: 'src/server/storage/push/request-notifications.ts',
        find: `      .set({ pushedLevel })\n`,
        replace: `      .set({ pushedLevel: Math.min(pushedLevel, row.pushedLevel) })\n`,
      },
    ],
  },
  {
    name: 'managers are not pushed what the crew leaves waiting',
    edits: [
      { file: `${core}request-notifications.ts`, find: `return level < 2\n`, replace: `return level <= 2\n` },
    ],
  },
  {
    name: 'a failed push is given up',
    edits: [
      {
        file: `${core}delivery-sender.ts`,
        find: `const isWorthRetrying = retryAt < delivery.until`,
        replace: `const isWorthRetrying = retryAt < 0`,
      },
    ],
  },
  {
    name: 'what waits behind a slow push is sent to a device that was signed out',
    // Seeds find it, but few do.
    foundBy: 'src/server/core/push/subscriptions.test.ts',
    edits: [
      {
        file: `${core}delivery-sender.ts`,
        find: `await deliveries.findToSend(read(ctx), outgoing, ctx.now())`,
        replace: `await read(ctx).selectFrom('pushDelivery').selectAll().where('id', '=', delivery.id).executeTakeFirst()`,
      },
    ],
  },
  {
    name: 'the crew of other restaurants are pushed a request too',
    edits: [
      {
        file: 'src/server/storage/push/push-subscriptions.ts',
        find: `signedInSubscriptions(db, 'crew', now).selectAll().where('restaurantId', '=', restaurantId)`,
        replace: `signedInSubscriptions(db, 'crew', now).selectAll().where('restaurantId', '!=', '')`,
      },
      {
        file: 'src/server/storage/push/push-deliveries.ts',
        find: `return device?.restaurantId === delivery.restaurantId ? [{ delivery, device }] : []`,
        replace: `return device ? [{ delivery, device }] : []`,
      },
      {
        file: 'src/server/storage/push/push-deliveries.ts',
        find: `        .onRef('pushDelivery.restaurantId', '=', 'pushSubscription.restaurantId')\n`,
        replace: '',
      },
      {
        file: 'src/server/storage/push/push-deliveries.ts',
        find: `.where('pushSubscription.restaurantId', '=', restaurantId)`,
        replace: `.where('pushDelivery.restaurantId', '=', restaurantId)`,
      },
    ],
  },
  {
    name: 'a device that was signed out keeps its session',
    edits: [
      {
        file: 'src/server/storage/accounts/sessions.ts',
        find: `    db.deleteFrom('session').where('id', '=', id).where('restaurantId', '=', restaurantId).returning('id'),\n`,
        replace: `    db.updateTable('session').set({ tokenHash: id }).where('id', '=', id).where('restaurantId', '=', restaurantId).returning('id'),\n`,
      },
    ],
  },
]
