import { describe, expect, it } from 'vitest'
import { maxOwnRestaurants } from '#contract/accounts/own-restaurants.ts'
import { api } from '#contract/api.ts'
import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import { closeCodes } from '#contract/live.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { holdPasswords } from '../../../../../test/support/restaurants/held-passwords.ts'
import { currentGrants, postFrom, signInNewOwner } from '../../../../../test/support/restaurants/logins.ts'
import { SoftwareAuthenticator } from '../../../../../test/support/restaurants/software-authenticator.ts'
import * as memberships from '../../../storage/accounts/memberships.ts'
import { removeExpiredData } from '../../retention/retention.ts'
import { write } from '../../transaction.ts'
import * as resetLink from '../recovery/reset-link.ts'
import { eraseNamed } from './erasure.ts'
import { createRestaurant } from './restaurant-creation.ts'

const app = setUpApp({ trustProxy: ['loopback'], tryDemo: true })
const newPassword = 'velvet-harbour-77'

let count = 0
/** An owner with two restaurants, signed in to the first. */
async function ownerOfTwo() {
  const n = ++count
  const [email, first, second] = [`owner${n}@example.com`, `Harbour ${n}`, `Hilltop ${n}`]
  const owner = app.browser()
  await app.forgetNewNames()
  await owner.ok(api.accounts.signUp, {
    body: { restaurantName: first, email, password, timeZone: 'UTC' },
  })
  const { id } = await owner.ok(api.ownRestaurants.add, {
    body: { restaurantName: second, timeZone: 'Europe/Berlin' },
  })
  return { owner, email, first, second, firstId: await app.idOf({ name: first }), secondId: id }
}

const switchTo = (owner: TestBrowser, id: string) =>
  owner.call(api.ownRestaurants.switchTo, { params: { id } })
const whereIs = async (browser: TestBrowser): Promise<string | null> => {
  const { status, body } = await browser.call(api.accounts.currentUser, {})
  return status === 200 ? body.restaurantName : null
}
async function signIn(username: string, given: { password?: string; restaurantName?: string } = {}) {
  const browser = app.browser()
  const answer = await postFrom(browser, '/api/demo-login', { username, password, ...given })
  return { browser, ...answer }
}
async function deviceOf(restaurantName: string, secret = password) {
  const device = app.browser()
  const answer = await postFrom(device, '/api/restaurant-login', { restaurantName, password: secret })
  return { device, status: answer.status }
}
/** The same browser as before its last answer arrived. */
function copyOf(browser: TestBrowser): TestBrowser {
  return browser.sentTo(app)
}
const auditOf = async (owner: TestBrowser) =>
  (await owner.ok(api.audit.list, {})).entries.map(({ action, detail, actorKind }) => ({
    action,
    detail,
    actorKind,
  }))

