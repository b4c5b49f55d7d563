import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp, TestBrowser } from '../support/app.ts'
import { isLongRun } from '../support/long-run.ts'
import { holdPasswords } from '../support/restaurants/held-passwords.ts'
import { holdRequest } from '../support/restaurants/held-request.ts'
import { SoftwareAuthenticator } from '../support/restaurants/software-authenticator.ts'
import { startTenant, type Tenant } from '../support/restaurants/tenants.ts'

const minutes = 60_000

const app = setUpApp({ guestLimits: false, scheduler: 'manual', clock: 'noon' })
let restaurants: Restaurant[]
beforeAll(async () => {
  restaurants = [await open('Harbour House'), await open('Meadow House')]
})

const logins = ['device', 'owner', 'manager', 'crew'] as const
type Login = (typeof logins)[number]

/** A restaurant with its current passwords; null for members and the owner's passkey that were removed. */
type Restaurant = Tenant & {
  passwords: Record<Login, string | null>
  crewId: string
  passkey: { id: string; authenticator: SoftwareAuthenticator } | null
}

async function open(name: string): Promise<Restaurant> {
  const tenant = await startTenant(app, name)
  const passwords = { device: password, owner: password, manager: password, crew: password }
  return { ...tenant, passwords, crewId: tenant.member.id, passkey: null }
}

const restaurantIndex = fc.nat({ max: 1 })
const someStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('log in' as const),
      at: restaurantIndex,
      login: fc.constantFrom(...logins, 'passkey' as const),
      how: fc.constantFrom('at once', 'delayed request', 'delayed password', 'overlapping'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('set cookie' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('log out' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('revoke' as const),
      at: restaurantIndex,
      what: fc.constantFrom(
        'password',
        'manager password',
        'crew password',
        'manager',
        'crew member',
        'passkey',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('revoke login' as const),
      which: fc.nat(),
      way: fc.nat({ max: 1 }),
    }),
  },
)
type Step = typeof someStep extends fc.Arbitrary<infer S> ? S : never

const pathOf: Record<Login, string> = {
  device: '/api/restaurant-login',
  owner: '/api/demo-login',
  manager: '/api/management-login',
  crew: '/api/waiter-login',
}

const bodyOf = ({ name, usernames }: Restaurant, login: Login, password: string): object => {
  switch (login) {
    case 'device':
      return { restaurantName: name, password }
    case 'owner':
      return { username: name, password }
    case 'manager':
      return { restaurantName: name, username: usernames.manager, password }
    case 'crew':
      return { username: usernames.crew, password }
  }
}

let newPasswords = 0
const newPassword = () => `velvet-harbour-${++newPasswords}`

/** Nothing looks at those of an earlier sequence again, and all looks would take longer and longer. */
const endAllSessions = () => app.ctx.db.transact((db) => db.deleteFrom('session').execute())

/** Restores everybody who was removed, and signs the owner's browser in again. */
async function restoreAccounts(restaurant: Restaurant): Promise<void> {
  const { owner, passwords, usernames } = restaurant
  const body = { username: restaurant.name, password: passwords.owner ?? '' }
  await owner.ok(api.accounts.ownerLogin, { body })
  restaurant.passkey ??= await addPasskey(owner)
  if (passwords.manager === null) {
    passwords.manager = newPassword()
    const credentials = { username: usernames.manager, password: passwords.manager }
    await owner.ok(api.managers.setCredentials, { body: credentials })
  }
  if (passwords.crew !== null) return
  passwords.crew = newPassword()
  restaurant.crewId = (await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })).id
  const credentials = { username: usernames.crew, password: passwords.crew }
  await owner.ok(api.crew.change, { params: { id: restaurant.crewId }, body: credentials })
}

