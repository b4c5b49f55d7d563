import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { Client } from 'pg'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { api, type CallInput } from '#contract/api.ts'
import { RestaurantNeeds } from '#contract/requests/needs.ts'
import { type NewServiceRequest, serviceTypes } from '#contract/requests/requests.ts'
import { type Actor, anonymousActor } from '../../src/server/core/actor.ts'
import type { Ctx } from '../../src/server/core/ctx.ts'
import { Refusal } from '../../src/server/core/errors.ts'
import * as crewRequests from '../../src/server/core/requests/crew-requests.ts'
import * as requests from '../../src/server/core/requests/requests.ts'
import { storeSightings } from '../../src/server/core/requests/sightings.ts'
import { Gatherer } from '../../src/server/core/tasks/gatherer.ts'
import { write } from '../../src/server/core/transaction.ts'
import type { Event } from '../../src/server/ports/bus.ts'
import { setNeeds } from '../../src/server/storage/accounts/restaurants.ts'
import type { Db, TransactOptions } from '../../src/server/storage/engine/types.ts'
import { toRequest } from '../../src/server/storage/requests/requests.ts'
import type { TableButtonRow } from '../../src/server/storage/requests/table-buttons.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'
import { startPostgresProxy } from '../support/postgres/postgres-proxy.ts'
import { deviceActor } from '../support/restaurants/device-actor.ts'

const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined

async function start(options: Parameters<typeof startTestApp>[0] = {}): Promise<TestApp> {
  const app = await startTestApp({ guestLimits: false, ...options })
  onTestFinished(() => app.stop())
  // Without the pause for other screens, so that they meet everything else.
  app.ctx.sightings = new Gatherer(0, (...sightings) => storeSightings(app.ctx, ...sightings))
  return app
}

const guestActor = (guest: number): Actor => anonymousActor('local', `guest-${guest}`)

/** How often a statement has been sent to PostgreSQL since the last `clear`. */
function countStatements() {
  const queries = vi.spyOn(Client.prototype, 'query')
  return {
    sent: (statement: string): number => queries.mock.calls.filter(([text]) => text === statement).length,
    clear: () => queries.mockClear(),
  }
}

const askForDrinks = ({ ctx }: TestApp, restaurantId: string, table: number) =>
  requests.send(ctx, guestActor(table), {
    id: randomUUID(),
    restaurantId,
    tableNumber: `${table}`,
    serviceType: 'drinks',
  })

const water = {
  id: 'water',
  name: { en: 'Water' },
  icon: 'water' as const,
  targetMs: 60_000,
  choices: ['still', 'sparkling'].map((id) => ({ id, name: { en: id } })),
}
const taxi = { id: 'taxi', name: { en: 'Taxi' }, icon: 'taxi' as const, targetMs: 60_000 }

/** What taps ask for. Guests also choose a water, which never leaves the list, while the taxi comes and goes. */
const asked: readonly Pick<NewServiceRequest, 'serviceType' | 'need'>[] = [
  { serviceType: 'general' },
  { serviceType: 'drinks' },
  { serviceType: 'other', need: 'water' },
  { serviceType: 'other', need: 'taxi' },
  { serviceType: 'other' },
]

const arrangeNeeds = (ctx: Ctx, restaurantId: string, list: CallInput<typeof api.needs.set>['body']) =>
  write(ctx, ({ db }) => setNeeds(db, restaurantId, JSON.stringify(v.parse(RestaurantNeeds, list).needs)))

