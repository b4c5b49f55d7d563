import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp } from '../../test/support/app.ts'
import { type Actor, anonymousActor, type Grant } from './core/actor.ts'
import * as analytics from './core/analytics/analytics.ts'
import * as restaurants from './core/accounts/restaurants.ts'
import { seedDemo } from './seed.ts'

it('has 24 requests today (+12 %), 2.5 minutes on average (-8 %) and 8 active tables', async () => {
  const app = await startTestApp()
  const seeded = await seedDemo(app.ctx)
  const { id } = await restaurants.requireByName(app.ctx, app.ctx.db.reader, seeded?.restaurantName ?? '')
  const grant: Grant = {
    subjectId: 'owner',
    restaurantId: id,
    authAt: 0,
    idleUntil: Infinity,
    recent: false,
    via: 'password',
  }
  const owner: Actor = { ...anonymousActor(), restaurantId: id, grants: new Map([['owner', grant]]) }
  expect(await analytics.overview(app.ctx, owner)).toMatchObject({
    requestsToday: 24,
    requestsChange: 12,
    averageResponseMs: 2.5 * 60_000,
    responseChange: -8,
    activeTables: 8,
  })
  await app.stop()
})

it('signs a browser in with the printed crew link, but asks first when it comes from another site', async () => {
  const app = await startTestApp()
  const seeded = await seedDemo(app.ctx)
  const link = `/api/demo-crew/${seeded?.crewKey ?? ''}`
  const browser = app.browser()
  const led = await browser.fetch(link, { headers: { 'sec-fetch-site': 'cross-site' } })
  expect([led.status, await led.text()]).toEqual([200, expect.stringContaining('Open the demo restaurant?')])
  expect((await browser.fetch('/api/session')).status).toBe(401)
  const typed = await browser.fetch(link, { headers: { 'sec-fetch-site': 'none' } })
  expect([typed.status, typed.headers.get('location')]).toEqual([302, '/waiter'])
  expect(await browser.ok(api.accounts.session, {})).toMatchObject({
    restaurantName: seeded?.restaurantName,
    grants: ['device'],
  })
  await app.stop()
})
