import { Writable } from 'node:stream'
import { createArgon2Passwords } from '../src/server/adapters/auth/argon2.ts'
import { createLogger } from '../src/server/adapters/pino-logger.ts'
import { answerEach } from '../src/server/adapters/workers/analytics-worker-client.ts'
import { type App, loadGuestBundle, readAllCatalogues, startApp } from '../src/server/app.ts'
import { readConfig } from '../src/server/config.ts'
import { runInSnapshot } from '../src/server/core/analytics/queries.ts'
import type { AnalyticsService } from '../src/server/ports/analytics.ts'
import { openReader } from '../src/server/storage/engine/database.ts'
import type { Database, QueryDb } from '../src/server/storage/engine/types.ts'
import type { SimulatedBroker } from './broker.ts'
import type { PushService } from './push-service.ts'
import type { VirtualTime } from './virtual-time.ts'
import { type Address, createAgent } from './wire.ts'

// No node changes these, and reading them takes a quarter of its start.
const catalogues = readAllCatalogues({ catalogues: null })
const guestBundle = await loadGuestBundle()
const config = readConfig({ PORT: '0', HOST: '127.0.0.1', GUEST_LIMITS: 'off', DEMO: 'off' })

type Surroundings = {
  time: VirtualTime
  push: PushService
  databaseUrl: string
  /** What it has in common with other nodes, if there are any. */
  shared: { database: Database; broker: SimulatedBroker } | null
  onError: (line: string) => void
}

/** One process of the server. */
export type Node = {
  app: App
  address: Address
  /** From now on nobody hears what it says, and it changes nothing that others see; it still has to be closed. */
  die(): void
  close(): Promise<void>
}

export async function startNode({ time, push, databaseUrl, shared, onError }: Surroundings): Promise<Node> {
  const life = { isOver: false }
  const log = createLogger(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const line = chunk.toString()
        if (line.includes('"level":"error"') && !life.isOver) onError(line)
        done()
      },
    }),
  )
  const sender = push.open()
  const agent = createAgent()
  const app = await startApp(
    { ...config, databaseUrl },
    {
      now: time.now,
      log,
      push: sender,
      analytics: createAnalytics(databaseUrl),
      catalogues,
      guestBundle,
      passwords: createArgon2Passwords({ memoryCost: 64, timeCost: 1, parallelism: 1 }),
      ...(shared && {
        database: connectTo(shared.database, life),
        bus: await shared.broker.open(life, log),
      }),
    },
  )
  return {
    app,
    address: { port: app.port, agent },
    die() {
      agent.destroy()
      sender.abandon()
      life.isOver = true
      shared?.broker.forget(life)
    },
    async close() {
      await app.close()
      agent.destroy()
    },
  }
}

/** In this process: a thread would take as long to start as an evening lasts. */
function createAnalytics(databaseUrl: string): AnalyticsService {
  let reader: QueryDb | undefined
  return {
    ...answerEach((question) => runInSnapshot((reader ??= openReader(databaseUrl)), question)),
    close: async () => reader?.destroy(),
  }
}

/** The others keep theirs when it closes or dies. */
const connectTo = (database: Database, life: { isOver: boolean }): Database => ({
  ...database,
  transact: async (task, options) => {
    if (life.isOver) throw new Error('This node was killed')
    return database.transact(task, options)
  },
  close: async () => {},
})