async function addPasskey(owner: TestBrowser): Promise<Restaurant['passkey']> {
  const authenticator = new SoftwareAuthenticator(app.ctx.settings.publicUrl)
  const credential = authenticator.create(await owner.ok(api.passkeys.setUp, {}))
  const { id } = await owner.ok(api.passkeys.add, { body: { name: 'Phone', credential } })
  return { id, authenticator }
}

type Revoked = (Step & { do: 'revoke' })['what']

async function revoke(restaurant: Restaurant, what: Revoked): Promise<void> {
  const { owner, passwords, usernames, crewId } = restaurant
  switch (what) {
    case 'password': {
      const body = { currentPassword: passwords.owner ?? '', password: newPassword() }
      await owner.ok(api.accounts.setPassword, { body })
      passwords.owner = body.password
      passwords.device = body.password
      return
    }
    case 'manager password': {
      if (passwords.manager === null) return
      const body = { username: usernames.manager, password: newPassword() }
      await owner.ok(api.managers.setCredentials, { body })
      passwords.manager = body.password
      return
    }
    case 'crew password': {
      if (passwords.crew === null) return
      const body = { password: newPassword() }
      await owner.ok(api.crew.change, { params: { id: crewId }, body })
      passwords.crew = body.password
      return
    }
    case 'manager': {
      const { managers = [] } = await owner.ok(api.managers.currentUser, {})
      for (const { id } of managers) await owner.ok(api.managers.remove, { params: { id } })
      passwords.manager = null
      return
    }
    case 'passkey': {
      if (restaurant.passkey === null) return
      await owner.ok(api.passkeys.remove, { params: { id: restaurant.passkey.id } })
      restaurant.passkey = null
      return
    }
    case 'crew member':
      if (passwords.crew !== null) await owner.ok(api.crew.remove, { params: { id: crewId } })
      passwords.crew = null
  }
}

/** The two ways in which each login is taken away again. */
const revocationsOf: Record<Login | 'passkey', [Revoked, Revoked]> = {
  device: ['password', 'password'],
  owner: ['password', 'passkey'],
  manager: ['manager password', 'manager'],
  crew: ['crew password', 'crew member'],
  passkey: ['passkey', 'password'],
}

const endedBy: Record<Revoked, Login[]> = {
  password: ['owner', 'device'],
  'manager password': ['manager'],
  'crew password': ['crew'],
  manager: ['manager'],
  'crew member': ['crew'],
  passkey: ['owner'],
}

/** Nothing that was given before a revocation is left of what it ends, except in the browser that revoked it. */
async function revokeWithoutRemainder(restaurant: Restaurant, what: Revoked): Promise<void> {
  const at = app.now()
  const managersBrowsers = await listSessions('manager', restaurant)
  const isTried = what !== 'passkey' || restaurant.passkey !== null
  const isThere = !(/manager/u.test(what) && restaurant.passwords.manager === null)
  await revoke(restaurant, what)
  if (!isTried || !isThere) return
  const own = app.ctx.secrets.digest(restaurant.owner.cookies.get('tsr') ?? '')
  for (const kind of endedBy[what]) {
    const rows = await app.ctx.db.reader
      .selectFrom('sessionGrant')
      .innerJoin('session', 'session.id', 'sessionGrant.sessionId')
      .select(['kind', 'authAt'])
      .where('sessionGrant.restaurantId', '=', restaurant.id)
      .where('kind', '=', kind)
      .where('authAt', '<', at)
      .where('tokenHash', '!=', own)
      .execute()
    expect(rows, `left after the ${what}`).toEqual([])
  }
  if (what !== 'manager') return
  const owners = await listSessions('owner', restaurant)
  const devices = await listSessions('device', restaurant)
  const left = devices.filter((id) => managersBrowsers.includes(id) && !owners.includes(id))
  expect(left, 'devices left of a manager').toEqual([])
}

async function listSessions(kind: Login, { id }: Restaurant): Promise<string[]> {
  const rows = await app.ctx.db.reader
    .selectFrom('sessionGrant')
    .select('sessionId')
    .where('kind', '=', kind)
    .where('restaurantId', '=', id)
    .execute()
  return rows.map(({ sessionId }) => sessionId)
}

