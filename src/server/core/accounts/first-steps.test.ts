import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { smallPng } from '../../../../test/support/reading/qr-reader.ts'
import { subscribeInSandbox } from '../../../../test/support/stripe/sandbox-subscription.ts'

const app = setUpApp()

it('ticks each step as it is done, until the first request is answered', async () => {
  const { name, owner, device } = await app.restaurant()
  const steps = async () => (await owner.ok(api.firstSteps.list, {})).steps
  expect(await steps()).toMatchObject({ done: [], tables: 0, crew: 0, assigned: 0, table: null })

  const tables = await owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount: 3 } })
  expect(await steps()).toMatchObject({ done: ['tables'], tables: 3, table: '1' })
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const { day } = (await steps()) ?? { day: '' }
  const assignments = tables.slice(1).map(({ id }) => ({ tableId: id, crewMemberId: maya.id }))
  await owner.ok(api.floor.assign, { body: { date: day, assignments } })
  expect(await steps()).toMatchObject({ done: ['tables', 'crew', 'assignments'], assigned: 2, table: '2' })

  await subscribeInSandbox(app, owner)
  await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
  const id = app.ctx.newId()
  await app.browser().ok(api.requests.send, {
    body: { id, restaurantId: name, tableNumber: '2', serviceType: 'general' },
  })
  const beforeTheAnswer = ['tables', 'crew', 'assignments', 'plan', 'codes']
  expect((await steps())?.done).toEqual(beforeTheAnswer)
  const screen = await device.connect()
  await screen.request({ type: 'accept-request', id })
  expect((await steps())?.done).toEqual([...beforeTheAnswer, 'request'])
})

it('first steps are finished for good, and only for this restaurant', async () => {
  const [first, second] = [await app.restaurant(), await app.restaurant()]
  for (let times = 0; times < 2; times += 1) await first.owner.ok(api.firstSteps.finish, {})
  expect(await first.owner.ok(api.firstSteps.list, {})).toEqual({ steps: null })
  expect((await second.owner.ok(api.firstSteps.list, {})).steps).not.toBeNull()
})

it('first steps do not count the day before', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const [table] = await owner.ok(api.floor.tables, {})
  const assignments = [{ tableId: table?.id ?? '', crewMemberId: maya.id }]
  await owner.ok(api.floor.assign, { body: { date: '2026-01-01', assignments } })
  expect((await owner.ok(api.firstSteps.list, {})).steps?.done).toEqual(['tables', 'crew'])
})
