import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp } from './support/app.ts'
import { assignmentDay } from './support/restaurants/tenants.ts'

const app = setUpApp()

type Line = { security: string; restaurantId: string | null; from: string; who: object; time: string }

/** The lines of the security log from now on. */
function listen(): () => (Line & Record<string, unknown>)[] {
  const from = app.lines.length
  return () =>
    app.lines
      .slice(from)
      .map((line): Line & Record<string, unknown> => JSON.parse(line))
      .filter(({ security }) => security !== undefined)
}

it('records who signed in, who failed to, from where and when', async () => {
  const { name } = await app.restaurant()
  const id = await app.idOf({ name })
  const log = listen()
  const browser = app.browser()
  await browser.call(api.accounts.restaurantLogin, {
    body: { restaurantName: name, password: 'not-this-one' },
  })
  await browser.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
  await browser.send('GET', '/api/logout')
  expect(log()).toMatchObject([
    { security: 'login-failed', from: '127.0.0.1' },
    { security: 'login-succeeded', restaurantId: id, as: 'device' },
    { security: 'grant-revoked', restaurantId: id, who: { device: id }, because: 'signed out' },
  ])
  for (const { time } of log()) expect(new Date(time).toISOString()).toBe(time)
  expect(app.lines.join('')).not.toContain('not-this-one')
})

it('records that password guessing was stopped', async () => {
  const { name } = await app.restaurant()
  const log = listen()
  const guesser = app.browser()
  for (let n = 1; n <= 6; n++)
    await guesser.call(api.accounts.restaurantLogin, {
      body: { restaurantName: name, password: `guess ${n}` },
    })
  expect(log().map(({ security }) => security)).toEqual([
    ...Array.from({ length: 5 }, () => 'login-failed'),
    'login-limited',
    'limit-reached',
  ])
})

it('records forbidden attempts, but not calls without a sign-in', async () => {
  const { device } = await app.restaurant()
  const log = listen()
  await app.browser().call(api.accounts.currentUser, {})
  await device.call(api.crew.list, {})
  await device.fetch('/api/crew', { method: 'POST', headers: { origin: 'https://evil.example' } })
  const socket = await device.connect()
  await socket.request({ type: 'get-team-messages' })
  expect(log()).toMatchObject([
    { security: 'refused-by-right', call: 'GET /api/crew', who: { device: expect.any(String) } },
    { security: 'refused-by-right', call: 'POST /api/crew', who: { device: expect.any(String) } },
    { security: 'refused-by-right', call: 'get-team-messages', who: { device: expect.any(String) } },
  ])
})

it('a flood of refusals writes no flood of lines', async () => {
  const { device } = await app.restaurant()
  app.advance(60_000)
  const log = listen()
  for (let n = 0; n < 30; n++) await device.call(api.crew.list, {})
  expect(log()).toHaveLength(20)
})

it('records exports of data', async () => {
  const { owner } = await app.restaurant()
  app.advance(60_000)
  const log = listen()
  await owner.fetch(`/api/analytics/events.csv?from=${assignmentDay}&to=${assignmentDay}`)
  await owner.fetch('/api/audit-log.csv')
  await owner.fetch('/api/restaurant/export', { method: 'POST' })
  expect(log()).toMatchObject([
    {
      security: 'data-exported',
      what: 'events',
      from: '127.0.0.1',
      since: assignmentDay,
      until: assignmentDay,
    },
    { security: 'data-exported', what: 'audit log' },
    { security: 'data-exported', what: 'restaurant', bytes: expect.any(Number) },
  ])
})