/** What is done at the same time. `of` is the place of an earlier tap in the list, modulo its length. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('tap'), table: fc.nat(2), guest: fc.nat(2), of: fc.nat(14) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'repeat',
        'accept',
        'release',
        'complete',
        'cancel',
        'still waiting',
        'seen',
        'seen',
        'rearrange',
      ),
      table: fc.nat(2),
      guest: fc.nat(2),
      of: fc.nat(40),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('unknown'), table: fc.nat(2), guest: fc.nat(2), of: fc.nat(1) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

type Tap = Pick<NewServiceRequest, 'tableNumber' | 'serviceType' | 'need' | 'choice'> & {
  id: string
  guest: number
}

/** Returns what was asked for with a choice of water. */
async function perform(ctx: Ctx, restaurant: { name: string; id: string }, steps: Step[]): Promise<Tap[]> {
  const taps: Tap[] = []
  const crew = deviceActor(restaurant.id)
  /** By both names that the restaurant has. */
  const nameFor = (guest: number) => (guest === 0 ? 'default' : restaurant.name)
  const send = ({ guest, ...tap }: Tap, name = nameFor(guest)) =>
    requests.send(ctx, guestActor(guest), { ...tap, restaurantId: name })

  const outcomes = await Promise.allSettled(
    steps.map(({ kind, table, guest, of }) => {
      const earlier = taps.length > 0 ? taps[of % taps.length] : undefined
      if (kind === 'tap' || !earlier) {
        const tap = {
          id: randomUUID(),
          guest,
          tableNumber: `${table}`,
          ...(asked[of % asked.length] ?? { serviceType: 'general' }),
          choice: ['still', 'sparkling', undefined][of % 3],
        }
        taps.push(tap)
        return send(tap)
      }
      const { id } = earlier
      switch (kind) {
        case 'repeat':
          return send(earlier)
        case 'unknown':
          return send({ ...earlier, id: randomUUID() }, 'Nowhere')
        case 'rearrange':
          return arrangeNeeds(ctx, restaurant.id, { needs: of % 2 ? [water] : [water, taxi] })
        case 'accept':
          return crewRequests.accept(ctx, crew, { id })
        case 'release':
          return crewRequests.release(ctx, crew, { id })
        case 'complete':
          return crewRequests.complete(ctx, crew, { id })
        case 'seen': {
          const screen = { ...crew, sessionId: `screen-${guest}` }
          return crewRequests.markSeen(ctx, screen, { ids: [id, taps[0]?.id ?? id, 'not-there'] })
        }
        case 'cancel':
          return requests.cancel(ctx, guestActor(earlier.guest), { id })
        default:
          return requests.stillWaiting(ctx, guestActor(earlier.guest), { id })
      }
    }),
  )
  const errors = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' && !(outcome.reason instanceof Refusal) ? [outcome.reason] : [],
  )
  expect(errors).toEqual([])
  return taps.filter(({ need, choice }) => need === 'water' && choice !== undefined)
}

/** Each task runs, is taken back, and runs again, as it does after a failure of those beside it. */
function runTasksTwice({ ctx }: TestApp): void {
  const database = { ...ctx.db }
  Object.assign(ctx.db, {
    transact: <T>(task: (db: Db) => Promise<T>, { finish }: TransactOptions<T> = {}) =>
      database.transact(async (db) => {
        await sql`savepoint first`.execute(db)
        try {
          await task(db)
        } finally {
          await sql`rollback to first`.execute(db)
        }
        return task(db)
      }, finish && { finish }),
  })
}

/** The next tap does not see the request that is open at its table, as if another node had stored it just after the look. */
function overlookOpenRequest({ ctx }: TestApp, tableKey: string): void {
  const database = { ...ctx.db }
  let isOverlooked = false
  const overlook = (db: Db): Db => {
    const run = db.run.bind(db)
    return Object.assign(db, {
      run: async (...call: Parameters<typeof run>) => {
        const rows = await run(...call)
        const [{ name }, input] = call
        if (isOverlooked || name !== 'tap-context' || input['tableKey'] !== tableKey) return rows
        isOverlooked = true
        return rows.map((row) => Object.assign({}, row, { openRequestId: null }))
      },
    })
  }
  Object.assign(ctx.db, {
    transact: <T>(task: (db: Db) => Promise<T>, options?: TransactOptions<T>) =>
      database.transact((db) => task(overlook(db)), options),
  })
}

