import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'

/** Half as long as a statement waits for a row that another transaction holds. */
const soonMs = 5_000

async function tap(app: TestApp, restaurantId: string, tableNumber: string): Promise<void> {
  const body = { id: randomUUID(), restaurantId, tableNumber, serviceType: 'check' } as const
  await app.browser().ok(api.requests.send, { body })
}

it('stalls only its own restaurant when somebody holds a row of it', async () => {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const app = await startTestApp({ databaseUrl: url, guestLimits: false })
  onTestFinished(() => app.stop())
  const tables = Array.from({ length: 9 }, (_, index) => `${index + 1}`)
  const open = async () => (await app.restaurant({ tables })).name
  const stalled = await open()
  const others = await Promise.all(Array.from({ length: 10 }, open))
  await tap(app, stalled, '1')

  const holder = new Client(url)
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('begin')
  const { rowCount } = await holder.query(
    `select 1 from live_stream where restaurant_id = (select restaurant_id from service_request) for update`,
  )
  expect(rowCount).toBeGreaterThan(0)

  const waiting = tables.map((table) => tap(app, stalled, table))
  const since = performance.now()
  for (const table of tables) await Promise.all(others.map((name) => tap(app, name, table)))
  expect(performance.now() - since).toBeLessThan(soonMs)
  const stored = await app.ctx.db.reader.selectFrom('serviceRequest').select('restaurantId').execute()
  expect(stored.length).toBe(1 + others.length * tables.length)

  await holder.query('commit')
  await Promise.all(waiting)
})
