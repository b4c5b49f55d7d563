import type { Mutant } from './mutant.ts'

const guests = 'src/server/core/guests/'

/** Faults in what keeps guests from asking, and in what a plan is needed for. */
export const availability: readonly Mutant[] = [
  {
    name: 'what is asked of a closed restaurant is taken',
    edits: [
      {
        file: `${guests}opening.ts`,
        find: `  if (closedUntil !== undefined) {\n`,
        replace: `  if (closedUntil !== undefined && closedUntil <= now) {\n`,
      },
    ],
  },
  {
    name: 'a restaurant stays closed after its hours have begun',
    edits: [
      {
        file: `${guests}opening.ts`,
        find: `if (known && known.from <= now && now < known.until) return`,
        replace: `if (known && known.from <= now) return`,
      },
    ],
  },
  {
    name: 'a paused need can be asked for',
    edits: [
      {
        file: `${guests}opening.ts`,
        find: `pauses.find((each) => each.serviceType === needKey)`,
        replace: `pauses.find((each) => each.serviceType === needKey && each.until <= now)`,
      },
    ],
  },
  {
    name: 'what a table waits for cannot be asked for again while it is paused',
    edits: [
      {
        file: `${guests}visits.ts`,
        find: `  if (openRequestId !== null) return 'repeat'\n  requireAvailable(restaurant, need, now)\n  return 'new'`,
        replace: `  requireAvailable(restaurant, need, now)\n  return openRequestId === null ? 'new' : 'repeat'`,
      },
    ],
  },
  {
    name: 'guests’ pages do not hear that the restaurant has closed',
    edits: [
      {
        file: `${guests}opening.ts`,
        find: `  announce({ kind: 'guests', restaurantId }, { type: 'table-changed' })\n`,
        replace: `  void [announce, restaurantId]\n`,
      },
    ],
  },
  {
    name: 'guests at a muted table can repeat what they wait for',
    edits: [
      {
        file: `${guests}visits.ts`,
        find: `  requireNoBarrier(restaurant, facts)\n`,
        replace: `  requireNoBarrier(restaurant, { ...facts, muted: facts.muted && openRequestId === null })\n`,
      },
    ],
  },
  {
    name: 'phones go on saying that their table is muted once that has ended',
    edits: [
      {
        file: 'src/server/core/floor/muted-tables.ts',
        find: `      if (await mutedTables.removeExpired(tx.db, table, ctx.now())) await announceMutedTables(tx, table)\n`,
        replace: `      await mutedTables.removeExpired(tx.db, table, ctx.now())\n`,
      },
    ],
  },
  {
    name: 'a plan that has lapsed counts as paid',
    edits: [
      {
        file: 'src/server/core/billing/subscription-status.ts',
        find: `const activeStatuses = new Set(['active', 'trialing'])`,
        replace: `const activeStatuses = new Set(['active', 'trialing', 'canceled'])`,
      },
    ],
  },
]