/** Everything about a restaurant's requests that must agree whatever the order in which things happened. */
async function expectConsistent(
  ctx: Ctx,
  restaurantId: string,
  announced: Event[],
  chosen: Tap[] = [],
): Promise<void> {
  const db = ctx.db.reader
  const rows = await db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .execute()
  const events = await db
    .selectFrom('requestEvent')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .execute()
  const last = new Map<string, Event['message']>()
  const numbers: number[] = []
  for (const { topic, message } of announced) {
    if (topic.kind !== 'staff' || topic.restaurantId !== restaurantId) continue
    numbers.push(message.seq ?? 0)
    if (message.type === 'new-request' || message.type === 'request-updated')
      last.set(message.request.id, message)
    if (message.type === 'request-completed') last.set(message.id, message)
  }
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1))
  for (const row of rows) {
    const own = events.filter(({ requestId }) => requestId === row.id)
    const count = (...kinds: string[]) => own.filter(({ kind }) => kinds.includes(kind)).length
    expect(count('created')).toBe(1)
    expect(count('completed', 'cancelled')).toBe(row.closedAt === null ? 0 : 1)
    expect(count('created', 'asked') - count('taken_back')).toBe(row.asks)
    expect(count('still_waiting')).toBe(row.stillWaiting)
    expect(count('seen')).toBe(row.seen)
    const choices = chosen.filter(({ id }) => own.some((event) => event.id === id))
    const waters: (string | undefined)[] =
      choices.length > 0 ? choices.map(({ choice }) => choice) : [undefined]
    expect(waters).toContain(toRequest(row).choice?.id)
    const seenTimes: (number | null)[] = own.filter(({ kind }) => kind === 'seen').map(({ at }) => at)
    expect(seenTimes.length === 0 ? [null] : seenTimes).toContain(row.seenAt)
    const { seq: _, ...message } = last.get(row.id) ?? {}
    expect(message).toMatchObject(
      row.closedAt === null ? { request: toRequest(row) } : { type: 'request-completed', id: row.id },
    )
  }
}

/** Events in the order of their numbers, which is the order in which screens apply them. */
function recordEvents(...apps: TestApp[]): Event[] {
  const events: Event[] = []
  for (const { ctx } of apps) ctx.commitListeners.push((announced) => events.push(...announced))
  return events
}

const inOrder = (events: Event[]): Event[] =>
  events.toSorted((a, b) => (a.message.seq ?? 0) - (b.message.seq ?? 0))

