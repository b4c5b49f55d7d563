import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { signInNewOwner } from '../../../../../test/support/restaurants/logins.ts'
import { SoftwareAuthenticator } from '../../../../../test/support/restaurants/software-authenticator.ts'
import { removeExpiredData } from '../../retention/retention.ts'
import * as resetLink from '../recovery/reset-link.ts'
import { passkeyHost } from './passkey-site.ts'

const app = setUpApp({ trustProxy: ['loopback'] })

const { passkeys } = api

const newAuthenticator = () => new SoftwareAuthenticator(app.ctx.settings.publicUrl)

async function addPasskey(browser: TestBrowser, name = 'Phone') {
  const authenticator = newAuthenticator()
  const credential = authenticator.create(await browser.ok(passkeys.setUp, {}))
  const passkey = await browser.ok(passkeys.add, { body: { name, credential } })
  return { authenticator, passkey }
}

type Flaws = Parameters<SoftwareAuthenticator['get']>[1]

async function signIn(authenticator: SoftwareAuthenticator, flaws: Flaws = {}, browser = app.browser()) {
  const credential = authenticator.get(await browser.ok(passkeys.challenge, {}), flaws)
  return browser.call(passkeys.login, { body: { credential } })
}

async function manager({ name, owner }: { name: string; owner: TestBrowser }) {
  const login = { restaurantName: name, username: 'boss', password }
  await owner.ok(api.managers.setCredentials, { body: login })
  const browser = app.browser()
  await browser.ok(api.managers.login, { body: login })
  return browser
}

const refused = { status: 401, body: { code: 'unauthenticated' } }
const late = { status: 400, body: { message: 'This took too long, or was done already. Please try again.' } }

describe('a passkey', () => {
  it('signs its owner in without a password or a code', async () => {
    const { name, owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner, 'My phone')
    const browser = app.browser()
    expect(await signIn(authenticator, {}, browser)).toMatchObject({
      status: 200,
      body: { restaurantName: name, as: 'owner' },
    })
    expect(await browser.ok(api.accounts.session, {})).toMatchObject({
      restaurantName: name,
      grants: ['owner'],
    })
    expect(browser.cookies.has('tsr_d')).toBe(true)
    expect(await owner.ok(passkeys.list, {})).toMatchObject({
      unavailable: null,
      passkeys: [{ name: 'My phone', lastUsedAt: expect.any(Number) }],
    })
    expect(app.lines.join('')).toContain('"via":"passkey"')
    expect(await owner.ok(api.audit.list, {})).toMatchObject({
      entries: [{ action: 'passkeys.add', detail: { name: 'My phone', of: 'owner@example.com' } }],
    })
  })

  it("signs in that manager only, and goes with the manager's login", async () => {
    const restaurant = await app.restaurant()
    const managerBrowser = await manager(restaurant)
    const { authenticator } = await addPasskey(managerBrowser)
    const browser = app.browser()
    expect(await signIn(authenticator, {}, browser)).toMatchObject({ status: 200, body: { as: 'manager' } })
    expect((await browser.ok(api.accounts.session, {})).grants).toEqual(['manager'])
    const { managers = [] } = await restaurant.owner.ok(api.managers.currentUser, {})
    await restaurant.owner.ok(api.managers.remove, { params: { id: managers[0]?.id ?? '' } })
    expect(await signIn(authenticator)).toMatchObject(refused)
    const left = await app.ctx.db.reader.selectFrom('passkey').select('kind').execute()
    expect(left).not.toContainEqual({ kind: 'manager' })
  })

  it.each<[string, Flaws]>([
    ['another origin', { origin: 'https://tableside.example' }],
    ['another host', { rpId: 'tableside.example' }],
    ['nobody who showed who they are', { unverified: true }],
    ['another challenge', { challenge: 'x'.repeat(32) }],
    ['somebody else', { userHandle: 'c29tZWJvZHk' }],
  ])('is refused when it signed for %s', async (_, flaws) => {
    const { owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner)
    expect(await signIn(authenticator, flaws)).toMatchObject(refused)
    expect((await signIn(authenticator)).status).toBe(200)
  })

  it('that nobody added is refused', async () => {
    expect(await signIn(newAuthenticator())).toMatchObject(refused)
  })

  it('cannot be imitated by another key with the same id', async () => {
    const { owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner)
    const { id, userHandle } = authenticator
    const copy = Object.assign(newAuthenticator(), { id, userHandle })
    expect(await signIn(copy)).toMatchObject(refused)
    const { owner: other } = await app.restaurant()
    const credential = copy.create(await other.ok(passkeys.setUp, {}))
    expect(await other.call(passkeys.add, { body: { name: 'Copy', credential } })).toMatchObject({
      status: 409,
    })
  })

  it('whose counter goes back is refused, and that is logged', async () => {
    const { owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner)
    expect((await signIn(authenticator, { counter: 7 })).status).toBe(200)
    for (const counter of [7, 6, 0]) expect(await signIn(authenticator, { counter })).toMatchObject(refused)
    expect(app.lines.join('')).toContain('passkey counter went back')
    expect((await signIn(authenticator, { counter: 8 })).status).toBe(200)
  })

  it('without a counter can sign in repeatedly', async () => {
    const { owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner)
    for (let times = 0; times < 2; times++)
      expect((await signIn(authenticator, { counter: 0 })).status).toBe(200)
  })

  it('still signs in after guesses from elsewhere', async () => {
    const { owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner)
    const own = app.browser()
    expect((await signIn(authenticator, {}, own)).status).toBe(200)
    for (let tries = 0; tries < 5; tries++)
      expect(await signIn(authenticator, { unverified: true })).toMatchObject(refused)
    expect((await signIn(authenticator)).status).toBe(429)
    expect((await signIn(authenticator, {}, own)).status).toBe(200)
  })
})

