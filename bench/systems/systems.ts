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
export const sharingPeer = 'socket.io, shared commits'
export const floor = 'socket.io, nothing stored'

type Options = { restaurants: number; nodeOptions?: string[] }
type Start = (options: Options) => Promise<SystemUnderTest>

/** All systems that this machine can run, each on a database of its own in the folder. */
export async function findSystems(folder: string) {
  const postgres = await findPostgres(folder)
  let files = 0
  const newFile = () => join(folder, `${++files}`, 'bench.db')
  const starters = new Map<string, Start>()

  starters.set(sqlite, (options) => startTableside(sqlite, `file:${newFile()}`, options))
  for (const [name, nodes] of [
    [postgresql, 1],
    [twoNodes, 2],
  ] as const) {
    if (!postgres) break
    starters.set(name, async (options) =>
      startTableside(name, await postgres.database(), { ...options, nodes, databasePid: postgres.pid }),
    )
  }
  const peers: [string, Storing][] = [
    [peer, 'one commit per request'],
    [sharingPeer, 'shared commits'],
    [floor, 'nothing stored'],
  ]
  for (const [name, storing] of peers)
    starters.set(name, ({ nodeOptions }) => startSocketIo(name, newFile(), storing, nodeOptions))

  return {
    database: postgres?.version ?? 'no PostgreSQL',
    has: (name: string) => starters.has(name),
    async start(name: string, options: Options): Promise<SystemUnderTest> {
      const start = starters.get(name)
      if (!start) throw new Error(`This machine cannot run ${name}`)
      return start(options)
    },
    stop: () => postgres?.stop(),
  }
}