describe('whatever guests and crew do at the same time', () => {
  it('leaves rows, history, announcements and numbers that agree', async () => {
    const app = await start()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const { name } = await app.restaurant()
        const id = await app.idOf({ name })
        const events = recordEvents(app)
        await arrangeNeeds(app.ctx, id, { needs: [water, taxi] })
        const chosen: Tap[] = []
        for (const half of [steps.slice(0, steps.length / 2), steps])
          chosen.push(...(await perform(app.ctx, { name, id }, half)))
        await expectConsistent(app.ctx, id, inOrder(events), chosen)
      }),
      { numRuns: 25 },
    )
  })

  it('changes nothing that a task runs again', async () => {
    const app = await start()
    runTasksTwice(app)
    const { name } = await app.restaurant()
    const id = await app.idOf({ name })
    const events = recordEvents(app)
    await arrangeNeeds(app.ctx, id, { needs: [water, taxi] })
    const steps = fc.sample(step, { numRuns: 150, seed: 11 })
    const chosen = await perform(app.ctx, { name, id }, steps)
    await expectConsistent(app.ctx, id, inOrder(events), chosen)
  })

  it('stores one id only once when it comes from two tables, and everything else beside it', async () => {
    const app = await start()
    const { name } = await app.restaurant()
    const restaurantId = await app.idOf({ name })
    const events = recordEvents(app)
    const send = (tableNumber: string, id: string = randomUUID()) =>
      requests.send(app.ctx, guestActor(1), { id, restaurantId: name, tableNumber, serviceType: 'check' })
    await Promise.all([send('1'), send('2')])
    const id = randomUUID()
    await Promise.all([send('3'), send('1', id), send('4'), send('2', id), send('5')])
    await expectConsistent(app.ctx, restaurantId, inOrder(events))
    const stored = await app.ctx.db.reader.selectFrom('requestEvent').select('id').execute()
    expect(stored.filter((event) => event.id === id)).toHaveLength(1)
    expect(stored).toHaveLength(6)
  })

  it('announces last what was written last, by whichever of its names the restaurant is called', async () => {
    const app = await start()
    const { name } = await app.restaurant()
    const id = await app.idOf({ name })
    const events = recordEvents(app)
    const send = (restaurantId: string) => {
      const tap = { id: randomUUID(), restaurantId, tableNumber: '1', serviceType: 'check' as const }
      return requests.send(app.ctx, guestActor(1), tap)
    }
    for (let round = 0; round < 10; round++) await Promise.all([send('default'), send(name)])
    await expectConsistent(app.ctx, id, inOrder(events))
  })

  it('counts each of 1,000 taps once when all are sent twice', async () => {
    const statements = countStatements()
    const app = await start()
    const { name } = await app.restaurant()
    const id = await app.idOf({ name })
    const taps = Array.from({ length: 1_000 }, (_, index) => ({
      id: randomUUID(),
      restaurantId: name,
      tableNumber: `${index % 40}`,
      serviceType: serviceTypes[index % 3] ?? 'general',
    }))
    statements.clear()
    const answers = await Promise.all(
      [...taps, ...taps].map((tap, index) => requests.send(app.ctx, guestActor(index % 1000), tap)),
    )
    const commits = statements.sent('commit')
    const count = async (table: 'serviceRequest' | 'requestEvent') =>
      (await app.ctx.db.reader.selectFrom(table).selectAll().where('restaurantId', '=', id).execute()).length
    expect(await count('serviceRequest')).toBe(120)
    expect(await count('requestEvent')).toBe(1_000)
    expect(answers.filter(({ created }) => created)).toHaveLength(120)
    expect(commits).toBeLessThan(100)
  })
})

describe.each(onPostgres ? [] : ['SQLite'])('on %s', () => {
  it('stores no tap whose event gets no number', async () => {
    const app = await start()
    const { name } = await app.restaurant()
    const events = recordEvents(app)
    await app.ctx.db.transact((db) =>
      sql`create trigger skip before insert on live_stream begin select raise(ignore); end`.execute(db),
    )
    const tap = { id: randomUUID(), restaurantId: name, tableNumber: '1', serviceType: 'check' as const }
    await expect(requests.send(app.ctx, guestActor(1), tap)).rejects.toThrow('A stream has no number')
    expect(events).toEqual([])
    expect(await app.ctx.db.reader.selectFrom('serviceRequest').select('id').execute()).toEqual([])
  })
})

