import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { currentGrants } from '../../../../../test/support/restaurants/logins.ts'
import { describeBrowser } from '../sign-in/user-agent.ts'

const app = setUpApp()

const tabletAgent =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'

async function deviceOf(name: string, userAgent = tabletAgent): Promise<TestBrowser> {
  const browser = app.browser()
  await browser.fetch('/api/restaurant-login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify({ restaurantName: name, password }),
  })
  return browser
}

async function managerOf({ name, owner }: { name: string; owner: TestBrowser }, username = 'boss') {
  await owner.ok(api.managers.setCredentials, { body: { username, password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: { restaurantName: name, username, password } })
  return manager
}

const devicesOf = (by: TestBrowser) => by.ok(api.devices.list, {})
const idOf = async (by: TestBrowser, name: string): Promise<string> =>
  (await devicesOf(by)).find((device) => device.name === name)?.id ?? ''

describe('the list of devices', () => {
  it('names each by its browser until it is renamed, and shows how and when it signed in', async () => {
    const restaurant = await app.restaurant()
    const tablet = await deviceOf(restaurant.name)
    const manager = await managerOf(restaurant)
    const { id, link } = await manager.ok(api.devices.createCode, {})
    const phone = app.browser()
    const token = link.split('#')[1] ?? ''
    await phone.ok(api.devices.linkLogin, { body: { token, deviceName: 'Bar phone' } })
    expect(await manager.ok(api.devices.code, { params: { id } })).toMatchObject({ usedBy: 'Bar phone' })

    const listed = await devicesOf(manager)
    expect(listed.map(({ name, via }) => [name, via])).toEqual(
      expect.arrayContaining([
        ['Chrome on Android tablet', 'password'],
        ['Bar phone', 'device-code'],
      ]),
    )
    expect(listed.some(({ isThisDevice }) => isThisDevice)).toBe(false)

    const params = { id: await idOf(manager, 'Chrome on Android tablet') }
    await manager.ok(api.devices.rename, { params, body: { name: 'Kitchen tablet' } })
    expect(await devicesOf(restaurant.owner)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'Kitchen tablet', browser: 'Chrome on Android tablet' }),
        expect.objectContaining({ isThisDevice: true, isOwners: true }),
      ]),
    )
    expect(await currentGrants(tablet)).toEqual(['device'])
  })

  it('shows when a device was used last, without a write for each use', async () => {
    const { name, owner } = await app.restaurant()
    const tablet = await deviceOf(name)
    const lastUse = async () =>
      (await devicesOf(owner)).find(({ browser }) => browser === 'Chrome on Android tablet')?.lastUsedAt ?? 0
    const first = await lastUse()
    app.advance(4 * minuteMs)
    await tablet.ok(api.accounts.session, {})
    expect(await lastUse()).toBe(first)
    app.advance(56 * minuteMs)
    await tablet.ok(api.accounts.session, {})
    expect(app.now() - (await lastUse())).toBeLessThan(minuteMs)
  })

  it('includes a crew login, with the name of the person', async () => {
    const { owner } = await app.restaurant()
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    await owner.ok(api.crew.change, { params: { id }, body: { username: id, password } })
    await app.browser().ok(api.accounts.crewLogin, { body: { username: id, password } })
    expect(await devicesOf(owner)).toEqual(
      expect.arrayContaining([expect.objectContaining({ via: 'crew-login', person: 'Maya' })]),
    )
  })

  it('drops a device that was not used for a week', async () => {
    const { name, owner } = await app.restaurant()
    await deviceOf(name)
    app.advance(7 * dayMs)
    await owner.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    expect(await devicesOf(owner)).toEqual([])
  })
})

