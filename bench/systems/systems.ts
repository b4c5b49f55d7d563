import { join } from 'node:path'
import { findPostgres } from './postgres.ts'
import type { Storing } from './socket-io-server.ts'
import { startSocketIo } from './socket-io.ts'
import type { SystemUnderTest } from './system-under-test.ts'
import { startTableside } from './tableside.ts'

export const sqlite = 'Tableside, SQLite'
export const postgresql = 'Tableside, PostgreSQL'
export const twoNodes = 'Tableside, two nodes on PostgreSQL'
export const peer = 'socket.io'
export const postgresPeer = 'socket.io on PostgreSQL'
export const sharingPeer = 'socket.io, shared commits'
export const floor = 'socket.io, nothing stored'

type Options = { restaurants: number; nodeOptions?: string[]; screensAsPages?: boolean }
type Start = (options: Options) => Promise<SystemUnderTest>

/**
 * All systems that this machine can run, each on a database of its own in the folder. PostgreSQL, unless it is another
 * one's, runs with these settings.
 */
export async function findSystems(folder: string, postgresSettings: readonly string[] = []) {
  const postgres = await findPostgres(folder, postgresSettings)
  let files = 0
  const newFile = () => `file:${join(folder, `${++files}`, 'bench.db')}`
  const starters = new Map<string, Start>()
  const running = new Set<SystemUnderTest>()

  starters.set(sqlite, (options) => startTableside(sqlite, newFile(), options))
  if (postgres) {
    for (const [name, nodes] of [
      [postgresql, 1],
      [twoNodes, 2],
    ] as const)
      starters.set(name, async (options) =>
        startTableside(name, await postgres.database(), { ...options, nodes, databasePid: postgres.pid }),
      )
    starters.set(postgresPeer, async ({ nodeOptions = [] }) =>
      startSocketIo(postgresPeer, {
        databaseUrl: await postgres.database(),
        databasePid: postgres.pid,
        storing: 'one commit per request',
        nodeOptions,
      }),
    )
  }
  const peers: [string, Storing][] = [
    [peer, 'one commit per request'],
    [sharingPeer, 'shared commits'],
    [floor, 'nothing stored'],
  ]
  for (const [name, storing] of peers)
    starters.set(name, ({ nodeOptions = [] }) =>
      startSocketIo(name, { databaseUrl: newFile(), databasePid: null, storing, nodeOptions }),
    )

  return {
    database: postgres?.version ?? 'no PostgreSQL',
    has: (name: string) => starters.has(name),
    async start(name: string, options: Options): Promise<SystemUnderTest> {
      const start = starters.get(name)
      if (!start) throw new Error(`This machine cannot run ${name}`)
      const system = await start(options)
      running.add(system)
      return {
        ...system,
        async stop() {
          running.delete(system)
          await system.stop()
        },
      }
    },
    /** Also what nobody has stopped. */
    async stop() {
      await Promise.all([...running].map((system) => system.stop()))
      await postgres?.stop()
    },
  }
}