/** Regression: this once gave a session of one restaurant the rights of another's owner. */
const mixedGrants: Step[] = [
  { do: 'log in', at: 0, login: 'crew', how: 'at once' },
  { do: 'log in', at: 0, login: 'crew', how: 'delayed password' },
  { do: 'log in', at: 1, login: 'owner', how: 'at once' },
]

/** Regression: the browser of a manager who was removed stayed a device of the restaurant. */
const goneManager: Step[] = [
  { do: 'log in', at: 0, login: 'device', how: 'at once' },
  { do: 'log in', at: 0, login: 'manager', how: 'at once' },
  { do: 'revoke', at: 0, what: 'manager' },
]

/** Performs the steps in one browser; each request carries the cookies of the moment it started. */
function createRun() {
  const jar = new TestBrowser(() => app.url)
  const cookies: string[] = []
  const running: Promise<void>[] = []
  const pending: (() => Promise<void>)[] = []
  /** The passwords of the sign-in attempts. */
  const tried = new Set<string>()
  const attempts: { restaurant: Restaurant; login: Login | 'passkey' }[] = []

  const withCookiesOf = (browser: TestBrowser): TestBrowser => {
    const copy = new TestBrowser(() => app.url)
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    return copy
  }

  /** What a login sends, with the cookies that it has by then. */
  async function prepare(restaurant: Restaurant, login: Login | 'passkey') {
    const sender = withCookiesOf(jar)
    if (login === 'passkey') {
      if (!restaurant.passkey) return null
      const { id, authenticator } = restaurant.passkey
      tried.add(`${restaurant.name} passkey ${id}`)
      const credential = authenticator.get(await sender.ok(api.passkeys.challenge, {}))
      return { sender, path: api.passkeys.login.path, body: { credential } }
    }
    const password = restaurant.passwords[login] ?? 'nobody-has-this-one'
    tried.add(`${restaurant.name} ${login} ${password}`)
    return { sender, path: pathOf[login], body: bodyOf(restaurant, login, password) }
  }

  async function logIn(restaurant: Restaurant, login: Login | 'passkey', how: string): Promise<void> {
    const prepared = await prepare(restaurant, login)
    if (!prepared) return
    const { sender, path, body } = prepared
    if (how === 'delayed request') {
      const request = await holdRequest(app.url, sender, 'POST', path, body)
      pending.push(async () => {
        const { status, cookies: set } = await request.finish()
        expect(status).toBeLessThan(500)
        cookies.push(...[...set].flatMap(([name, value]) => (name === 'tsr' ? [value] : [])))
      })
      return
    }
    const slow = how === 'delayed password' && login !== 'passkey' ? holdPasswords(app, 'verify') : null
    const sent = sender.send('POST', path, body).then(({ status }) => {
      expect(status).toBeLessThan(500)
      cookies.push(sender.cookies.get('tsr') ?? '')
      if (how === 'at once') jar.cookies.set('tsr', sender.cookies.get('tsr') ?? '')
    })
    running.push(sent)
    if (how === 'at once') await sent
    if (!slow) return
    await Promise.race([slow.reached, sent.then(slow.release)])
    pending.push(async () => {
      slow.release()
      await sent
    })
  }

  return {
    tried,
    cookies,
    async step(step: Step): Promise<void> {
      switch (step.do) {
        case 'log in': {
          const restaurant = restaurants[step.at]
          if (!restaurant) return
          attempts.push({ restaurant, login: step.login })
          await logIn(restaurant, step.login, step.how)
          return
        }
        case 'release':
          running.push(
            ...pending.splice(step.which % Math.max(pending.length, 1), 1).map((release) => release()),
          )
          return
        case 'set cookie':
          if (cookies.length > 0) jar.cookies.set('tsr', cookies[step.which % cookies.length] ?? '')
          return
        case 'log out':
          running.push(
            withCookiesOf(jar)
              .fetch('/api/logout')
              .then(() => {}),
          )
          return
        case 'revoke': {
          const restaurant = restaurants[step.at]
          if (restaurant) await revokeWithoutRemainder(restaurant, step.what)
          return
        }
        case 'revoke login': {
          const attempt = attempts[step.which % attempts.length]
          const what = attempt && revocationsOf[attempt.login][step.way]
          if (attempt && what) await revokeWithoutRemainder(attempt.restaurant, what)
        }
      }
    },
    async settle(): Promise<void> {
      await Promise.all([...running, ...pending.splice(0).map((release) => release())])
    },
  }
}

