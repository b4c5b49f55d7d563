import type { Mutant } from './mutant.ts'

const core = 'src/server/core/requests/'

/** Faults in what happens to requests. */
export const requests: readonly Mutant[] = [
  {
    name: 'a change is not announced',
    edits: [
      {
        file: `${core}crew-requests.ts`,
        find: `      recordEvent(ctx, tx, eventAttribution(actor), changed, kind)\n      announceRequest(tx.announce, changed)\n`,
        replace: `      recordEvent(ctx, tx, eventAttribution(actor), changed, kind)\n`,
      },
    ],
  },
  {
    name: 'guests do not hear of a completion',
    edits: [
      {
        file: `${core}close.ts`,
        find: `for (const topic of requestTopics(closed))`,
        replace: `for (const topic of requestTopics(closed).slice(0, 1))`,
      },
    ],
  },
  {
    name: 'a completion is missing from the history',
    edits: [
      {
        file: `${core}close.ts`,
        find: `  recordEvent(ctx, tx, eventAttribution(actor), closed, as)\n`,
        replace: ``,
      },
    ],
  },
  {
    name: 'a completion of what somebody is on the way to is acknowledged and does nothing',
    edits: [
      {
        file: `${core}crew-requests.ts`,
        find: `      await closeRequest({ ctx, tx, actor, restaurantId, id }, 'completed')\n`,
        replace: `      const row = await requests.find(tx.db, restaurantId, id)\n      if (!row?.acceptedAt) await closeRequest({ ctx, tx, actor, restaurantId, id }, 'completed')\n`,
      },
    ],
  },
  {
    name: 'a repeated tap is not recognized',
    edits: [
      {
        file: `${core}requests.ts`,
        find: `    return toResult(row, false, await wasNoteCut(tx.db, actor, row, tap, asked))\n`,
        replace: ``,
      },
    ],
  },
  {
    name: 'a second ask is acknowledged and not stored',
    edits: [
      {
        file: `${core}requests.ts`,
        find: `if (unchanged !== null) return toResult(unchanged, false, isNoteCut(unchanged, tap, asked))`,
        replace: `if (openRequestId !== null) return toResult(await requireCurrent(tx.db, restaurant.id, openRequestId), false, false)`,
      },
    ],
  },
  {
    name: 'a tap gets an event of another id',
    edits: [
      {
        file: `${core}requests.ts`,
        find: `created ? 'created' : 'asked', tap.id)`,
        replace: `created ? 'created' : 'asked')`,
      },
    ],
  },
  {
    name: 'one guest takes back what others ask for too',
    edits: [
      {
        file: `${core}requests.ts`,
        find: `if (asks.length >= row.asks) {`,
        replace: `if (asks.length > 0) {`,
      },
    ],
  },
  {
    name: 'a completion can be undone for minutes',
    edits: [
      {
        file: `${core}moves/reopened-requests.ts`,
        find: `before, ctx.now() - undoWindowMs)`,
        replace: `before, ctx.now() - 20 * undoWindowMs)`,
      },
    ],
  },
  {
    name: 'the ladder ends before the manager',
    edits: [
      {
        file: `${core}escalation/escalation.ts`,
        find: `if (level >= 2) return null`,
        replace: `if (level >= 1) return null`,
      },
    ],
  },
  {
    name: 'the ladder goes on after the manager',
    edits: [
      {
        file: `${core}escalation/escalation.ts`,
        find: `nextEscalationAt(ladder, row.level + 1, row.createdAt)`,
        replace: `nextEscalationAt(ladder, row.level, row.createdAt)`,
      },
    ],
  },
  {
    name: 'the manager is called as early as the crew',
    edits: [
      {
        file: `${core}escalation/escalation.ts`,
        find: `const earliest = ctx.now() + ladder.managerAfterMs - ladder.allAfterMs`,
        replace: `const earliest = 0`,
      },
      {
        file: `${core}escalation/escalation.ts`,
        find: `return since + (level === 0 ? allAfterMs : managerAfterMs)`,
        replace: `return since + allAfterMs`,
      },
    ],
  },
  {
    name: 'a request waits for crew who have left',
    edits: [
      {
        file: `${core}escalation/escalation.ts`,
        find: `return !isAnyoneListening(ctx, restaurantId, onDuty)`,
        replace: `return false`,
      },
    ],
  },
  {
    name: 'a screen counts twice as having shown a request',
    edits: [
      {
        file: `${core}sightings.ts`,
        find: `        browsers: events.length,\n`,
        replace: `        browsers: 2 * events.length,\n`,
      },
    ],
  },
  {
    name: 'guests read full names',
    edits: [
      {
        file: 'src/server/core/guests/redaction.ts',
        find: `name: firstName(person.name)`,
        replace: `name: person.name`,
      },
    ],
  },
  {
    name: 'a released request calls nobody else',
    edits: [
      {
        file: `${core}escalation/escalation.ts`,
        find: `return { nextLevelAt: nextEscalationAt(ladder, level, since), acceptUntil: null }`,
        replace: `return { nextLevelAt: since < 0 ? nextEscalationAt(ladder, level, since) : null, acceptUntil: null }`,
      },
    ],
  },
  {
    name: 'an undone completion with somebody on the way never expires',
    edits: [
      {
        file: `${core}moves/reopened-requests.ts`,
        find: `acceptUntil: ctx.now() + acceptMs }`,
        replace: `acceptUntil: acceptMs === 0 ? 0 : null }`,
      },
    ],
  },
  {
    name: '"Still waiting" raises a request at once',
    edits: [
      {
        file: `${core}requests.ts`,
        find: `if (waitMs <= 0 || waitMs > targetMs + minuteMs) return`,
        replace: `if (waitMs < Infinity) return`,
      },
    ],
  },
  {
    name: 'guests can say that they are on the way',
    edits: [
      {
        file: 'src/contract/permissions.ts',
        find: `'requests.accept': staff`,
        replace: `'requests.accept': anybody`,
      },
      // Guests belong to no restaurant: that alone would keep them out.
      {
        file: 'src/server/live/handlers.ts',
        find: `await crewRequests.accept(ctx, from.actor, message)`,
        replace: `await crewRequests.accept(ctx, { ...from.actor, restaurantId: from.restaurantId }, message)`,
      },
    ],
  },
  {
    name: 'guests read what a table has asked for',
    edits: [
      {
        file: 'src/contract/permissions.ts',
        find: `'tables.history': staff`,
        replace: `'tables.history': anybody`,
      },
    ],
    foundBy: 'test/guarantees/matrix.test.ts',
  },
]
