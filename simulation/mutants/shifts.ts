import type { Mutant } from './mutant.ts'

const core = 'src/server/core/'

/** Faults in who looks after what, and in rights that end. */
export const shifts: readonly Mutant[] = [
  {
    name: 'who hands their requests over keeps them',
    edits: [
      {
        file: `${core}requests/hand-over.ts`,
        find: `=> acceptedBy === handover.from\n`,
        replace: `=> acceptedBy === handover.from && handover.to !== null\n`,
      },
    ],
  },
  {
    name: 'a section that was given to somebody else goes on calling the former one',
    edits: [
      {
        file: `${core}floor/sections.ts`,
        find: `      else await floor.assign(db, { restaurantId, date, tableId, slot: '', crewMemberId })\n`,
        replace: ``,
      },
    ],
  },
  {
    name: 'a screen goes on as whoever has got another PIN since',
    edits: [
      {
        file: `${core}crew/crew.ts`,
        find: `    publishMemberChanged(ctx, tx, id)\n    return member\n`,
        replace: `    return member\n`,
      },
    ],
  },
  {
    name: 'any PIN will do',
    edits: [
      {
        file: `${core}crew/pins.ts`,
        find: `if (!(await ctx.passwords.verify(pinHash, pin, queueKeyOf(actor))))`,
        replace: `if (pin === '')`,
      },
    ],
  },
  {
    name: 'a manager with another password stays signed in with the former one',
    edits: [
      {
        file: `${core}accounts/managers.ts`,
        find: `    await sessions.revokeAccess(ctx, tx, actor, { ...subject, keepOwn: true })\n`,
        replace: `    void subject\n`,
      },
    ],
  },
]
