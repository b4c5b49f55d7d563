import { describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp, startTestApp, type TestBrowser } from '../../../../../test/support/app.ts'

const app = setUpApp()

const change = (owner: TestBrowser, body: { restaurantName?: string; timeZone?: string }) =>
  owner.call(api.restaurant.change, { body })

const taken = { status: 409, body: { message: 'This restaurant name is not available' } }

describe('a restaurant', () => {
  it('can be renamed, and is found by every name it ever had', async () => {
    const { owner } = await app.restaurant({ name: 'The Old Mill', tables: ['7'] })
    expect(await change(owner, { restaurantName: '  The  New Mill ' })).toMatchObject({
      status: 200,
      body: { restaurantName: 'The New Mill', timeZone: 'UTC' },
    })
    for (const restaurantName of ['the old mill', 'The New Mill']) {
      expect(
        await app.browser().ok(api.accounts.restaurantLogin, { body: { restaurantName, password } }),
      ).toEqual({ restaurantName: 'The New Mill' })
    }
    const request = { restaurantId: 'The Old Mill', tableNumber: '7', serviceType: 'check' } as const
    await app.browser().ok(api.requests.send, { body: request })
    expect(await owner.ok(api.accounts.currentUser, {})).toMatchObject({ restaurantName: 'The New Mill' })
    expect((await change(owner, { restaurantName: 'The Old Mill' })).status).toBe(200)
  })

  it('allows five attempts at its password, whichever name is used', async () => {
    const { owner, name } = await app.restaurant()
    await change(owner, { restaurantName: `${name} and Garden` })
    const names = [name, `${name} and Garden`, name, name.toUpperCase(), name, name]
    const statuses: number[] = []
    for (const restaurantName of names) {
      const body = { restaurantName, password: 'not-the-password' }
      statuses.push((await app.browser().call(api.accounts.restaurantLogin, { body })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  it("refuses names that are or were another's, and reserved ones", async () => {
    const [restaurant, other] = [await app.restaurant(), await app.restaurant({ name: 'Corner House' })]
    expect((await change(other.owner, { restaurantName: 'Corner House II' })).status).toBe(200)
    for (const restaurantName of ['corner house', 'Corner House II', 'Default', 'C\u043erner Place']) {
      expect(await change(restaurant.owner, { restaurantName, timeZone: 'Europe/Berlin' })).toMatchObject(
        taken,
      )
    }
    expect(await restaurant.owner.ok(api.restaurant.settings, {})).toMatchObject({
      restaurantName: restaurant.name,
      timeZone: 'UTC',
    })
  })

  it('that is the only one is found by any spelling of "default"', async () => {
    const alone = await startTestApp()
    onTestFinished(() => alone.stop())
    await alone.restaurant({ tables: ['7'] })
    for (const restaurantId of ['default', ' DEFAULT ', 'ｄｅｆａｕｌｔ', 'Ｄefault']) {
      const request = { restaurantId, tableNumber: '7', serviceType: 'check' } as const
      await alone.browser().ok(api.requests.send, { body: request })
    }
  })

  it('gets a name that two ask for at the same moment, or the other one does', async () => {
    const restaurants = await Promise.all([app.restaurant(), app.restaurant()])
    const answers = await Promise.all(
      restaurants.map(({ owner }) => change(owner, { restaurantName: 'One Only' })),
    )
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '409'])
  })

  it('can have at most ten names', async () => {
    const { owner } = await app.restaurant()
    await app.forgetNewNames()
    for (let count = 2; count <= 10; count++) {
      expect((await change(owner, { restaurantName: `Mayfly ${count}` })).status).toBe(200)
    }
    expect(await change(owner, { restaurantName: 'Mayfly 11' })).toMatchObject({
      status: 409,
      body: { message: 'A restaurant can have had at most 10 names' },
    })
    expect((await change(owner, { restaurantName: 'MAYFLY 3' })).status).toBe(200)
  })

  it('needs at least one change', async () => {
    const { owner } = await app.restaurant()
    for (const [body, message] of [
      [{}, 'Nothing to change'],
      [{ restaurantName: '  ' }, 'Please enter your restaurant name'],
      [{ timeZone: 'Middle/Earth' }, 'Unknown time zone'],
    ] as const) {
      expect(await change(owner, body)).toMatchObject({ status: 400, body: { message } })
    }
  })
})
