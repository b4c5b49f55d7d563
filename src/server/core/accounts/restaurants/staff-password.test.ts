import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { uniqueAddress, currentGrants, postFrom } from '../../../../../test/support/restaurants/logins.ts'

const staffPassword = 'brass-ladle-7'

const app = setUpApp({ trustProxy: ['loopback'] })

const set = (owner: TestBrowser, given = staffPassword) =>
  owner.call(api.staffPassword.set, { body: { password: given } })
const logIn = (name: string, given: string, browser = app.browser()) =>
  browser.call(api.accounts.restaurantLogin, { body: { restaurantName: name, password: given } })

it("the staff password works at Restaurant Login beside the owner's password, and nowhere else", async () => {
  const { name, owner } = await app.restaurant()
  expect(await owner.ok(api.staffPassword.state, {})).toEqual({ setAt: null })
  expect((await logIn(name, staffPassword)).status).toBe(401)
  expect((await set(owner)).status).toBe(204)
  expect(await owner.ok(api.staffPassword.state, {})).toEqual({ setAt: expect.any(Number) })

  const tablet = app.browser()
  expect((await logIn(name, staffPassword, tablet)).status).toBe(200)
  expect(await currentGrants(tablet)).toEqual(['device'])
  expect((await logIn(name, password)).status).toBe(200)
  const admin = { body: { username: name, password: staffPassword } }
  expect((await app.browser().call(api.accounts.ownerLogin, admin)).status).toBe(401)
  const manager = { restaurantName: name, username: 'thief', password }
  expect((await tablet.call(api.managers.setup, { body: manager })).status).toBe(403)
})

it("the staff password and the owner's must differ, whichever is set last, and it must not be easy to guess", async () => {
  const { name, owner } = await app.restaurant()
  for (const given of [password, name, 'owner@example.com', '123456', 'short'])
    expect((await set(owner, given)).status).toBe(400)
  await set(owner)
  const body = { password: staffPassword, currentPassword: password }
  expect((await owner.call(api.accounts.setPassword, { body })).status).toBe(400)
})

it('the staff password signs out only the devices that used it when it changes or is removed', async () => {
  const { name, owner, device } = await app.restaurant()
  await set(owner)
  const tablet = app.browser()
  await logIn(name, staffPassword, tablet)
  const screen = await tablet.connect()
  await set(owner, 'another-ladle-8')
  expect(await screen.closed).toBe(4401)
  expect(await currentGrants(tablet)).toEqual([])
  expect((await logIn(name, staffPassword)).status).toBe(401)

  await logIn(name, 'another-ladle-8', tablet)
  await owner.ok(api.staffPassword.remove, {})
  expect([await currentGrants(tablet), await currentGrants(device)]).toEqual([[], ['device']])
  expect((await logIn(name, 'another-ladle-8')).status).toBe(401)
  const done = await app.ctx.db.reader
    .selectFrom('auditEntry')
    .select('action')
    .where('restaurantId', '=', await app.idOf({ name }))
    .orderBy('id')
    .execute()
  expect(done.map(({ action }) => action)).toEqual([
    'staffPassword.set',
    'staffPassword.set',
    'staffPassword.remove',
  ])
})

it('the staff password can be set only shortly after the owner signed in', async () => {
  const { owner } = await app.restaurant()
  app.advance(16 * minuteMs)
  expect((await set(owner)).status).toBe(403)
})

it("the staff password cannot be used to find out the owner's", async () => {
  const { owner } = await app.restaurant()
  const statuses: number[] = []
  for (let tries = 0; tries < 11; tries++) statuses.push((await set(owner, `guess-number-${tries}`)).status)
  expect(statuses.at(-1)).toBe(429)
})

it('the staff password cannot be locked for a device that knew it before, which gains nothing at the owner’s password', async () => {
  const { name, owner } = await app.restaurant()
  await set(owner)
  const tablet = app.browser()
  await logIn(name, staffPassword, tablet)
  const guess = (browser: TestBrowser, given: string) =>
    postFrom(browser, '/api/restaurant-login', { restaurantName: name, password: given })
  for (let tries = 0; tries < 50; tries++) await guess(app.browser(), `guess-number-${tries}`)
  expect((await guess(app.browser(), staffPassword)).status).toBe(429)
  expect((await guess(tablet, staffPassword)).status).toBe(200)
  const admin = await postFrom(tablet, '/api/demo-login', { username: name, password }, uniqueAddress())
  expect(admin.status).toBe(429)
})