describe.each(onPostgres ? ['PostgreSQL'] : [])('on %s', () => {
  it('tells of a tap whose event gets no number, as it is stored by the time that this is known', async () => {
    const app = await start()
    const { name } = await app.restaurant()
    const events = recordEvents(app)
    await app.ctx.db.transact(async (db) => {
      await sql`create function skip() returns trigger language plpgsql as 'begin return null; end'`.execute(
        db,
      )
      await sql`create trigger skip before insert on live_stream for each row execute function skip()`.execute(
        db,
      )
    })
    const tap = { id: randomUUID(), restaurantId: name, tableNumber: '1', serviceType: 'check' as const }
    expect(await requests.send(app.ctx, guestActor(1), tap)).toMatchObject({ created: true })
    expect(events.map(({ message }) => message.type)).toContain('new-request')
    expect(app.lines.splice(0).join('')).toContain('A stream has no number')
    expect(await app.ctx.db.reader.selectFrom('serviceRequest').select('id').execute()).toEqual([
      { id: tap.id },
    ])
  })

  it('two nodes merge into and close the same requests', async () => {
    const database = await freshDatabase()
    onTestFinished(() => database.drop())
    const nodes = await Promise.all([
      start({ databaseUrl: database.url }),
      start({ databaseUrl: database.url }),
    ])
    const [a, b] = nodes
    const { name } = await a.restaurant()
    const restaurant = { name, id: await a.idOf({ name }) }
    await arrangeNeeds(a.ctx, restaurant.id, { needs: [water, taxi] })
    const events = recordEvents(a, b)
    const steps = fc.sample(step, { numRuns: 200, seed: 7 })
    const chosen: Tap[] = []
    for (let round = 0; round < 3; round++)
      chosen.push(...(await Promise.all(nodes.map((node) => perform(node.ctx, restaurant, steps)))).flat())
    await expectConsistent(a.ctx, restaurant.id, inOrder(events), chosen)
  })

  it('a completion of an unknown request leaves the taps beside it in their transaction', async () => {
    const statements = countStatements()
    const app = await start()
    const { name } = await app.restaurant()
    const restaurantId = await app.idOf({ name })
    const { request } = await askForDrinks(app, name, 0)
    statements.clear()
    const [unknown, known] = await Promise.allSettled([
      crewRequests.complete(app.ctx, deviceActor(restaurantId), { id: 'unknown' }),
      crewRequests.complete(app.ctx, deviceActor(restaurantId), { id: request.id }),
    ])
    expect(unknown).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
    expect(known.status).toBe('fulfilled')
    expect([statements.sent('commit'), statements.sent('rollback')]).toEqual([1, 0])
  })

  it('"On my way" shares a transaction with the taps and completions beside it', async () => {
    const statements = countStatements()
    const app = await start()
    const { name } = await app.restaurant()
    const crew = deviceActor(await app.idOf({ name }))
    const tap = (table: number) => askForDrinks(app, name, table)
    const [first, second, third] = await Promise.all([tap(1), tap(2), tap(3)])
    statements.clear()
    const accept = ({ request }: requests.SendResult) =>
      crewRequests.accept(app.ctx, crew, { id: request.id })
    const [unknown, ...others] = await Promise.allSettled([
      crewRequests.accept(app.ctx, crew, { id: 'unknown' }),
      accept(first),
      accept(second),
      crewRequests.complete(app.ctx, crew, { id: third.request.id }),
      tap(4),
    ])
    expect(unknown).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'))
    expect([statements.sent('commit'), statements.sent('rollback')]).toEqual([1, 0])
  })

  it('a tap that finds another open request than it has read holds up no tap beside it', async () => {
    const app = await start()
    const { name } = await app.restaurant()
    const restaurantId = await app.idOf({ name })
    const events = recordEvents(app)
    const tap = (table: number) => askForDrinks(app, name, table)
    const { request } = await tap(1)
    const holder = new Client(app.ctx.db.url)
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query('begin')
    await holder.query('select 1 from service_request where id = $1 for update', [request.id])
    overlookOpenRequest(app, '1')
    const late = tap(1)
    expect(await tap(2)).toMatchObject({ created: true })
    await holder.query('commit')
    expect(await late).toMatchObject({ created: false, request: { id: request.id, asks: 2 } })
    await expectConsistent(app.ctx, restaurantId, inOrder(events))
  })

  it('a tap for one table by two names, or for two tables with one id, takes nothing back beside it', async () => {
    const statements = countStatements()
    const app = await start()
    const { name } = await app.restaurant({ tables: ['1', '2', '3', '4', '5'] })
    const send = (restaurantId: string, tableNumber: string, id: string = randomUUID()) =>
      requests.send(app.ctx, guestActor(1), { id, restaurantId, tableNumber, serviceType: 'drinks' })
    await send(name, '5')
    const id = randomUUID()
    const pairs: Record<string, () => Promise<unknown>[]> = {
      'by two names': () => [send('default', '1'), send(name, '1')],
      'with one id': () => [send(name, '1', id), send(name, '2', id)],
    }
    for (const [pair, sendPair] of Object.entries(pairs)) {
      statements.clear()
      await Promise.all([send(name, '3'), ...sendPair(), send(name, '4')])
      expect([pair, statements.sent('rollback')]).toEqual([pair, 0])
      expect(statements.sent('commit')).toBeLessThan(4)
    }
  })

  it('a refused tap leaves the one beside it in their transaction', async () => {
    const statements = countStatements()
    const app = await start()
    const { name } = await app.restaurant({ tables: ['1', '2', '3'] })
    const restaurantId = await app.idOf({ name })
    const { name: guarded } = await app.restaurant({ tables: ['1'] })
    const muted = { restaurantId, tableKey: '2', tableNumber: '2', until: null, byId: null, byName: 'Maya' }
    await write(app.ctx, async ({ db }) => {
      await db.insertInto('mutedTable').values(muted).execute()
      await db.updateTable('restaurant').set({ seating: 1 }).where('name', '=', guarded).execute()
    })
    const send = (tap: Partial<NewServiceRequest>, button?: TableButtonRow) =>
      requests.send(
        app.ctx,
        guestActor(1),
        { id: randomUUID(), restaurantId: name, tableNumber: '1', serviceType: 'drinks', ...tap },
        button,
      )
    const revoked = {
      restaurantId,
      id: 'revoked',
      tableId: '1',
      serviceType: 'drinks',
      tokenHash: '',
      createdAt: 0,
      pressedAt: null,
    } as const
    const refused: Record<string, () => Promise<unknown>> = {
      'of no restaurant': () => send({ restaurantId: 'Nowhere' }),
      'at no table': () => send({ tableNumber: '99' }),
      'at a muted table': () => send({ tableNumber: '2' }),
      'at a closed table': () => send({ restaurantId: guarded }),
      'of a revoked button': () => send({}, revoked),
    }
    for (const [tap, sendRefused] of Object.entries(refused)) {
      statements.clear()
      const [bad, good] = await Promise.allSettled([sendRefused(), send({ tableNumber: '3' })])
      expect([tap, bad.status, good.status]).toEqual([tap, 'rejected', 'fulfilled'])
      expect([tap, statements.sent('commit'), statements.sent('rollback')]).toEqual([tap, 1, 0])
    }
  })

  it('a tap whose COMMIT got no answer is an error, and is found when it is sent again', async () => {
    const database = await freshDatabase()
    onTestFinished(() => database.drop())
    const proxy = await startPostgresProxy(database.url)
    const app = await start({ databaseUrl: proxy.url })
    const { name } = await app.restaurant()
    const guests = Array.from({ length: 5 }, () => app.browser())
    const tap = (index: number) => ({
      id: ids[index] ?? '',
      restaurantId: name,
      tableNumber: `${index}`,
      serviceType: 'check' as const,
    })
    const ids = guests.map(() => randomUUID())
    proxy.loseNextCommit()
    const lost = await Promise.all(
      guests.map((guest, index) => guest.call(api.requests.send, { body: tap(index) })),
    )
    const statuses = lost.map(({ status }) => status)
    expect(statuses).toContain(503)
    const again = await Promise.all(
      guests.map((guest, index) => guest.call(api.requests.send, { body: tap(index) })),
    )
    expect(again.map(({ body }) => body.request.id)).toEqual(ids)
    expect(again.every(({ status }) => status === 200)).toBe(true)
  })
})
