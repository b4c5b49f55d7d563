import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { recountAll } from '../../src/server/backup/recount-all.ts'
import { removeWhatIsTooOld } from '../../src/server/core/retention/retention-run.ts'
import { write } from '../../src/server/core/transaction.ts'
import { startTestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'

it('removes once what two nodes find too old, while guests tap', async () => {
  const { url, drop } = await freshDatabase()
  const nodes = [await startTestApp({ databaseUrl: url }), await startTestApp({ databaseUrl: url })] as const
  const [app] = nodes
  onTestFinished(async () => {
    for (const node of nodes) await node.stop()
    await drop()
  })
  const restaurant = await app.restaurant({ tables: ['1', '2', '3'] })
  const restaurantId = await app.idOf(restaurant)
  const at = app.now() - 50 * dayMs
  await write(app.ctx, async ({ db }) => {
    await sql`insert into service_request (restaurant_id, id, table_number, table_key, service_type, created_at, local_day,
        asks, last_asked_at, seen, level, verified, closed_at, closed_as)
      select ${restaurantId}, 'q' || n, '1', '1', 'drinks', ${at}::bigint, '2026-01-01', 1, ${at}::bigint, 0, 0, 0,
        ${at}::bigint, 'completed' from generate_series(1, 5000) n`.execute(db)
    await sql`insert into request_event (restaurant_id, id, request_id, at, kind, actor_kind)
      select ${restaurantId}, q.id || k.kind, q.id, ${at}::bigint, k.kind, 'system'
      from service_request q, (values ('created'), ('completed')) k(kind)`.execute(db)
  })
  await restaurant.owner.ok(api.retention.set, { body: { requests: 35, messages: null, log: null } })
  const { runAt } = await restaurant.owner.ok(api.retention.state, {})
  for (const node of nodes) node.advance((runAt ?? 0) - node.now())

  const progress = { isOver: false }
  const removal = Promise.all(nodes.map((node) => removeWhatIsTooOld(node.ctx))).finally(() => {
    progress.isOver = true
  })
  let taps = 0
  while (!progress.isOver) {
    const body = { restaurantId: restaurant.name, tableNumber: `${(taps % 3) + 1}`, serviceType: 'drinks' }
    const { status } = await app.browser().send('POST', api.requests.send.path, body)
    expect([200, 201]).toContain(status)
    taps++
  }
  await removal
  expect(taps).toBeGreaterThan(3)
  const removed = nodes.flatMap(({ lines }) =>
    lines
      .filter((line) => line.includes('removed what a restaurant no longer keeps'))
      .map((line) => Number(JSON.parse(line).requests)),
  )
  expect(removed).toEqual([5_000])
  const { requests, differences } = await recountAll(app.ctx.db.reader)
  expect({ requests, differences }).toEqual({ requests: 3, differences: [] })
})
