import { expect, it } from 'vitest'
import { startTestApp } from '../../test/app.ts'
import { type Actor, anonymous } from './core/actor.ts'
import * as analytics from './core/analytics.ts'
import * as restaurants from './core/restaurants.ts'
import { seedDemo } from './seed.ts'

it('has 24 requests today (+12 %), 2.5 minutes on average (-8 %) and 8 active tables', async () => {
  const app = await startTestApp()
  const seeded = await seedDemo(app.ctx)
  const { id } = await restaurants.byName(app.ctx, app.ctx.db.reader, seeded?.restaurantName ?? '')
  const grant = { subjectId: 'owner', authAt: 0, idleUntil: Infinity }
  const owner: Actor = { ...anonymous(), restaurantId: id, grants: new Map([['owner', grant]]) }
  expect(await analytics.overview(app.ctx, owner)).toMatchObject({
    requestsToday: 24,
    requestsChange: 12,
    averageResponseMs: 2.5 * 60_000,
    responseChange: -8,
    activeTables: 8,
  })
  await app.stop()
})
