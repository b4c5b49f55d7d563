import { Writable } from 'node:stream'
import { createAgent } from '../simulation/wire.ts'
import { createArgon2Passwords } from '../src/server/adapters/auth/argon2.ts'
import { createLogger } from '../src/server/adapters/pino-logger.ts'
import { type App, startApp } from '../src/server/app.ts'
import { readConfig } from '../src/server/config.ts'
import { repeatUnclaimedCalls } from '../src/server/core/crew/role-calls.ts'
import { unmuteExpired } from '../src/server/core/floor/muted-tables.ts'
import { fillDueDays } from '../src/server/core/floor/planned-days.ts'
import { pushDueNotes } from '../src/server/core/guests/manager-notes.ts'
import { pushDueMessages } from '../src/server/core/messages/message-pushes.ts'
import { sendDueReports } from '../src/server/core/outside/weekly-report.ts'
import { escalateDueRequests } from '../src/server/core/requests/escalation/escalation.ts'
import { moveLateRequests } from '../src/server/core/requests/escalation/late-requests.ts'
import { removeWhatIsTooOld } from '../src/server/core/retention/retention-run.ts'
import { removeExpiredData } from '../src/server/core/retention/retention.ts'
import { freshDatabase, type TestDatabase } from '../test/support/database.ts'
import { Client } from './client.ts'
import type { Caller } from './inputs.ts'
import { referencePattern } from './references.ts'
import { findReferents, logins, openRestaurant, type Restaurant } from './restaurant.ts'
import { findWrongRow } from './rows.ts'

/** Noon of a day without a change of clocks. */
const start = Date.parse('2025-06-11T12:00:00Z')

/** A screen may not send more often than this without a pause. */
const betweenInputsMs = 200

/** After so many inputs the references are looked up again, and after so many another restaurant opens. */
const inputsPerLookup = 20
const inputsPerRestaurant = 400

/** A server, with one restaurant at a time that inputs are sent to. */
export class World {
  readonly #app: App
  readonly #database: TestDatabase
  readonly #errors: string[]
  readonly #clock: { now: number }
  readonly #agent = createAgent()
  #clients: Client[] = []
  #restaurant: Restaurant | undefined
  #referents: ReadonlyMap<string, string[]> = new Map()
  #restaurants = 0
  #addresses = 0
  #inputs = 0

  private constructor(app: App, database: TestDatabase, errors: string[], clock: { now: number }) {
    this.#app = app
    this.#database = database
    this.#errors = errors
    this.#clock = clock
  }

  static async open(): Promise<World> {
    const database = await freshDatabase()
    const errors: string[] = []
    const clock = { now: start }
    const log = createLogger(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          const line = chunk.toString()
          if (line.includes('"level":"error"')) errors.push(line)
          done()
        },
      }),
    )
    const config = readConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      GUEST_LIMITS: 'off',
      DEMO: 'off',
      TRUST_PROXY: 'loopback',
    })
    const app = await startApp(
      { ...config, databaseUrl: database.url },
      {
        now: () => clock.now,
        log,
        scheduler: 'manual',
        push: { publicKey: 'B'.repeat(87), send: async () => 'sent', close: () => {} },
        passwords: createArgon2Passwords({ memoryCost: 64, timeCost: 1, parallelism: 1 }),
      },
    )
    const delivered = async () => ({ problem: null })
    const { outbound } = app.ctx
    const problem = (url: URL) => outbound.problem(url)
    // Nothing goes to the addresses that inputs name.
    Object.assign(app.ctx, {
      mail: { send: delivered, close: () => {} },
      outbound: { problem, post: delivered, close: () => {} },
    })
    const world = new World(app, database, errors, clock)
    await world.replaceRestaurant()
    return world
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
    this.#agent.destroy()
    await this.#app.close()
    await this.#database.drop()
  }

  get restaurant(): Restaurant {
    if (!this.#restaurant) throw new Error('There is no restaurant')
    return this.#restaurant
  }

  newClient = (bearer?: string): Client => {
    const address = { port: this.#app.port, agent: this.#agent }
    const client = new Client(
      () => address,
      bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    )
    this.#clients.push(client)
    return client
  }

  /** Limits count by address, and inputs come from many. */
  nextAddress(): string {
    const n = ++this.#addresses
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  }

  async beforeInput(): Promise<void> {
    this.#clock.now += betweenInputsMs
    this.#inputs++
    if (this.#inputs % inputsPerRestaurant === 0) await this.replaceRestaurant()
    else if (this.#inputs % inputsPerLookup === 0) await this.#lookUp()
  }

  async #lookUp(): Promise<void> {
    this.#referents = await findReferents(this.#app.ctx, this.restaurant)
  }

  /** Opens another, with everybody signed in there. */
  async replaceRestaurant(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close()
    const name = `Blue Door ${++this.#restaurants}`
    this.#restaurant = await openRestaurant(this.#app.ctx, name, this.newClient)
    await this.#lookUp()
  }

  /** With what the references in it stand for, written as the text around them needs it. */
  resolve(text: string, write: (value: string) => string = (value) => value): string {
    return text.replaceAll(referencePattern, (_all, kind: string, n: string) => {
      const all = this.#referents.get(kind) ?? []
      return write(all[Number(n) % all.length] ?? `no-${kind}`)
    })
  }

  clientOf(caller: Caller): Client {
    return caller === 'stranger' ? this.newClient() : this.restaurant.clients[caller]
  }

  /** If that fails, because an input has changed who may, another restaurant opens. */
  async signInAgain(caller: Caller): Promise<void> {
    if (caller === 'stranger' || caller === 'guest') return
    if (caller === 'software') return this.replaceRestaurant()
    const client = this.newClient()
    try {
      await logins[caller](client, this.restaurant)
      this.restaurant.clients[caller] = client
    } catch {
      await this.replaceRestaurant()
    }
  }

  /** And what is due is done. */
  async passTime(seconds: number): Promise<void> {
    this.#clock.now += seconds * 1_000
    const { ctx } = this.#app
    for (const task of [
      repeatUnclaimedCalls,
      unmuteExpired,
      pushDueMessages,
      pushDueNotes,
      escalateDueRequests,
      moveLateRequests,
      sendDueReports,
      fillDueDays,
      removeExpiredData,
      removeWhatIsTooOld,
    ])
      await task(ctx)
    await ctx.pusher.sendDue()
    await ctx.outsideAlerts.sendDue()
  }

  /** What the server has logged as errors since the last call. */
  takeErrors(): string[] {
    return this.#errors.splice(0)
  }

  async findWrongRow(): Promise<string | null> {
    await this.#app.whenIdle()
    return findWrongRow(this.#app.ctx.db.reader)
  }
}