/** No session holds grants of another restaurant, whatever is still in progress. */
async function expectNoForeignGrants(): Promise<void> {
  const rows = await app.ctx.db.reader
    .selectFrom('sessionGrant')
    .innerJoin('session', 'session.id', 'sessionGrant.sessionId')
    .select(['kind', 'subjectId', 'session.restaurantId as of', 'sessionGrant.restaurantId as for'])
    .where((e) =>
      e.or([
        e('sessionGrant.restaurantId', 'is distinct from', e.ref('session.restaurantId')),
        e.and([e('kind', '=', 'device'), e('subjectId', 'is distinct from', e.ref('session.restaurantId'))]),
      ]),
    )
    .execute()
  expect(rows).toEqual([])
}

/** A cookie opens exactly what logins with the current passwords would open. */
async function expectRightsOf(cookie: string, tried: ReadonlySet<string>): Promise<void> {
  const browser = new TestBrowser(() => app.url)
  browser.cookies.set('tsr', cookie)
  const { status, body } = await browser.call(api.accounts.session, {})
  const restaurant = restaurants.find(({ name }) => status === 200 && name === body.restaurantName)
  const user = await browser.call(api.accounts.currentUser, {})
  const management = await browser.call(api.managers.currentUser, {})
  const crew = await browser.call(api.crew.byRestaurant, { query: { restaurantId: restaurant?.name ?? '' } })
  const grants: Login[] = restaurant && status === 200 ? body.grants : []
  for (const login of grants) {
    const byPassword = `${restaurant?.name} ${login} ${restaurant?.passwords[login] ?? 'is removed'}`
    const byPasskey = `${restaurant?.name} passkey ${restaurant?.passkey?.id ?? 'is removed'}`
    const isTried = tried.has(byPassword) || (login === 'owner' && tried.has(byPasskey))
    expect({ byPassword, isTried }).toEqual({ byPassword, isTried: true })
  }
  const owns = grants.includes('owner')
  expect({
    user: user.status === 200 ? user.body.restaurantName : null,
    management: management.status === 200 ? management.body.restaurantName : null,
    crew: crew.status,
  }).toEqual({
    user: owns ? restaurant?.name : null,
    management: owns || grants.includes('manager') ? restaurant?.name : null,
    crew: restaurant ? 200 : crew.status === 400 ? 400 : 401,
  })
}

const sequences = isLongRun ? 1000 : 250

it(
  'gives no session more than its logins alone would give, however they overlap',
  async () => {
    const steps = fc.array(someStep, { minLength: 6, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        // Resets the limit of wrong passwords of the previous run.
        app.advance(16 * minutes)
        await endAllSessions()
        for (const restaurant of restaurants) await restoreAccounts(restaurant)
        const run = createRun()
        for (const step of sequence) {
          await run.step(step)
          await expectNoForeignGrants()
        }
        await run.settle()
        await expectNoForeignGrants()
        for (const cookie of new Set(run.cookies)) await expectRightsOf(cookie, run.tried)
      }),
      { numRuns: sequences, endOnFailure: true, examples: [[mixedGrants], [goneManager]] },
    )
  },
  20 * minutes,
)
