import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { currentGrants } from '../../../../../test/support/restaurants/logins.ts'
import { SoftwareAuthenticator } from '../../../../../test/support/restaurants/software-authenticator.ts'

const app = setUpApp({ scheduler: 'manual' })

type Opened = Awaited<ReturnType<typeof app.restaurant>>

const signInAsDevice = ({ name }: Opened, browser: TestBrowser) =>
  browser.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
const signInAsManager = ({ name }: Opened, browser: TestBrowser, username = 'boss') =>
  browser.ok(api.managers.login, { body: { restaurantName: name, username, password } })

async function addPasskey(browser: TestBrowser, name = 'Phone') {
  const authenticator = new SoftwareAuthenticator(app.ctx.settings.publicUrl)
  const credential = authenticator.create(await browser.ok(api.passkeys.setUp, {}))
  return { authenticator, ...(await browser.ok(api.passkeys.add, { body: { name, credential } })) }
}

async function signInByPasskey(authenticator: SoftwareAuthenticator): Promise<TestBrowser> {
  const browser = app.browser()
  const credential = authenticator.get(await browser.ok(api.passkeys.challenge, {}))
  await browser.ok(api.passkeys.login, { body: { credential } })
  return browser
}

describe('a manager who is removed', () => {
  const remove = async ({ owner }: Opened, username = 'boss') => {
    const { managers = [] } = await owner.ok(api.managers.currentUser, {})
    const id = managers.find((manager) => manager.username === username)?.id ?? ''
    await owner.ok(api.managers.remove, { params: { id } })
  }

  async function withManagers(...usernames: string[]): Promise<Opened> {
    const restaurant = await app.restaurant({ tables: ['1'] })
    for (const username of usernames)
      await restaurant.owner.ok(api.managers.setCredentials, { body: { username, password } })
    return restaurant
  }

  it('leaves no device of the restaurant behind, and no open screen', async () => {
    const restaurant = await withManagers('boss', 'other')
    const { device } = restaurant
    const [own, others] = [app.browser(), app.browser()]
    for (const [browser, username] of [
      [own, 'boss'],
      [others, 'other'],
    ] as const) {
      await signInAsDevice(restaurant, browser)
      await signInAsManager(restaurant, browser, username)
    }
    const screen = await own.connect()
    await remove(restaurant)
    expect(await screen.closed).toBe(4401)
    expect(await currentGrants(own)).toEqual([])
    expect((await own.call(api.crew.byRestaurant, { query: { restaurantId: restaurant.name } })).status).toBe(
      401,
    )
    expect(await currentGrants(others)).toEqual(['device', 'manager'])
    expect(await currentGrants(device)).toEqual(['device'])
  })

  it('leaves none even where the manager’s login is over, or was signed in to the restaurant later', async () => {
    const restaurant = await withManagers('boss')
    const [over, later] = [app.browser(), app.browser()]
    await signInAsDevice(restaurant, over)
    await signInAsManager(restaurant, over)
    await signInAsManager(restaurant, later)
    await signInAsDevice(restaurant, later)
    app.advance(3 * hourMs)
    expect(await currentGrants(over)).toEqual(['device'])
    const owner = app.browser()
    await owner.ok(api.accounts.ownerLogin, { body: { username: restaurant.name, password } })
    await remove({ ...restaurant, owner })
    expect(await Promise.all([over, later].map(currentGrants))).toEqual([[], []])
  })

  it('does not sign out an owner in whose browser they signed in', async () => {
    const restaurant = await withManagers('boss')
    const { owner, name } = restaurant
    const elsewhere = app.browser()
    await elsewhere.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    for (const browser of [owner, elsewhere]) await signInAsManager(restaurant, browser)
    await remove(restaurant)
    expect(await currentGrants(owner)).toEqual(['device', 'owner'])
    expect(await currentGrants(elsewhere)).toEqual(['owner'])
  })
})

describe('a passkey that is removed', () => {
  it('ends the sign-ins of its owner everywhere but here, with their screens', async () => {
    const { owner, device } = await app.restaurant()
    const { authenticator, id } = await addPasskey(owner)
    const elsewhere = await signInByPasskey(authenticator)
    const screen = await elsewhere.connect()
    await owner.ok(api.passkeys.remove, { params: { id } })
    expect(await screen.closed).toBe(4401)
    expect(await currentGrants(elsewhere)).toEqual([])
    expect(await currentGrants(owner)).toEqual(['device', 'owner'])
    expect(await currentGrants(device)).toEqual(['device'])
  })

  it('leaves a device its own sign-in, and other people theirs', async () => {
    const restaurant = await app.restaurant()
    const { owner } = restaurant
    await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
    const [here, tablet] = [app.browser(), app.browser()]
    await signInAsManager(restaurant, here)
    await signInAsDevice(restaurant, tablet)
    await signInAsManager(restaurant, tablet)
    const { id } = await addPasskey(here)
    await here.ok(api.passkeys.remove, { params: { id } })
    expect(await Promise.all([here, tablet, owner].map(currentGrants))).toEqual([
      ['manager'],
      ['device'],
      ['device', 'owner'],
    ])
  })
})
