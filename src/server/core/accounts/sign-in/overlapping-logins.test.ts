import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp, TestBrowser } from '../../../../../test/support/app.ts'
import { holdPasswords } from '../../../../../test/support/restaurants/held-passwords.ts'
import { holdRequest } from '../../../../../test/support/restaurants/held-request.ts'
import { startTenant, type Tenant } from '../../../../../test/support/restaurants/tenants.ts'
import * as devices from '../../push/subscriptions.ts'
import { write } from '../../transaction.ts'

const app = setUpApp()

let restaurants = 0
const tenant = (): Promise<Tenant> => startTenant(app, `Harbour${++restaurants} House`)

/** All sessions that these cookies open, and how each kind of login's operations answer them. */
async function rightsOf(cookies: Iterable<string>) {
  const all = []
  for (const cookie of new Set(cookies)) {
    const browser = new TestBrowser(() => app.url)
    browser.cookies.set('tsr', cookie)
    const { status, body } = await browser.call(api.accounts.session, {})
    if (status !== 200) continue
    const managers = await browser.call(api.managers.currentUser, {})
    const user = await browser.call(api.accounts.currentUser, {})
    all.push({
      restaurant: body.restaurantName,
      grants: body.grants,
      owns: user.status === 200 ? user.body.restaurantName : null,
      manages: managers.status === 200 ? managers.body.restaurantName : null,
    })
  }
  return all
}

/** A waiter's browser starts a login of its restaurant, signs its owner in to another one, then goes on. */
async function overlap(victim: Tenant, thrown: Tenant) {
  const browser = await victim.enter('crew')
  const waiter = { username: victim.usernames.crew, password }
  const held = await holdRequest(app.url, browser, 'POST', '/api/waiter-login', waiter)
  await browser.ok(api.accounts.ownerLogin, { body: { username: thrown.name, password } })
  const owner = browser.cookies.get('tsr') ?? ''
  const late = await held.finish()
  expect(late.status).toBe(200)
  return [owner, late.cookies.get('tsr') ?? '']
}

describe('logins that overlap in one browser', () => {
  it('never mix the grants of two restaurants', async () => {
    const [victim, thrown] = [await tenant(), await tenant()]
    const cookies = await overlap(victim, thrown)
    const none = { owns: null, manages: null }
    expect(await rightsOf(cookies)).toEqual([
      { restaurant: thrown.name, grants: ['owner'], owns: thrown.name, manages: thrown.name },
      { restaurant: victim.name, grants: ['crew'], ...none },
    ])
  })

  it('leave nothing behind when the waiter is removed and the password changed', async () => {
    const [victim, thrown] = [await tenant(), await tenant()]
    const cookies = await overlap(victim, thrown)
    await victim.owner.ok(api.accounts.setPassword, {
      body: { currentPassword: password, password: 'velvet-harbour-77' },
    })
    await victim.owner.ok(api.crew.remove, { params: { id: victim.member.id } })
    expect((await rightsOf(cookies)).map(({ restaurant }) => restaurant)).toEqual([thrown.name])
  })
})

const newPassword = 'velvet-harbour-77'
type Change = (at: Tenant) => Promise<unknown>

const changePassword: Change = ({ owner }) =>
  owner.ok(api.accounts.setPassword, { body: { currentPassword: password, password: newPassword } })
const changeCrew =
  (body: { password: string } | { username: string }): Change =>
  ({ owner, member }) =>
    owner.ok(api.crew.change, { params: { id: member.id }, body })
const removeCrew: Change = ({ owner, member }) => owner.ok(api.crew.remove, { params: { id: member.id } })
const changeManager: Change = ({ owner, usernames }) =>
  owner.ok(api.managers.setCredentials, { body: { username: usernames.manager, password: newPassword } })
const removeManager: Change = async ({ owner }) => {
  const { managers = [] } = await owner.ok(api.managers.currentUser, {})
  for (const { id } of managers) await owner.ok(api.managers.remove, { params: { id } })
}

it("ignores grants of another restaurant than the session's, for calls and for devices", async () => {
  const [own, other] = [await tenant(), await tenant()]
  const browser = await own.enter('device')
  const keys = { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) }
  const device = { endpoint: 'https://push.example/1', keys, audience: 'crew', crewMemberId: null } as const
  expect(await browser.call(api.push.subscribe, { body: device })).toMatchObject({ status: 201 })
  const { restaurantId } = await app.ctx.db.reader
    .selectFrom('pushSubscription')
    .select('restaurantId')
    .executeTakeFirstOrThrow()
  expect(await devices.listKnown(app.ctx, restaurantId)).toHaveLength(1)
  await write(app.ctx, ({ db }) =>
    db
      .updateTable('sessionGrant')
      .set({ restaurantId: other.id })
      .where('subjectId', '=', restaurantId)
      .execute(),
  )
  expect(await browser.call(api.accounts.session, {})).toMatchObject({ status: 401 })
  expect(await devices.listKnown(app.ctx, restaurantId)).toEqual([])
})

describe('a login whose password is being checked', () => {
  it.for<[who: 'device' | 'owner' | 'crew' | 'manager', what: string, change: Change]>([
    ['device', "the restaurant's password changes", changePassword],
    ['owner', 'the password changes', changePassword],
    ['crew', 'the password changes', changeCrew({ password: newPassword })],
    ['crew', 'the username changes', changeCrew({ username: 'somebody-else' })],
    ['crew', 'the member is removed', removeCrew],
    ['manager', 'the password changes', changeManager],
    ['manager', 'the manager is removed', removeManager],
  ])('of a %s comes to nothing when %s meanwhile', async ([who, , change]) => {
    const at = await tenant()
    const held = holdPasswords(app, 'verify')
    const entering = at.enter(who)
    entering.catch(() => {})
    await held.reached
    await change(at)
    held.release()
    await expect(entering).rejects.toThrow(/401 .*Invalid credentials/u)
  })
})

describe('an operation that hashes a password', () => {
  it('adds no manager for a manager who is removed meanwhile', async () => {
    const at = await tenant()
    const manager = await at.enter('manager')
    const held = holdPasswords(app, 'hash')
    const adding = manager.call(api.managers.setCredentials, {
      body: { username: 'second', password: newPassword, meant: 'new' },
    })
    await held.reached
    await removeManager(at)
    held.release()
    expect(await adding).toMatchObject({ status: 401 })
    expect(await at.owner.ok(api.managers.currentUser, {})).toMatchObject({ managers: [] })
  })

  it('sets up no first manager for a device that is signed out meanwhile', async () => {
    const { name, owner, device } = await app.restaurant()
    const held = holdPasswords(app, 'hash')
    const claiming = device.call(api.managers.setup, {
      body: { restaurantName: name, username: 'first', password: newPassword },
    })
    await held.reached
    await device.fetch('/api/logout')
    held.release()
    expect(await claiming).toMatchObject({ status: 401 })
    expect(await owner.ok(api.managers.currentUser, {})).toMatchObject({ managers: [] })
  })

  it('sets no PIN for a crew member whose login ended meanwhile', async () => {
    const at = await tenant()
    const crew = await at.enter('crew')
    const held = holdPasswords(app, 'hash')
    const setting = crew.call(api.crew.change, { params: { id: at.member.id }, body: { pin: '4711' } })
    await held.reached
    await crew.fetch('/api/logout')
    held.release()
    expect(await setting).toMatchObject({ status: 401 })
    expect(await at.owner.ok(api.crew.details, { params: { id: at.member.id } })).toMatchObject({
      hasPin: false,
    })
  })
})
