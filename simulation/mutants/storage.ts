import type { Mutant } from './mutant.ts'

const folder = 'src/server/storage/'

/** Faults in what is stored, and when. */
export const storage: readonly Mutant[] = [
  {
    name: 'the answer comes before the COMMIT',
    edits: [
      {
        file: `${folder}engine/sqlite/group-commit.ts`,
        find: `settlers.push(...members.map((member, index) => () => settle(member, outcomes[index])))`,
        replace: `members.forEach((member, index) => settle(member, outcomes[index]))`,
      },
      {
        file: `${folder}engine/sqlite/group-commit.ts`,
        find: `    this.#statements.commit.run()\n`,
        replace: `    for (let turns = 0; turns < 2; turns++) await new Promise<void>((done) => setImmediate(done))\n    this.#statements.commit.run()\n`,
      },
    ],
  },
  {
    name: 'the second "On my way" wins',
    edits: [
      {
        file: `${folder}requests/request-transitions.ts`,
        find: `      .where('serviceRequest.acceptedAt', 'is', null)\n`,
        replace: ``,
      },
    ],
  },
  {
    name: 'what is closed can be closed again',
    edits: [
      {
        file: `${folder}requests/request-transitions.ts`,
        find: `      .where(isNamed)\n      .where(isOpen)\n      .returning(requestColumns),\n})\n\n/** Where a request is wanted`,
        replace: `      .where(isNamed)\n      .returning(requestColumns),\n})\n\n/** Where a request is wanted`,
      },
    ],
  },
  {
    name: 'what a guest took back can be reopened',
    edits: [
      {
        file: `${folder}requests/request-transitions.ts`,
        find: `    .where('closedAs', '=', 'completed')\n`,
        replace: ``,
      },
    ],
  },
  {
    name: 'a step of the ladder raises nothing',
    edits: [
      {
        file: `${folder}requests/escalation.ts`,
        find: `.set({ level: level + 1, called: '', nextLevelAt })`,
        replace: `.set({ level, called: '', nextLevelAt })`,
      },
    ],
  },
  {
    name: 'an acceptance never expires',
    edits: [
      { file: `${folder}requests/escalation.ts`, find: `, ...(await dueBy('acceptUntil'))]`, replace: `]` },
    ],
  },
  {
    name: 'the ladder is five seconds late',
    edits: [
      {
        file: `${folder}requests/escalation.ts`,
        find: `.where(column, '<=', now)`,
        replace: `.where(column, '<=', now - 5_000)`,
      },
    ],
  },
  {
    name: 'two events get the same number',
    edits: [
      {
        file: `${folder}streams.ts`,
        find: `advances ? ++number.last`,
        replace: `advances ? Math.max(1, number.last)`,
      },
    ],
  },
  {
    name: 'a number is left out',
    edits: [
      {
        file: `${folder}streams.ts`,
        find: `advances ? ++number.last`,
        replace: `advances ? (number.last += 2)`,
      },
    ],
  },
  {
    name: '"on the way" is said when a screen has only shown it',
    edits: [
      {
        file: `${folder}requests/requests.ts`,
        find: `state: row.acceptedAt === null ? 'waiting' : 'accepted'`,
        replace: `state: row.seenAt === null ? 'waiting' : 'accepted'`,
      },
    ],
  },
]
