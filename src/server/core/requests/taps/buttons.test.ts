import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import type { ServiceRequest, ServiceType } from '#contract/requests/requests.ts'
import { setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { connectScreen, pendingRequests } from '../../../../../test/support/pages/crew-view.ts'
import { smallPng } from '../../../../../test/support/reading/qr-reader.ts'
import { subscribeInSandbox } from '../../../../../test/support/stripe/sandbox-subscription.ts'
import * as tableButtons from '../../../storage/requests/table-buttons.ts'
import { anonymousActor } from '../../actor.ts'
import { write } from '../../transaction.ts'
import { send } from '../requests.ts'

const app = setUpApp()

type Restaurant = Awaited<ReturnType<typeof app.restaurant>>

/** Tables 7 and 8, with a subscription. */
async function open(): Promise<Restaurant> {
  const restaurant = await app.restaurant({ tables: ['7', '8'] })
  await subscribeInSandbox(app, restaurant.owner)
  return restaurant
}

const tableId = async ({ owner }: Restaurant, tableNumber: string): Promise<string> =>
  (await owner.ok(api.floor.tables, {})).find((table) => table.tableNumber === tableNumber)?.id ?? ''

const make = async (restaurant: Restaurant, tableNumber = '7', serviceType: ServiceType = 'check') =>
  restaurant.owner.ok(api.tableButtons.add, {
    body: { tableId: await tableId(restaurant, tableNumber), serviceType },
  })

/** As curl would: without cookies or an origin. */
async function press(
  token: unknown,
  more: object = {},
): Promise<{ status: number; body: { request: ServiceRequest } }> {
  const response = await fetch(`${app.url}/api/buttons/press`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...more }),
  })
  expect(response.headers.getSetCookie()).toEqual([])
  return { status: response.status, body: await response.json() }
}

const openRequests = async ({ device }: Restaurant) => (await pendingRequests(device)).requests

const revoked = {
  status: 404,
  body: { code: 'not_found', message: 'This button was revoked. Please make a new one in the Admin Portal.' },
}