describe('a new password', () => {
  it("removes the owner's passkeys when set by the operator's link, but not by a recovery code", async () => {
    const { name, owner } = await app.restaurant()
    const { codes } = await owner.ok(api.recovery.renewCodes, {})
    const { authenticator } = await addPasskey(owner)
    await app.browser().ok(api.recovery.byCode, {
      body: { restaurantName: name, code: codes[0] ?? '', password: 'velvet-harbour-77' },
    })
    expect((await signIn(authenticator)).status).toBe(200)
    const created = await resetLink.create(app.ctx, app.url, name)
    const token = created.kind === 'made' ? new URL(created.link).hash.slice(1) : ''
    await app.browser().ok(api.recovery.byLink, { body: { token, password: 'amber-orchard-31' } })
    expect(await signIn(authenticator)).toMatchObject(refused)
  })
})

describe('an owner without a restaurant', () => {
  it('cannot add a passkey before setting one up', async () => {
    const browser = await signInNewOwner(app)
    const unnamed = { status: 409, body: { message: 'Please set up your restaurant first' } }
    expect(await browser.call(passkeys.setUp, {})).toMatchObject(unnamed)
    expect(await browser.ok(api.accounts.identity, {})).toMatchObject({ passkey: false })
  })
})

describe("a passkey's challenge", () => {
  it('is accepted once, however many use it at the same moment', async () => {
    const { owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner)
    const browser = app.browser()
    const challenge = await browser.ok(passkeys.challenge, {})
    const cookie = browser.cookies.get('tsr_c') ?? ''
    const answers = await Promise.all(
      [1, 2, 3].map(() => {
        const browser = app.browser()
        browser.cookies.set('tsr_c', cookie)
        return browser.call(passkeys.login, { body: { credential: authenticator.get(challenge) } })
      }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const again = { body: { credential: authenticator.get(challenge) } }
    expect(await browser.call(passkeys.login, again)).toMatchObject(late)
  })

  it('is bound to the browser and the purpose that it was made for', async () => {
    const { owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner)
    const credential = authenticator.get(await app.browser().ok(passkeys.challenge, {}))
    expect(await app.browser().call(passkeys.login, { body: { credential } })).toMatchObject(late)
    const confirming = authenticator.get(await owner.ok(api.accounts.confirmationChallenge, {}))
    expect(await owner.call(passkeys.login, { body: { credential: confirming } })).toMatchObject(late)
  })

  it('expires after five minutes, and is then forgotten', async () => {
    const { owner } = await app.restaurant()
    const { authenticator } = await addPasskey(owner)
    const browser = app.browser()
    const credential = authenticator.get(await browser.ok(passkeys.challenge, {}))
    app.advance(5 * minuteMs)
    expect(await browser.call(passkeys.login, { body: { credential } })).toMatchObject(late)
    expect((await signIn(authenticator)).status).toBe(200)
    app.advance(6 * minuteMs)
    await removeExpiredData(app.ctx)
    const kept = app.ctx.db.reader.selectFrom('usedPasskeyChallenge').selectAll().execute()
    expect(await kept).toEqual([])
  })
})

describe('adding a passkey', () => {
  it('needs a recent sign-in, as removing does', async () => {
    const { owner } = await app.restaurant()
    const { authenticator, passkey } = await addPasskey(owner)
    app.advance(16 * minuteMs)
    const needed = { status: 403, body: { code: 'recent_sign_in_required' } }
    expect(await owner.call(passkeys.setUp, {})).toMatchObject(needed)
    const remove = { params: { id: passkey.id } }
    expect(await owner.call(passkeys.remove, remove)).toMatchObject(needed)
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    await owner.ok(passkeys.remove, remove)
    expect(await owner.ok(passkeys.list, {})).toMatchObject({ passkeys: [] })
    expect(await signIn(authenticator)).toMatchObject(refused)
    expect(await owner.ok(api.audit.list, {})).toMatchObject({
      entries: [{ action: 'passkeys.remove' }, { action: 'passkeys.add' }],
    })
  })

  it.each<[string, Flaws]>([
    ['another origin', { origin: 'https://tableside.example' }],
    ['another host', { rpId: 'tableside.example' }],
    ['nobody who showed who they are', { unverified: true }],
    ['another challenge', { challenge: 'x'.repeat(32) }],
  ])('is refused for %s', async (_, flaws) => {
    const { owner } = await app.restaurant()
    const credential = newAuthenticator().create(await owner.ok(passkeys.setUp, {}), flaws)
    expect(await owner.call(passkeys.add, { body: { name: 'Phone', credential } })).toMatchObject({
      status: 400,
    })
    expect(await owner.ok(passkeys.list, {})).toMatchObject({ passkeys: [] })
  })

  it('works once per challenge, for the person who asked for it', async () => {
    const restaurant = await app.restaurant()
    const managerBrowser = await manager(restaurant)
    const setup = await managerBrowser.ok(passkeys.setUp, {})
    restaurant.owner.cookies.set('tsr_c', managerBrowser.cookies.get('tsr_c') ?? '')
    const add = (browser: TestBrowser) =>
      browser.call(passkeys.add, { body: { name: 'Phone', credential: newAuthenticator().create(setup) } })
    expect(await add(restaurant.owner)).toMatchObject(late)
    const answers = await Promise.all([add(managerBrowser), add(managerBrowser), add(managerBrowser)])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect((await managerBrowser.ok(passkeys.list, {})).passkeys).toHaveLength(1)
    expect((await restaurant.owner.ok(passkeys.list, {})).passkeys).toEqual([])
  })

  it('stops at twenty, and tells the browser the existing ones', async () => {
    const { owner } = await app.restaurant()
    for (let count = 0; count < 19; count++) await addPasskey(owner)
    const setup = await owner.ok(passkeys.setUp, {})
    expect(setup.known).toHaveLength(19)
    await addPasskey(owner)
    expect(await owner.call(passkeys.setUp, {})).toMatchObject({ status: 409 })
  })
})

describe('a passkey in another restaurant', () => {
  it('is not listed, cannot be removed, and confirms nobody', async () => {
    const [restaurant, other] = [await app.restaurant(), await app.restaurant()]
    const { passkey } = await addPasskey(restaurant.owner)
    const stranger = await addPasskey(other.owner)
    expect(await other.owner.call(passkeys.remove, { params: { id: passkey.id } })).toMatchObject({
      status: 404,
    })
    const managerBrowser = await manager(restaurant)
    expect(await managerBrowser.call(passkeys.remove, { params: { id: passkey.id } })).toMatchObject({
      status: 404,
    })
    const challenge = await restaurant.owner.ok(api.accounts.confirmationChallenge, {})
    const confirmed = await restaurant.owner.call(api.accounts.confirmIdentity, {
      body: { passkey: stranger.authenticator.get(challenge) },
    })
    expect(confirmed).toMatchObject({ status: 400, body: { message: 'This passkey was not accepted' } })
  })
})

describe('confirming an identity', () => {
  it('works with a passkey', async () => {
    const { owner } = await app.restaurant()
    expect(await owner.ok(api.accounts.identity, {})).toMatchObject({ passkey: false })
    const { authenticator } = await addPasskey(owner)
    app.advance(16 * minuteMs)
    expect(await owner.ok(api.accounts.identity, {})).toMatchObject({ passkey: true, recent: false })
    const challenge = await owner.ok(api.accounts.confirmationChallenge, {})
    expect(challenge.known).toEqual([{ id: authenticator.id, transports: ['internal'] }])
    const body = { passkey: authenticator.get(challenge) }
    await owner.ok(api.accounts.confirmIdentity, { body })
    expect(await owner.ok(api.accounts.identity, {})).toMatchObject({ recent: true })
    expect(await owner.call(api.accounts.confirmIdentity, { body })).toMatchObject(late)
  })
})

describe.each([
  ['http://192.0.2.7:3000', 'a number'],
  ['https://[2001:db8::1]', 'a number'],
  ['http://tables.example.com', 'secure address'],
])('at %s', (publicUrl, reason) => {
  it('there are no passkeys, and the reason is given', async () => {
    const settings = app.ctx.settings
    const before = settings.publicUrl
    settings.publicUrl = publicUrl
    try {
      const { owner } = await app.restaurant()
      const { unavailable } = await owner.ok(passkeys.list, {})
      expect(passkeyHost(publicUrl)).toBeNull()
      expect(unavailable).toContain(reason)
      const none = { status: 409, body: { message: unavailable } }
      expect(await owner.call(passkeys.setUp, {})).toMatchObject(none)
      expect(await app.browser().call(passkeys.challenge, {})).toMatchObject(none)
    } finally {
      settings.publicUrl = before
    }
  })
})