describe('signing a device out', () => {
  it('ends its session, screens and alerts at once', async () => {
    const { name, owner } = await app.restaurant()
    const tablet = await deviceOf(name)
    const subscription = {
      endpoint: 'https://push.example.com/kitchen',
      keys: {
        p256dh: Buffer.alloc(65, 4).toString('base64url'),
        auth: Buffer.alloc(16).toString('base64url'),
      },
      audience: 'crew',
      crewMemberId: null,
    } as const
    await tablet.ok(api.push.subscribe, { body: subscription })
    const screen = await tablet.connect()
    await owner.ok(api.devices.signOut, { params: { id: await idOf(owner, 'Chrome on Android tablet') } })
    expect(await screen.closed).toBe(4401)
    expect(await currentGrants(tablet)).toEqual([])
    const pushedTo = app.ctx.db.reader.selectFrom('pushSubscription').select('id')
    expect(await pushedTo.where('endpoint', '=', subscription.endpoint).execute()).toEqual([])
  })

  it('is not for managers where the owner is signed in, nor for another restaurant', async () => {
    const [restaurant, rival] = [await app.restaurant(), await app.restaurant()]
    const manager = await managerOf(restaurant)
    const owners = (await devicesOf(manager)).find(({ isOwners }) => isOwners)?.id ?? ''
    const end = (by: TestBrowser) => by.call(api.devices.signOut, { params: { id: owners } })
    expect((await end(manager)).status).toBe(403)
    expect((await end(rival.owner)).status).toBe(404)
    const rename = { params: { id: owners }, body: { name: 'Ours' } }
    expect((await rival.owner.call(api.devices.rename, rename)).status).toBe(404)
    expect(await currentGrants(restaurant.owner)).toEqual(['device', 'owner'])
    expect((await devicesOf(restaurant.owner)).map(({ name }) => name)).not.toContain('Ours')
  })

  it('does not carry its name over to another restaurant', async () => {
    const [restaurant, rival] = [await app.restaurant(), await app.restaurant()]
    const tablet = await deviceOf(restaurant.name)
    const params = { id: await idOf(restaurant.owner, 'Chrome on Android tablet') }
    await restaurant.owner.ok(api.devices.rename, { params, body: { name: 'Kitchen tablet' } })
    await tablet.ok(api.accounts.restaurantLogin, { body: { restaurantName: rival.name, password } })
    expect(JSON.stringify(await devicesOf(rival.owner))).not.toContain('Kitchen tablet')
    expect(JSON.stringify(await devicesOf(restaurant.owner))).not.toContain('Kitchen tablet')
  })
})

describe('own sessions', () => {
  const sessionsOf = (by: TestBrowser) => by.ok(api.sessions.list, {})

  it('are those of one owner or manager, and can be ended one by one or all but this one', async () => {
    const restaurant = await app.restaurant()
    const [manager, colleague] = [await managerOf(restaurant), await managerOf(restaurant, 'deputy')]
    const again = async (): Promise<TestBrowser> => {
      const browser = app.browser()
      const body = { restaurantName: restaurant.name, username: 'boss', password }
      await browser.ok(api.managers.login, { body })
      return browser
    }
    const [second, third] = [await again(), await again()]
    const screen = await second.connect()
    const listed = await sessionsOf(manager)
    expect(listed.map(({ isThisBrowser }) => isThisBrowser)).toEqual([true, false, false])
    expect(await sessionsOf(colleague)).toHaveLength(1)
    expect(await sessionsOf(restaurant.owner)).toHaveLength(1)

    const [, , last] = listed.toSorted((a, b) => b.signedInAt - a.signedInAt)
    const params = { id: last?.id ?? '' }
    expect((await colleague.call(api.sessions.signOut, { params })).status).toBe(404)
    expect((await restaurant.owner.call(api.sessions.signOut, { params })).status).toBe(404)
    await manager.ok(api.sessions.signOutOthers, {})
    expect(await screen.closed).toBe(4401)
    expect([await currentGrants(second), await currentGrants(third)]).toEqual([[], []])
    expect([await currentGrants(manager), await currentGrants(colleague)]).toEqual([['manager'], ['manager']])
  })

  it("end without ending a shared tablet's use as a device of the restaurant", async () => {
    const { name, owner } = await app.restaurant()
    const tablet = await deviceOf(name)
    await tablet.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    const other = (await sessionsOf(owner)).find(({ isThisBrowser }) => !isThisBrowser)
    await owner.ok(api.sessions.signOut, { params: { id: other?.id ?? '' } })
    expect(await currentGrants(tablet)).toEqual(['device'])
    expect(await sessionsOf(owner)).toHaveLength(1)
  })
})

it.each([
  [tabletAgent, 'Chrome on Android tablet'],
  [tabletAgent.replace('Safari', 'Mobile Safari'), 'Chrome on Android phone'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Safari on Mac or iPad',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0',
    'Edge on Windows',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox on Linux'],
  ['<script>alert(1)</script>', 'Unknown browser'],
  [null, 'Unknown browser'],
])('says in plain words what %s is', (userAgent, words) => {
  expect(describeBrowser(userAgent)).toBe(words)
})
