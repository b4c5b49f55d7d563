import type { Mutant } from './mutant.ts'

const moves = 'src/server/core/requests/moves/'

/** Faults in what happens when parties move. */
export const parties: readonly Mutant[] = [
  {
    name: 'a move leaves what somebody is on the way to behind',
    edits: [
      {
        file: `${moves}moved-requests.ts`,
        find: `if (row.tableKey !== from || (ids && !ids.has(row.id))) continue`,
        replace: `if (row.tableKey !== from || row.acceptedAt !== null || (ids && !ids.has(row.id))) continue`,
      },
    ],
  },
  {
    name: 'a party takes the proof of its old table along',
    edits: [
      {
        file: `${moves}moved-requests.ts`,
        find: `export const placeAt = ({ tableNumber }: RequestRow, target: Table)`,
        replace: `export const placeAt = ({ tableNumber, verified }: RequestRow, target: Table)`,
      },
      {
        file: `${moves}moved-requests.ts`,
        find: `  verified: target.verified,\n`,
        replace: `  verified,\n`,
      },
    ],
  },
  {
    name: 'the undo of a move forgets what was joined',
    foundBy: 'src/server/core/requests/moves/returned-requests.test.ts',
    edits: [
      {
        file: `${moves}returned-requests.ts`,
        find: `  for (const entry of before) await separateRequest(change, move, open, entry)\n`,
        replace: ``,
      },
    ],
  },
  {
    name: 'the undo of a move takes back what was joined before it',
    // Seeds find it, but few do.
    foundBy: 'src/server/core/requests/moves/returned-requests.test.ts',
    edits: [
      {
        file: `${moves}returned-requests.ts`,
        find: `!mergedLater.has(requestEvents.repeatedAskId(id) ?? '')`,
        replace: `!id.startsWith('moved:')`,
      },
    ],
  },
  {
    name: 'a request is opened again at the table that its party has left',
    edits: [
      {
        file: `${moves}reopened-requests.ts`,
        find: `target: target.tableKey === own.tableKey ? own : target }`,
        replace: `target: own }`,
      },
    ],
  },
  {
    name: 'the phones of a party go on reading its old table',
    edits: [
      {
        file: `${moves}party-moves.ts`,
        find: `  announceSeats(announce, restaurantId, source.tableKey)\n`,
        replace: ``,
      },
    ],
  },
]
