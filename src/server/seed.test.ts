import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp } from '../../test/support/app.ts'
import { figuresFromCsv } from '../../test/support/reading/figures-from-csv.ts'
import * as restaurants from './core/accounts/restaurants/restaurants.ts'
import { type Actor, anonymousActor, type Grant } from './core/actor.ts'
import * as analytics from './core/analytics/analytics.ts'
import { addDays, localDay } from './core/dates.ts'
import * as qrCodes from './core/floor/qr-codes.ts'
import { write } from './core/transaction.ts'
import { seedDemo } from './seed.ts'
import * as storedRestaurants from './storage/accounts/restaurants.ts'

it('the demo restaurant has its figures and its code, and what it says about the week follows from its events', async () => {
  const app = await startTestApp()
  const { ctx } = app
  const seeded = await seedDemo(app.ctx)
  const { id } = await restaurants.requireByName(app.ctx, app.ctx.db.reader, seeded?.restaurantName ?? '')
  const grant: Grant = {
    subjectId: 'owner',
    restaurantId: id,
    authAt: 0,
    idleUntil: Infinity,
    recent: true,
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
  expect((await qrCodes.mine(ctx, owner)).restaurantId).toBe(seeded?.restaurantName)

  const csvOf = async (range: { from: string; to: string }) => {
    const { chunks } = await analytics.events(ctx, owner, range)
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    return new TextDecoder().decode(Buffer.concat(parts))
  }
  const own = (await restaurants.requireByName(ctx, ctx.db.reader, seeded?.restaurantName ?? '')).timeZone
  const slowest: unknown[] = []
  for (const timeZone of [own, 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Kiritimati']) {
    await write(ctx, ({ db }) => storedRestaurants.setTimeZone(db, id, timeZone))
    const to = addDays(localDay(ctx.now(), timeZone), -1)
    const [range, before] = [
      { from: addDays(to, -27), to },
      { from: addDays(to, -55), to: addDays(to, -28) },
    ]
    const {
      range: _,
      before: __,
      timeZone: ___,
      asOf,
      scope: ____,
      keptFrom,
      firstDay,
      previous,
      ...shown
    } = await analytics.figures(ctx, owner, range)
    const days = Array.from({ length: 28 }, (_, index) => addDays(range.from, index))
    const counted = figuresFromCsv(await csvOf(range), await csvOf(before), { days, now: asOf })
    expect(counted).toEqual({ ...shown, previous: counted.previous })
    expect({ keptFrom, previous, counted: counted.previous.requests }).toEqual({
      keptFrom: null,
      // Its first guests came within these days.
      previous: null,
      counted: 0,
    })
    expect([addDays(to, -13), addDays(to, -12), addDays(to, -14)]).toContain(firstDay)
    slowest.push(shown.pace?.slowest)
  }
  // On its own clock.
  expect(slowest[0]).toMatchObject({
    weekday: expect.toBeOneOf([4, 5]),
    fromHour: expect.toBeOneOf([18, 19, 20]),
  })
  expect(new Set(slowest.map((each) => JSON.stringify(each))).size).toBeGreaterThan(1)
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
