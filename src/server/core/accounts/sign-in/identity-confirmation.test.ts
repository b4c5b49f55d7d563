import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'

const app = setUpApp()

async function managerOf(restaurant: { name: string }, username: string): Promise<TestBrowser> {
  const browser = app.browser()
  const body = { restaurantName: restaurant.name, username, password: `${username}-lantern-42` }
  await browser.ok(api.managers.login, { body })
  return browser
}

const setCredentials = (by: TestBrowser, username: string, more: object = {}) =>
  by.call(api.managers.setCredentials, { body: { username, password: `${username}-lantern-42`, ...more } })
const confirm = (by: TestBrowser, word: string) =>
  by.call(api.accounts.confirmIdentity, { body: { password: word } })
const deleteCode = (by: TestBrowser) => by.call(api.qr.remove, {})
const stale = { status: 403, body: { code: 'recent_sign_in_required' } }

describe('somebody who signed in a while ago', () => {
  it('counts as recently signed in for another 15 minutes after typing the password', async () => {
    const { owner } = await app.restaurant()
    expect((await deleteCode(owner)).status).toBe(204)
    app.advance(15 * minuteMs + 1)
    expect(await deleteCode(owner)).toMatchObject(stale)
    expect(await owner.ok(api.accounts.identity, {})).toEqual({
      kind: 'owner',
      name: 'owner@example.com',
      recent: false,
      password: true,
      passkey: false,
      provider: false,
    })
    const cookie = owner.cookieHeader
    expect((await confirm(owner, password)).status).toBe(204)
    expect(owner.cookieHeader).toBe(cookie)
    expect(await owner.ok(api.accounts.identity, {})).toMatchObject({ recent: true })
    app.advance(14 * minuteMs)
    expect((await deleteCode(owner)).status).toBe(204)
    app.advance(minuteMs + 1)
    expect(await deleteCode(owner)).toMatchObject(stale)
  })

  it('has five attempts, and stays signed in after a wrong one', async () => {
    const { owner } = await app.restaurant()
    app.advance(20 * minuteMs)
    const refusal = { status: 400, body: { message: 'This password is wrong' } }
    for (let tries = 0; tries < 5; tries++) expect(await confirm(owner, 'not-it')).toMatchObject(refusal)
    expect(await confirm(owner, password)).toMatchObject({ status: 429 })
    expect(await deleteCode(owner)).toMatchObject(stale)
    expect((await owner.call(api.accounts.currentUser, {})).status).toBe(200)
  })

  it('confirms as the manager with the manager’s own password only', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    await setCredentials(restaurant.owner, 'other')
    const manager = await managerOf(restaurant, 'boss')
    app.advance(16 * minuteMs)
    expect(await manager.ok(api.accounts.identity, {})).toMatchObject({ kind: 'manager', name: 'boss' })
    for (const word of [password, 'other-lantern-42']) expect((await confirm(manager, word)).status).toBe(400)
    expect(await setCredentials(manager, 'boss')).toMatchObject(stale)
    expect((await confirm(manager, 'boss-lantern-42')).status).toBe(204)
    expect((await setCredentials(manager, 'boss')).status).toBe(204)
  })
})

describe('a manager', () => {
  it("does not set another manager's password without the owner or the current password", async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    await setCredentials(restaurant.owner, 'victim')
    const [manager, victim] = [await managerOf(restaurant, 'boss'), await managerOf(restaurant, 'victim')]
    const take = { password: 'taken-over-42' }
    for (const meant of ['existing', undefined]) {
      expect(await setCredentials(manager, 'VICTIM', { ...take, meant })).toMatchObject({
        status: 403,
        body: {
          code: 'forbidden',
          message:
            "Only victim and the owner may change this password. Please enter victim's current password.",
        },
      })
    }
    for (let tries = 0; tries < 5; tries++) {
      expect(await setCredentials(manager, 'victim', { ...take, currentPassword: 'a guess' })).toMatchObject({
        status: 403,
        body: { code: 'forbidden', message: "victim's current password is wrong" },
      })
    }
    const known = { ...take, currentPassword: 'victim-lantern-42' }
    expect((await setCredentials(manager, 'victim', known)).status).toBe(429)
    expect((await victim.call(api.managers.currentUser, {})).status).toBe(200)
    app.advance(16 * minuteMs)
    await confirm(manager, 'boss-lantern-42')
    expect((await setCredentials(manager, 'victim', known)).status).toBe(204)
    expect((await victim.call(api.managers.currentUser, {})).status).toBe(401)
  })

  it('does not act as the owner through an old owner login in the same browser', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    await setCredentials(restaurant.owner, 'victim')
    app.advance(16 * minuteMs)
    const body = { username: 'boss', password: 'boss-lantern-42' }
    await restaurant.owner.ok(api.managers.login, { body })
    expect(await setCredentials(restaurant.owner, 'victim', { meant: 'existing' })).toMatchObject(stale)
    await confirm(restaurant.owner, password)
    expect((await setCredentials(restaurant.owner, 'victim', { meant: 'existing' })).status).toBe(204)
  })

  it('appears in the audit log when added or given a new password, without the password', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    await setCredentials(restaurant.owner, 'boss', { meant: 'existing' })
    const restaurantId = await app.idOf(restaurant)
    const entries = await app.ctx.db.reader
      .selectFrom('auditEntry')
      .select(['action', 'detail'])
      .where('restaurantId', '=', restaurantId)
      .execute()
    expect(entries).toEqual([
      { action: 'managers.add', detail: '{"username":"boss"}' },
      { action: 'managers.setPassword', detail: '{"username":"boss"}' },
    ])
    expect(app.lines.join('')).not.toContain('boss-lantern-42')
  })
})
