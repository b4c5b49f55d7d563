import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { createRestaurant } from '../../src/server/core/accounts/restaurants/restaurant-creation.ts'
import { eraseDueRestaurants } from '../../src/server/core/accounts/restaurants/restaurant-endings.ts'
import { write } from '../../src/server/core/transaction.ts'
import { password, startTestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'

it('an owner who adds a restaurant while their only one is erased keeps their account', async () => {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const app = await startTestApp({ databaseUrl: url })
  onTestFinished(() => app.stop())
  const { name, owner } = await app.restaurant()
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  const added = await write(app.ctx, ({ db }) => createRestaurant(app.ctx, db, 'Hilltop', 'UTC'))
  app.advance(30 * dayMs)

  const adding = new Client(url)
  await adding.connect()
  onTestFinished(() => adding.end())
  await adding.query('begin')
  await adding.query('update owner set email = email')
  await adding.query(
    'insert into membership (owner_id, restaurant_id, added_at) select id, $1, $2 from owner',
    [added, app.now()],
  )
  const erasure = eraseDueRestaurants(app.ctx)
  const countWaiting = async () =>
    (await adding.query('select 1 from pg_stat_activity where wait_event_type = $1', ['Lock'])).rowCount
  await expect.poll(countWaiting).toBe(1)
  await adding.query('commit')
  await erasure

  const back = app.browser()
  await back.ok(api.accounts.ownerLogin, { body: { username: 'owner@example.com', password } })
  expect(await back.ok(api.ownRestaurants.list, {})).toMatchObject([{ restaurantName: 'Hilltop' }])
})
