import { StatementSync } from 'node:sqlite'
import { CompiledQuery } from 'kysely'
import { expect, it, onTestFinished, vi } from 'vitest'
import { dayMs } from '#contract/durations.ts'
import { openSeats } from '../../bench/load/seats.ts'
import { recordListeningChanges } from '../../src/server/core/presence/listening.ts'
import { removeExpiredData } from '../../src/server/core/retention/retention.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'
import { samplesIn } from '../support/reading/prometheus.ts'

const restaurants = 600

/**
 * Restaurants in each of which a phone that is signed in rings, and where the owner planned the week, by the machine's
 * clock.
 */
async function manyRestaurants(): Promise<string> {
  const database = await freshDatabase()
  onTestFinished(database.drop)
  const first = await startTestApp({ databaseUrl: database.url, clock: 'running' })
  await first.stop()
  await openSeats('', database.url, { restaurants, screens: restaurants })
  return database.url
}

async function start(databaseUrl: string): Promise<TestApp> {
  const app = await startTestApp({ databaseUrl, clock: 'running' })
  onTestFinished(() => app.stop())
  return app
}

const run = (app: TestApp, sql: string): Promise<unknown> =>
  app.ctx.db.transact((db) => db.executeQuery(CompiledQuery.raw(sql)))

const ringEverywhere = (app: TestApp): Promise<unknown> =>
  run(
    app,
    `insert into push_subscription (restaurant_id, id, session_id, endpoint, p256dh, auth, created_at, seen_at)
      select restaurant_id, id, id, 'https://push.example/' || id, 'p', 'a', ${app.now()}, ${app.now()} from session`,
  )

async function transactions(app: TestApp): Promise<number> {
  const text = await (await app.browser().fetch('/metrics')).text()
  return samplesIn(text).find(({ name }) => name === 'tableside_transactions_total')?.value ?? Number.NaN
}

const listening = async (app: TestApp): Promise<number> =>
  (await app.ctx.db.reader.selectFrom('listeningChange').select('id').execute()).length

it('a start with phones in many restaurants takes a few transactions, not some for each', async () => {
  const url = await manyRestaurants()
  const before = await startTestApp({ databaseUrl: url, clock: 'running' })
  await ringEverywhere(before)
  await before.stop()

  const first = await startTestApp({ databaseUrl: url, clock: 'running' })
  await expect.poll(() => listening(first)).toBe(restaurants)
  await first.whenIdle()
  expect(await transactions(first)).toBeLessThan(restaurants / 10)
  await first.stop()

  // Whoever was listening is listening again.
  const second = await start(url)
  await second.whenIdle()
  for (const [{ id = '' } = {}] of [
    await second.ctx.db.reader.selectFrom('restaurant').select('id').execute(),
  ])
    expect(second.ctx.presence(id).listening).toBe(true)
  expect(await transactions(second)).toBeLessThan(restaurants / 10)
})

it('sessions that nobody can use any more are removed in parts, and no others', async () => {
  const app = await start(await manyRestaurants())
  // More than one part.
  await run(
    app,
    `insert into session (id, token_hash, restaurant_id, created_at)
      select 'x' || a.id || b.id, 'x' || a.id || b.id, a.restaurant_id, 0 from session a
      join (select id from session order by id limit 10) b on 1 = 1`,
  )
  const count = async () => (await app.ctx.db.reader.selectFrom('session').select('id').execute()).length
  expect(await count()).toBe(11 * restaurants)
  await removeExpiredData(app.ctx)
  expect(await count()).toBe(restaurants)
  app.advance(29 * dayMs)
  await ringEverywhere(app)
  await run(app, `delete from push_subscription where restaurant_id <> (select min(id) from restaurant)`)
  await removeExpiredData(app.ctx)
  expect(await count()).toBe(1)
})

const onSqlite = process.env['TEST_DATABASE_URL'] ? [] : ['SQLite']
it.for(onSqlite)(
  '%s records who listens with a few statements, so that a start and a stop are quick',
  async () => {
    const app = await start(await manyRestaurants())
    const ids = await app.ctx.db.reader.selectFrom('restaurant').select('id').execute()
    const spies = (['all', 'get', 'iterate', 'run'] as const).map((method) =>
      vi.spyOn(StatementSync.prototype, method),
    )
    onTestFinished(() => spies.forEach((spy) => spy.mockRestore()))
    const changesTo = (isListening: boolean) =>
      ids.map(({ id }, index) => ({ restaurantId: id, isListening, at: app.now() + index }))
    await recordListeningChanges(app.ctx, [...changesTo(true), ...changesTo(true), ...changesTo(false)])
    const statements = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    expect(statements).toBeGreaterThan(0)
    expect(statements).toBeLessThan(restaurants / 10)
    expect(await listening(app)).toBe(2 * restaurants)
  },
)
