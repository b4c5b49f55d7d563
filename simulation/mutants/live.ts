import type { Mutant } from './mutant.ts'

const folder = 'src/server/live/'

/** Faults in what screens hear, and in who listens. */
export const live: readonly Mutant[] = [
  {
    name: 'every event is delivered twice',
    edits: [
      {
        file: `${folder}streams/stream-recovery.ts`,
        find: `const send = () => broadcast(this.#rooms.inTopic(topicName(topic)), message)`,
        replace: `const send = () => {\n      for (let n = 0; n < 2; n++) broadcast(this.#rooms.inTopic(topicName(topic)), message)\n    }`,
      },
    ],
  },
  {
    name: 'guests hear of other tables',
    edits: [
      {
        file: 'src/server/core/topics.ts',
        find: '`table:${topic.restaurantId}:${topic.tableKey}`',
        replace: '`table:${topic.restaurantId}`',
      },
    ],
  },
  {
    name: 'a silent screen goes on listening',
    edits: [
      {
        file: `${folder}presence/presence-times.ts`,
        find: `silentAfterMs = 7_000`,
        replace: `silentAfterMs = 70_000`,
      },
    ],
  },
  {
    name: 'guests are not told that nobody listens',
    edits: [
      {
        file: `${folder}presence/broadcaster.ts`,
        find: `      broadcast(connections, message)\n      this.#known`,
        replace: `      this.#known`,
      },
    ],
  },
  {
    name: 'a device that was signed out goes on hearing',
    edits: [
      {
        file: `${folder}gateway.ts`,
        find: `return checker.sessionsChanged(sessionIds, { onPurpose })`,
        replace: `return undefined`,
      },
    ],
  },
  {
    name: 'a list leaves out what somebody is on the way to',
    edits: [
      {
        file: 'src/server/core/requests/crew-requests.ts',
        find: `requests: open.map(toRequest),`,
        replace: `requests: open.filter(({ acceptedAt }) => acceptedAt === null).map(toRequest),`,
      },
    ],
  },
  {
    name: 'a list bears the number before its own',
    edits: [
      {
        file: 'src/server/core/requests/crew-requests.ts',
        find: `    muted,\n    seq,\n`,
        replace: `    muted,\n    seq: Math.max(0, seq - 1),\n`,
      },
    ],
  },
  {
    name: 'figures count what was taken back as done',
    edits: [
      {
        file: 'src/server/core/analytics/figures.ts',
        find: `sumBy(facts, ({ cancelled }) => (cancelled ? 1 : 0))`,
        replace: `sumBy(facts, ({ closed }) => (closed === null ? 0 : 1))`,
      },
    ],
  },
  {
    name: 'a table hears of the same table elsewhere',
    edits: [
      {
        file: 'src/server/core/topics.ts',
        find: '`table:${topic.restaurantId}:${topic.tableKey}`',
        replace: '`table:${topic.tableKey}`',
      },
    ],
  },
  {
    name: 'a node does not look for what it was not told',
    edits: [
      {
        file: `${folder}gateway.ts`,
        find: `        presence.republish()\n        void streams.checkForMissedEvents()\n`,
        replace: `        presence.republish()\n`,
      },
    ],
  },
  {
    name: 'the screens of a node that is gone go on listening',
    edits: [
      {
        file: `${folder}presence/presence-times.ts`,
        find: `nodeTimeoutMs = 12_000`,
        replace: `nodeTimeoutMs = 12_000_000`,
      },
    ],
  },
  {
    name: 'a node does not look who was signed out while it heard nothing',
    edits: [
      {
        file: `${folder}gateway.ts`,
        find: `    checker.recheckAll()\n`,
        replace: ``,
      },
    ],
  },
  {
    name: 'after a restart nobody is missed',
    edits: [
      {
        file: `${folder}presence/listening-alarm.ts`,
        find: `for (const restaurantId of await listWaiting(ctx)) expectScreens(restaurantId, { type: 'restarted' })`,
        replace: `await listWaiting(ctx)`,
      },
    ],
  },
]