describe('a table button', () => {
  let restaurant: Restaurant
  beforeAll(async () => {
    restaurant = await open()
  })

  it('asks for its need at its table, and the ticket says so', async () => {
    const crew = await connectScreen(restaurant.device)
    const { token, button } = await make(restaurant)
    expect(button).toMatchObject({ serviceType: 'check', pressedAt: null })
    const { status, body } = await press(token)
    expect(status).toBe(201)
    const asked = { tableNumber: '7', serviceType: 'check', asks: 1, verified: true, byButton: true }
    expect(body.request).toMatchObject(asked)
    expect(await crew.next('new-request')).toMatchObject({ request: asked })
    expect(await openRequests(restaurant)).toMatchObject([asked])
    const [listed] = await restaurant.owner.ok(api.tableButtons.list, {})
    expect(listed).toEqual({ ...button, pressedAt: expect.any(Number) })
    expect(JSON.stringify(listed)).not.toContain(token)
  })

  it('adds to what the table waits for, as a guest and as a button do', async () => {
    const { token } = await make(restaurant, '8')
    const guest = { restaurantId: restaurant.name, tableNumber: '8', serviceType: 'check' } as const
    const first = await app.browser().ok(api.requests.send, { body: guest })
    expect(first.request).not.toHaveProperty('byButton')
    const both = await Promise.all([press(token), press(token)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(both.map(({ body }) => body.request.asks).toSorted((a, b) => a - b)).toEqual([2, 3])
    const waiting = (await openRequests(restaurant)).filter(({ tableNumber }) => tableNumber === '8')
    // Asked on a phone first, so a phone there follows it.
    expect(waiting).toEqual([{ ...first.request, asks: 3, verified: true }])
  })

  it('makes one request when it is pressed twice at once', async () => {
    const { token } = await make(restaurant, '8', 'drinks')
    const both = await Promise.all([press(token), press(token)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 201])
    const [request, ...others] = (await openRequests(restaurant)).filter(
      ({ serviceType }) => serviceType === 'drinks',
    )
    expect(others).toEqual([])
    expect(request).toMatchObject({ asks: 2, byButton: true })
  })

  it('is refused as a guest is while its table is muted', async () => {
    const { token } = await make(restaurant, '8', 'food')
    const crew = await connectScreen(restaurant.device)
    await crew.request({ type: 'mute-table', tableNumber: '8' })
    expect(await press(token)).toMatchObject({ status: 409, body: { code: 'table_muted' } })
    const [button] = (await restaurant.owner.ok(api.tableButtons.list, {})).toReversed()
    expect(button).toMatchObject({ serviceType: 'food', pressedAt: null })
    await crew.request({ type: 'unmute-table', tableNumber: '8' })
  })

  it('writes nothing before it is refused, so that the taps beside it are stored at once', async () => {
    const { token } = await make(restaurant, '7', 'other')
    const crew = await connectScreen(restaurant.device)
    await crew.request({ type: 'mute-table', tableNumber: '7' })
    const written: string[] = []
    const transact = app.ctx.db.transact.bind(app.ctx.db)
    const watched = vi.spyOn(app.ctx.db, 'transact').mockImplementation((task, options) =>
      transact((db) => {
        const run = db.run.bind(db)
        vi.spyOn(db, 'run').mockImplementation((statement, input) => {
          if (!statement.onlyReads) written.push(statement.name)
          return run(statement, input)
        })
        for (const method of ['updateTable', 'insertInto', 'deleteFrom'] as const)
          vi.spyOn(db, method).mockImplementation(() => {
            throw new Error(`${method} before the refusal`)
          })
        return task(db)
      }, options),
    )
    onTestFinished(() => watched.mockRestore())
    expect(await press(token)).toMatchObject({ status: 409, body: { code: 'table_muted' } })
    expect(watched).toHaveBeenCalledOnce()
    watched.mockRestore()
    expect(written).toEqual([])
    await crew.request({ type: 'unmute-table', tableNumber: '7' })
  })

  it('counts a press once, however often it is sent with its id', async () => {
    const own = await open()
    const { token } = await make(own)
    const id = app.ctx.newId()
    const both = await Promise.all([press(token, { id }), press(token, { id })])
    expect(both.map(({ body }) => body.request)).toEqual([
      expect.objectContaining({ id, asks: 1 }),
      expect.objectContaining({ id, asks: 1 }),
    ])
    expect((await press(token, { id: app.ctx.newId() })).body.request).toMatchObject({ id, asks: 2 })
    expect(await press(token, { id: 'not an id' })).toMatchObject({ status: 400, body: { code: 'invalid' } })
    expect((await press(token, { id })).status).toBe(200)
    expect(await openRequests(own)).toMatchObject([{ id, asks: 2 }])
  })

  it('goes on where only printed codes count, and when these are renewed', async () => {
    const own = await open()
    await own.owner.ok(api.restaurant.change, { body: { verifiedOnly: true } })
    const { token } = await make(own)
    await own.owner.ok(api.qr.generate, {
      body: { restaurantId: own.name, qrCodeDataUrl: smallPng },
    })
    await own.owner.ok(api.qr.remove, {})
    expect(await press(token)).toMatchObject({ status: 201, body: { request: { verified: true } } })
  })

  it('stays at its table when a party moves', async () => {
    const own = await open()
    const crew = await connectScreen(own.device)
    const { token } = await make(own)
    await crew.request({ type: 'move-party', id: app.ctx.newId(), from: '7', to: '8' })
    expect((await press(token)).body.request.tableNumber).toBe('7')
  })

  it('presses as nobody, whoever else the browser is signed in as', async () => {
    const own = await open()
    const { token } = await make(own)
    const { status } = await own.owner.call(api.buttons.press, { body: { token } })
    expect(status).toBe(201)
    const events = await app.ctx.db.reader
      .selectFrom('requestEvent')
      .select(['kind', 'actorKind', 'actorId', 'actorName'])
      .where('restaurantId', '=', await app.idOf(own))
      .execute()
    expect(events).toEqual([{ kind: 'created', actorKind: 'guest', actorId: null, actorName: null }])
  })
})

describe('a button that is gone', () => {
  it('is refused once it is revoked, and stores nothing', async () => {
    const restaurant = await open()
    const { token, button } = await make(restaurant)
    const params = { id: button.id }
    expect((await restaurant.owner.call(api.tableButtons.remove, { params })).status).toBe(204)
    expect(await press(token)).toMatchObject(revoked)
    expect((await restaurant.owner.call(api.tableButtons.remove, { params })).status).toBe(404)
    expect(await openRequests(restaurant)).toEqual([])
  })

  it('went with its table, or with its restaurant', async () => {
    const restaurant = await open()
    const [seven, eight] = [await make(restaurant, '7'), await make(restaurant, '8')]
    const params = { id: await tableId(restaurant, '7') }
    await restaurant.owner.ok(api.floor.removeTable, { params, query: {} })
    expect(await press(seven.token)).toMatchObject(revoked)
    expect((await restaurant.owner.ok(api.tableButtons.list, {})).map(({ id }) => id)).toEqual([
      eight.button.id,
    ])
    // A table of the same number later is another table.
    await restaurant.owner.ok(api.floor.addTable, { body: { tableNumber: '7' } })
    expect(await press(seven.token)).toMatchObject(revoked)
    expect(await openRequests(restaurant)).toEqual([])
    const id = await app.idOf(restaurant)
    await write(app.ctx, ({ db }) => db.deleteFrom('auditEntry').where('restaurantId', '=', id).execute())
    await write(app.ctx, ({ db }) => db.deleteFrom('restaurant').where('id', '=', id).execute())
    expect(await press(eight.token)).toMatchObject(revoked)
  })

  it('is refused when it was revoked after it was found', async () => {
    const restaurant = await open()
    const { token, button } = await make(restaurant)
    const found = await tableButtons.findByToken(app.ctx.db.reader, app.ctx.secrets.digest(token))
    await restaurant.owner.ok(api.tableButtons.remove, { params: { id: button.id } })
    const tap = { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'check' } as const
    await expect(send(app.ctx, anonymousActor(), tap, found)).rejects.toMatchObject(revoked.body)
    expect(await openRequests(restaurant)).toEqual([])
  })

  it('either rings or is refused when it is revoked meanwhile, never half of it', async () => {
    const restaurant = await open()
    for (const serviceType of ['general', 'drinks', 'food', 'check'] as const) {
      const { token, button } = await make(restaurant, '7', serviceType)
      const [pressed] = await Promise.all([
        press(token),
        restaurant.owner.ok(api.tableButtons.remove, { params: { id: button.id } }),
      ])
      expect([201, 404]).toContain(pressed.status)
      const waiting = await openRequests(restaurant)
      expect(waiting.some((request) => request.serviceType === serviceType)).toBe(pressed.status === 201)
      expect(await press(token)).toMatchObject(revoked)
    }
  })
})

describe('making a button', () => {
  it('requires a subscription, but pressing it goes on when that has ended', async () => {
    const restaurant = await app.restaurant({ tables: ['7'] })
    const body = { tableId: await tableId(restaurant, '7'), serviceType: 'check' } as const
    expect(await restaurant.owner.call(api.tableButtons.add, { body })).toMatchObject({
      status: 402,
      body: { code: 'payment_required', message: 'Subscription Required' },
    })
    expect(await restaurant.owner.ok(api.tableButtons.list, {})).toEqual([])
    await subscribeInSandbox(app, restaurant.owner)
    const { token } = await make(restaurant)
    const id = await app.idOf(restaurant)
    await write(app.ctx, ({ db }) => db.deleteFrom('subscription').where('restaurantId', '=', id).execute())
    expect((await press(token)).status).toBe(201)
  })

  it('is refused for the host stand and for what nobody can ask for', async () => {
    const restaurant = await open()
    const add = async (body: { tableId: string; serviceType: unknown }) =>
      restaurant.owner.send('POST', '/api/buttons', body)
    const stand = await restaurant.owner.ok(api.floor.hostStand, {})
    expect(await add({ tableId: stand.id, serviceType: 'check' })).toMatchObject({
      status: 400,
      body: { message: 'Guests do not sit at the host stand' },
    })
    const seven = await tableId(restaurant, '7')
    for (const serviceType of ['champagne', '', null, undefined, 7, ['check']])
      expect(await add({ tableId: seven, serviceType })).toMatchObject({
        status: 400,
        body: { message: 'Please check serviceType' },
      })
    expect(await restaurant.owner.ok(api.tableButtons.list, {})).toEqual([])
  })

  it('is in the audit log, as revoking is, without the token', async () => {
    const restaurant = await open()
    const { token, button } = await make(restaurant, '8', 'assistance')
    await restaurant.owner.ok(api.tableButtons.remove, { params: { id: button.id } })
    const { entries } = await restaurant.owner.ok(api.audit.list, { query: {} })
    const detail = { tableNumber: '8', need: 'Assistance' }
    expect(entries.slice(0, 2)).toMatchObject([
      { action: 'tableButtons.remove', actorKind: 'owner', detail },
      { action: 'tableButtons.add', actorKind: 'owner', detail },
    ])
    await press(token)
    expect(app.lines.join('')).not.toContain(token)
    const stored = await app.ctx.db.reader.selectFrom('auditEntry').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(token)
  })
})

describe('an invalid token of a button', () => {
  it('is refused and changes nothing', async () => {
    const restaurant = await open()
    await make(restaurant)
    for (const token of [undefined, null, '', 7, {}, ['a'], 'a b', 'x'.repeat(65), "' or '1'='1", '\0'])
      expect(await press(token)).toMatchObject({
        status: 400,
        body: { code: 'invalid', message: 'The token of the button is missing' },
      })
    expect(await press('x'.repeat(32))).toMatchObject(revoked)
    expect(await openRequests(restaurant)).toEqual([])
  })
})

describe('the limits', () => {
  const pressUntilRefused = async (token: string, browser: TestBrowser): Promise<number> => {
    for (let count = 0; count < 100; count++) {
      const { status } = await browser.call(api.buttons.press, { body: { token } })
      if (status === 429) return count
    }
    return Number.POSITIVE_INFINITY
  }

  it('stop one button and no other, and an address that guesses, but no button there', async () => {
    const restaurant = await open()
    const [seven, eight] = [await make(restaurant, '7'), await make(restaurant, '8')]
    const address = '127.0.0.1'
    await app.ctx.limits.clear('guest-button-miss', address)
    const browser = app.browser()
    expect(await pressUntilRefused(seven.token, browser)).toBe(30)
    expect(await browser.call(api.buttons.press, { body: { token: seven.token } })).toMatchObject({
      status: 429,
      body: { message: 'This button was pressed many times. Please wait 10 minutes and try again.' },
    })
    expect((await press(eight.token)).status).toBe(201)
    // Of 600; none were counted above.
    const others = Array.from({ length: 600 - 1 }, () => ['guest-button-miss', address] as const)
    await app.ctx.limits.takeAll(others)
    expect(await press('y'.repeat(32))).toMatchObject({ status: 404 })
    expect(await press('y'.repeat(32))).toMatchObject({ status: 429 })
    expect((await press(eight.token)).status).toBe(200)
    app.advance(10 * 60_000)
    expect(await press('y'.repeat(32))).toMatchObject({ status: 404 })
    expect((await press(seven.token)).status).toBe(200)
  })
})