describe('adding a restaurant', () => {
  it('makes one of the same account, and leaves the browser where it is', async () => {
    const { owner, email, first, second, firstId, secondId } = await ownerOfTwo()
    expect(await owner.ok(api.ownRestaurants.list, {})).toEqual([
      { id: firstId, restaurantName: first, isCurrent: true, isDeleted: false },
      { id: secondId, restaurantName: second, isCurrent: false, isDeleted: false },
    ])
    expect(await whereIs(owner)).toBe(first)
    expect(await currentGrants(owner)).toEqual(['device', 'owner'])
    await switchTo(owner, secondId)
    expect(await owner.ok(api.accounts.currentUser, {})).toEqual({
      restaurantName: second,
      email,
      subscriptionStatus: 'inactive',
      ownsSeveral: true,
    })
    expect(await owner.ok(api.floor.hostStand, {})).toMatchObject({ tableNumber: 'Host Stand' })
    expect(await owner.ok(api.restaurant.settings, {})).toMatchObject({ timeZone: 'Europe/Berlin' })
    expect(await auditOf(owner)).toContainEqual({
      action: 'ownRestaurants.add',
      detail: { name: second },
      actorKind: 'owner',
    })
  })

  it('refuses names that are taken, reserved or invalid', async () => {
    const { owner, first } = await ownerOfTwo()
    for (const [restaurantName, status] of [
      [first, 409],
      ['default', 409],
      ['', 400],
      [`x${String.fromCodePoint(0x202e)}y`, 400],
      ['x'.repeat(81), 400],
    ] as const)
      expect(await owner.call(api.ownRestaurants.add, { body: { restaurantName } })).toMatchObject({ status })
    for (const body of [null, [], 'x', { restaurantName: 7 }])
      expect((await owner.send('POST', '/api/restaurants', body)).status).toBe(400)
    expect(await owner.ok(api.ownRestaurants.list, {})).toHaveLength(2)
  })

  it('gives one account as many as the limit, even of two at once', async () => {
    const { owner, firstId } = await ownerOfTwo()
    const { id: ownerId } = await app.ctx.db.reader
      .selectFrom('owner')
      .select('id')
      .where('restaurantId', '=', firstId)
      .executeTakeFirstOrThrow()
    await write(app.ctx, async ({ db }) => {
      for (let more = 2; more < maxOwnRestaurants - 1; more++) {
        const restaurantId = await createRestaurant(app.ctx, db, `More ${more}`, 'UTC')
        await memberships.insert(db, { ownerId, restaurantId, addedAt: app.now() })
      }
    })
    await app.forgetNewNames()
    const answers = await Promise.all(
      ['One Too', 'Many Now'].map((restaurantName) =>
        owner.call(api.ownRestaurants.add, { body: { restaurantName } }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect(await owner.ok(api.ownRestaurants.list, {})).toHaveLength(maxOwnRestaurants)
  })

  it('is not for visitors of the demo, nor before onboarding', async () => {
    const visitor = app.browser()
    await app.forgetNewNames()
    await visitor.ok(api.accounts.tryDemo, { body: {} })
    expect(
      await visitor.call(api.ownRestaurants.add, { body: { restaurantName: 'A Lasting Place' } }),
    ).toMatchObject({ status: 409 })
    const newcomer = await signInNewOwner(app)
    expect(await newcomer.ok(api.ownRestaurants.list, {})).toEqual([])
    expect(
      await newcomer.call(api.ownRestaurants.add, { body: { restaurantName: 'Before The First' } }),
    ).toMatchObject({ status: 409 })
  })
})

describe('switching', () => {
  it('starts a new session there, ends the old one with its sockets, and tells both audit logs', async () => {
    const { owner, first, second, firstId, secondId } = await ownerOfTwo()
    const before = copyOf(owner)
    const screen = await owner.connect()
    await screen.request({ type: 'set-restaurant-context', restaurantId: first })
    expect(await switchTo(owner, secondId)).toMatchObject({ status: 200, body: { restaurantName: second } })
    expect(await screen.closed).toBe(closeCodes.signedOut)
    expect(await whereIs(before)).toBeNull()
    expect((await before.call(api.accounts.session, {})).status).toBe(401)
    expect(await owner.ok(api.accounts.session, {})).toEqual({
      restaurantName: second,
      grants: ['owner'],
      crewMember: null,
    })
    expect(await auditOf(owner)).toContainEqual({
      action: 'ownRestaurants.enter',
      detail: { from: first },
      actorKind: 'owner',
    })
    expect((await switchTo(owner, firstId)).status).toBe(200)
    expect(await auditOf(owner)).toEqual(
      expect.arrayContaining([
        { action: 'ownRestaurants.leave', detail: { to: second }, actorKind: 'owner' },
        { action: 'ownRestaurants.enter', detail: { from: second }, actorKind: 'owner' },
      ]),
    )
    const events = app.lines.filter((line) => line.includes('switched restaurant')).join('')
    expect(events).toContain('"security":"grant-revoked"')
    expect(events).toContain('"security":"login-succeeded"')
    expect(events).toContain(`"restaurantId":"${secondId}"`)
  })

  it('carries over neither a recent sign-in nor a longer life', async () => {
    const { owner, second, firstId, secondId } = await ownerOfTwo()
    await switchTo(owner, secondId)
    const remove = () => owner.call(api.restaurant.remove, { body: { restaurantName: 'Not its name' } })
    expect(await remove()).toMatchObject({ status: 403, body: { code: 'recent_sign_in_required' } })
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    expect((await remove()).status).toBe(400)
    // Twelve hours after the password was typed, whatever happened since.
    for (let hour = 1; hour < 12; hour++) {
      app.advance(hourMs)
      expect(await switchTo(owner, hour % 2 === 1 ? firstId : secondId)).toMatchObject({ status: 200 })
    }
    expect(await whereIs(owner)).not.toBe(second)
    app.advance(hourMs)
    expect((await switchTo(owner, secondId)).status).toBe(401)
  })

  it('leads only to one’s own restaurants, and refuses anything else', async () => {
    const { owner, firstId } = await ownerOfTwo()
    const foreign = await ownerOfTwo()
    const before = copyOf(owner)
    for (const id of [foreign.firstId, foreign.secondId, 'no-such', 'x'.repeat(64)])
      expect(await switchTo(owner, id)).toMatchObject({
        status: 404,
        body: { message: 'Restaurant not found' },
      })
    for (const id of ['x'.repeat(65), '%00', "'; drop table owner", '..%2f..'])
      expect([400, 404]).toContain((await owner.send('POST', `/api/restaurants/${id}/switch`)).status)
    expect(await switchTo(owner, firstId)).toMatchObject({
      status: 409,
      body: { message: 'You are in this restaurant already' },
    })
    expect(await whereIs(before)).not.toBeNull()
  })

  it('of two at once lets one through, and leaves one session', async () => {
    for (let round = 0; round < 5; round++) {
      const { owner, firstId, secondId } = await ownerOfTwo()
      const tabs = [copyOf(owner), copyOf(owner)]
      const answers = await Promise.all(tabs.map((tab) => switchTo(tab, secondId)))
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
      const sessions = await app.ctx.db.reader
        .selectFrom('session')
        .select('restaurantId')
        .where('restaurantId', 'in', [firstId, secondId])
        .execute()
      expect(sessions).toEqual([{ restaurantId: secondId }])
    }
  })

  it('while the restaurant is erased reaches it or finds none', async () => {
    for (let round = 0; round < 5; round++) {
      const { owner, first, second, secondId } = await ownerOfTwo()
      const [{ status }, erased] = await Promise.all([switchTo(owner, secondId), eraseNamed(app.ctx, second)])
      expect([200, 404]).toContain(status)
      expect(erased.kind).toBe('erased')
      expect(await whereIs(owner)).toBe(status === 404 ? first : null)
      const { browser } = await signIn(first)
      expect(await browser.ok(api.ownRestaurants.list, {})).toHaveLength(1)
    }
  })

  it('while the password changes leaves nothing signed in', async () => {
    for (let round = 0; round < 8; round++) {
      const { owner, first, secondId } = await ownerOfTwo()
      const { browser: other } = await signIn(first)
      const held = holdPasswords(app, 'hash')
      const change = owner.call(api.accounts.setPassword, {
        body: { currentPassword: password, password: newPassword },
      })
      await held.reached
      const switching = switchTo(other, secondId)
      held.release()
      const [{ status }, changed] = await Promise.all([switching, change])
      expect(changed.status).toBe(204)
      expect([200, 401]).toContain(status)
      expect(await whereIs(other)).toBeNull()
    }
  })

  it('while other browsers are signed out leaves none of them signed in', async () => {
    for (let round = 0; round < 8; round++) {
      const { owner, first, secondId } = await ownerOfTwo()
      const { browser: other } = await signIn(first)
      await Promise.all([switchTo(other, secondId), owner.ok(api.sessions.signOutOthers, {})])
      expect(await whereIs(other)).toBeNull()
      expect(await whereIs(owner)).toBe(first)
    }
  })
})

describe('a glance at each restaurant', () => {
  const glance = (owner: TestBrowser, id: string) => owner.call(api.ownRestaurants.glance, { params: { id } })
  const quiet = { waiting: 0, waitingSince: null, listening: false, requestsToday: 0 }

  it('is asked of one, from wherever the owner is', async () => {
    const { owner, second, firstId, secondId } = await ownerOfTwo()
    expect((await glance(owner, firstId)).body).toEqual(quiet)
    await switchTo(owner, secondId)
    await owner.ok(api.floor.addTable, { body: { tableNumber: '7' } })
    await switchTo(owner, firstId)
    const { device } = await deviceOf(second)
    const screen = await device.connect()
    await screen.request({ type: 'listening', sound: true, push: false, visible: true })
    const ask = (serviceType: 'check' | 'drinks') =>
      app.browser().ok(api.requests.send, {
        body: { id: app.ctx.newId(), restaurantId: second, tableNumber: '7', serviceType },
      })
    const { request } = await ask('check')
    await ask('drinks')
    await expect
      .poll(async () => (await glance(owner, secondId)).body)
      .toEqual({
        waiting: 2,
        waitingSince: request.timestamp,
        listening: true,
        requestsToday: 2,
      })
    await screen.request({ type: 'accept-request', id: request.id })
    expect((await glance(owner, secondId)).body).toMatchObject({ waiting: 1, requestsToday: 2 })
    expect((await glance(owner, firstId)).body).toEqual(quiet)
  })

  it('is given to the owner alone', async () => {
    const { owner, first, firstId, secondId } = await ownerOfTwo()
    const foreign = await ownerOfTwo()
    expect((await glance(owner, foreign.secondId)).status).toBe(404)
    expect((await glance(app.browser(), secondId)).status).toBe(401)
    const { device } = await deviceOf(first)
    expect((await glance(device, firstId)).status).toBe(403)
  })
})

describe('the account', () => {
  it('opens the restaurant that is named at the login, else its home', async () => {
    const { email, first, second } = await ownerOfTwo()
    expect(await whereIs((await signIn(email)).browser)).toBe(first)
    expect(await whereIs((await signIn(second)).browser)).toBe(second)
    expect(await whereIs((await signIn(email, { restaurantName: second })).browser)).toBe(second)
    expect((await signIn(second, { password: 'not-the-one' })).status).toBe(401)
    const { device, status } = await deviceOf(second)
    expect(status).toBe(200)
    expect(await device.ok(api.accounts.session, {})).toMatchObject({ restaurantName: second })
  })

  it('is asked which, among all restaurants of the accounts of one address', async () => {
    const { email, first, second } = await ownerOfTwo()
    const third = `${first} again`
    await app.forgetNewNames()
    await app.browser().ok(api.accounts.signUp, { body: { restaurantName: third, email, password } })
    expect(await signIn(email)).toMatchObject({
      status: 401,
      body: { code: 'restaurant_required', restaurants: [first, third, second] },
    })
    for (const restaurantName of [first, second, third])
      expect(await whereIs((await signIn(email, { restaurantName })).browser)).toBe(restaurantName)
  })

  it('has one password: changing it signs out everywhere', async () => {
    const { owner, email, first, second, secondId } = await ownerOfTwo()
    const others = [
      (await deviceOf(first)).device,
      (await deviceOf(second)).device,
      (await signIn(first)).browser,
      (await signIn(second)).browser,
    ]
    await switchTo(owner, secondId)
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    const { link } = await owner.ok(api.devices.createCode, {})
    await owner.ok(api.accounts.setPassword, {
      body: { currentPassword: password, password: newPassword },
    })
    for (const other of others) expect(await currentGrants(other)).toEqual([])
    expect(await whereIs(owner)).toBe(second)
    const token = link.split('#')[1] ?? ''
    expect((await app.browser().call(api.devices.linkLogin, { body: { token } })).status).toBe(404)
    expect((await signIn(email)).status).toBe(401)
    expect((await deviceOf(first, newPassword)).status).toBe(200)
    expect((await deviceOf(second, newPassword)).status).toBe(200)
  })

  it('takes no password that is the staff password or the name of any of them', async () => {
    const { owner, first, secondId } = await ownerOfTwo()
    const staffPassword = 'staff-lantern-43'
    await owner.ok(api.staffPassword.set, { body: { password: staffPassword } })
    await switchTo(owner, secondId)
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    for (const wrong of [staffPassword, first])
      expect(
        await owner.call(api.accounts.setPassword, {
          body: { currentPassword: password, password: wrong },
        }),
      ).toMatchObject({ status: 400 })
  })

  it('sees and ends its sign-ins in all of them', async () => {
    const { owner, first, second } = await ownerOfTwo()
    const [here, there] = [(await signIn(first)).browser, (await signIn(second)).browser]
    expect(await there.ok(api.sessions.list, {})).toHaveLength(3)
    await there.ok(api.sessions.signOutOthers, {})
    expect([await whereIs(owner), await whereIs(here), await whereIs(there)]).toEqual([null, null, second])
  })

  it('has the same passkeys, authenticator app and recovery codes in all of them', async () => {
    const { owner, email, first, second, firstId, secondId } = await ownerOfTwo()
    await switchTo(owner, secondId)
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    const authenticator = new SoftwareAuthenticator(app.ctx.settings.publicUrl)
    const credential = authenticator.create(await owner.ok(api.passkeys.setUp, {}))
    await owner.ok(api.passkeys.add, { body: { name: 'Phone', credential } })
    const { codes } = await owner.ok(api.recovery.renewCodes, {})
    expect((await owner.ok(api.recovery.notices, {})).map(({ kind }) => kind)).toEqual([])
    app.advance(16 * minuteMs)
    const challenge = await owner.ok(api.accounts.confirmationChallenge, {})
    await owner.ok(api.accounts.confirmIdentity, { body: { passkey: authenticator.get(challenge) } })
    expect(await owner.ok(api.accounts.identity, {})).toMatchObject({ recent: true })
    await switchTo(owner, firstId)
    expect((await owner.ok(api.passkeys.list, {})).passkeys).toMatchObject([{ name: 'Phone' }])
    expect((await owner.ok(api.recovery.codes, {})).left).toBe(codes.length)
    expect((await owner.ok(api.recovery.notices, {})).map(({ kind }) => kind)).toEqual([])

    const browser = app.browser()
    const assertion = authenticator.get(await browser.ok(api.passkeys.challenge, {}))
    await browser.ok(api.passkeys.login, { body: { credential: assertion } })
    expect(await whereIs(browser)).toBe(first)
    const [code = ''] = codes
    const recovery = { restaurantName: second, code, password: newPassword }
    expect((await postFrom(app.browser(), '/api/forgot-password', recovery)).status).toBe(204)
    expect(await whereIs(owner)).toBeNull()
    expect(await whereIs((await signIn(email, { password: newPassword })).browser)).toBe(first)
  })
})

describe('a link of the operator', () => {
  it('is made by the name of any of them, and sets the one password', async () => {
    const { email, first, second } = await ownerOfTwo()
    for (const [name, secret] of [
      [second, newPassword],
      [email, 'quiet-lantern-91'],
    ] as const) {
      const made = await resetLink.create(app.ctx, app.url, name)
      if (made.kind !== 'made') throw new Error(made.kind)
      expect(made.restaurantName).toBe(name === email ? first : second)
      const token = made.link.split('#')[1] ?? ''
      const reset = await postFrom(app.browser(), '/api/reset-password', { token, password: secret })
      expect(reset.status).toBe(204)
      expect(await whereIs((await signIn(second, { password: secret })).browser)).toBe(second)
    }
  })
})

describe('deleting one of them', () => {
  const deleteHere = async (owner: TestBrowser, restaurantName: string) => {
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    await owner.ok(api.restaurant.remove, { body: { restaurantName } })
  }
  const erase = async () => {
    app.advance(30 * dayMs + minuteMs)
    await removeExpiredData(app.ctx)
  }

  it('leaves the others open, and hands what proves the owner to one of them', async () => {
    const { owner, email, first, second, secondId } = await ownerOfTwo()
    const authenticator = new SoftwareAuthenticator(app.ctx.settings.publicUrl)
    const credential = authenticator.create(await owner.ok(api.passkeys.setUp, {}))
    await owner.ok(api.passkeys.add, { body: { name: 'Phone', credential } })
    const { codes } = await owner.ok(api.recovery.renewCodes, {})
    await deleteHere(owner, first)
    const { browser } = await signIn(email)
    expect(await whereIs(browser)).toBe(first)
    expect(await browser.ok(api.ownRestaurants.list, {})).toMatchObject([
      { restaurantName: first, isDeleted: true },
      { restaurantName: second, isDeleted: false },
    ])
    expect((await switchTo(browser, secondId)).status).toBe(200)
    await erase()
    const later = (await signIn(email)).browser
    expect(await later.ok(api.ownRestaurants.list, {})).toEqual([
      { id: secondId, restaurantName: second, isCurrent: true, isDeleted: false },
    ])
    expect((await later.ok(api.passkeys.list, {})).passkeys).toMatchObject([{ name: 'Phone' }])
    const fresh = app.browser()
    const assertion = authenticator.get(await fresh.ok(api.passkeys.challenge, {}))
    await fresh.ok(api.passkeys.login, { body: { credential: assertion } })
    expect(await whereIs(fresh)).toBe(second)
    const [code = ''] = codes
    const recovery = { restaurantName: second, code, password: newPassword }
    expect((await postFrom(app.browser(), '/api/forgot-password', recovery)).status).toBe(204)
  })

  it('that is not the home ends with it, and can be restored from it until then', async () => {
    const { owner, first, second, firstId, secondId } = await ownerOfTwo()
    await switchTo(owner, secondId)
    await deleteHere(owner, second)
    await switchTo(owner, firstId)
    await switchTo(owner, secondId)
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    expect(await owner.ok(api.restaurant.restore, {})).toEqual({ eraseAt: null })
    await deleteHere(owner, second)
    await switchTo(owner, firstId)
    await erase()
    const { browser } = await signIn(first)
    expect(await browser.ok(api.ownRestaurants.list, {})).toMatchObject([{ restaurantName: first }])
    // Its name is free again.
    await app.forgetNewNames()
    await browser.ok(api.ownRestaurants.add, { body: { restaurantName: second } })
  })

  it('by the operator says truly which rows went', async () => {
    const { first, second } = await ownerOfTwo()
    const erased = await eraseNamed(app.ctx, first)
    expect(erased.kind === 'erased' && 'owner' in erased.rows).toBe(false)
    expect(await whereIs((await signIn(second)).browser)).toBe(second)
    const last = await eraseNamed(app.ctx, second)
    expect(last).toMatchObject({ kind: 'erased', rows: { owner: 1 } })
    expect((await signIn(second)).status).toBe(401)
  })
})
