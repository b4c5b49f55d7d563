import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { nameKey } from '#contract/primitives.ts'
import {
  escalateDueRequests,
  escalateUnattended,
} from '../../src/server/core/requests/escalation/escalation.ts'
import { write } from '../../src/server/core/transaction.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import * as mutedTables from '../../src/server/storage/floor/muted-tables.ts'
import { startTestApp, type TestAppOptions } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'

/** A server with open requests of some tables, whose rows another transaction can hold. */
async function startWithRequests(options: TestAppOptions) {
  const { url, drop } = await freshDatabase()
  const app = await startTestApp({ ...options, databaseUrl: url })
  const restaurant = await app.restaurant({ tables: ['1', '2', '3'] })
  const ask = (tableNumber: string) =>
    app.browser().ok(api.requests.send, {
      body: { restaurantId: restaurant.name, tableNumber, serviceType: 'drinks' },
    })
  await ask('1')
  await ask('2')
  const other = await openDatabase(url)
  onTestFinished(async () => {
    await app.stop()
    await other.close()
    await drop()
  })
  const countWaiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(other.reader)
    return rows.length
  }
  const hold = async () => {
    const [isHeld, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holder = other.transact(async (db) => {
      await db.selectFrom('serviceRequest').select('id').forUpdate().execute()
      isHeld.resolve()
      await released.promise
    })
    await isHeld.promise
    return async () => {
      released.resolve()
      await holder
    }
  }
  return { app, restaurant, ask, hold, countWaiting }
}

it('leaves a connection to guests while every step of an alert waits', async () => {
  // So many that each has three connections.
  const { app, restaurant, ask, hold, countWaiting } = await startWithRequests({ workers: 13 })
  const restaurantId = await app.idOf(restaurant)
  await write(app.ctx, ({ db }) => db.updateTable('serviceRequest').set({ level: 0, crew: 'gone' }).execute())
  app.advance(600_000)
  const release = await hold()
  let areDone = false
  const steps = Promise.all([
    escalateDueRequests(app.ctx),
    escalateUnattended(app.ctx, restaurantId),
  ]).finally(() => {
    areDone = true
  })
  await expect.poll(countWaiting).toBeGreaterThan(0)
  await ask('3')
  expect(areDone).toBe(false)
  await release()
  await steps
})

it('sees to other alerts while a step of one waits', async () => {
  const { app, restaurant, hold, countWaiting } = await startWithRequests({ scheduler: 'real' })
  const muted = { restaurantId: await app.idOf(restaurant), tableKey: nameKey('3') }
  const release = await hold()
  app.advance(600_000)
  await expect.poll(countWaiting).toBeGreaterThan(0)
  await write(app.ctx, ({ db }) =>
    mutedTables.put(db, { ...muted, tableNumber: '3', until: app.now() - 1, byId: null, byName: 'Ana' }),
  )
  await expect.poll(() => mutedTables.listExpired(app.ctx.db.reader, app.now())).toEqual([])
  await release()
})

it('takes the due steps of other requests while some are held', async () => {
  const { app, ask, hold } = await startWithRequests({ scheduler: 'real' })
  const release = await hold()
  const { request } = await ask('3')
  app.advance(600_000)
  const level = app.ctx.db.reader.selectFrom('serviceRequest').select('level').where('id', '=', request.id)
  await expect
    .poll(() => level.executeTakeFirst())
    .toMatchObject({ level: expect.toSatisfy((reached: number) => reached > request.level) })
  await release()
})
