import { describe, expect, it } from 'vitest'
import type { RestaurantChange } from '#contract/accounts/restaurants.ts'
import { api, type CallInput } from '#contract/api.ts'
import { closeCodes } from '#contract/live.ts'
import { visitDurationMs } from '#contract/requests/requests.ts'
import { setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { connectScreen, pendingRequests } from '../../../../../test/support/pages/crew-view.ts'
import { smallPng } from '../../../../../test/support/reading/qr-reader.ts'
import type { Restaurant } from '../../../../../test/support/restaurants/busy-restaurant.ts'
import { unmuteExpired } from '../../floor/muted-tables.ts'
import { createProof } from '../../floor/qr-links.ts'
import { requireByName } from './restaurants.ts'

const app = setUpApp({ billing: false })

const open = () => app.restaurant({ tables: ['1', '2'] })
const recordOf = ({ name }: Restaurant) => requireByName(app.ctx, app.ctx.db.reader, name)
const at = ({ name }: Restaurant, tableNumber = '1') => ({ restaurantId: name, tableNumber })

const ask = (
  guest: TestBrowser,
  restaurant: Restaurant,
  more: Partial<CallInput<typeof api.requests.send>['body']> = {},
) => guest.call(api.requests.send, { body: { ...at(restaurant), serviceType: 'check', ...more } })

const switchOn = (restaurant: Restaurant, body: RestaurantChange) =>
  restaurant.owner.ok(api.restaurant.change, { body })

const pageOf = async (guest: TestBrowser, query: Record<string, string>): Promise<string> =>
  (await guest.fetch(`/customer?${new URLSearchParams(query).toString()}`)).text()

const audited = async (restaurant: Restaurant) =>
  (await restaurant.owner.ok(api.audit.list, { query: {} })).entries.map(
    ({ action, actorName, detail }) => [action, actorName, detail] as const,
  )

const scan = { code: 'code_required', message: 'Please scan the code on your table.' }
const wave = { code: 'table_muted', message: 'Please wave to your waiter.' }

describe('verified codes only', () => {
  it('is off until the owner turns it on, which is recorded', async () => {
    const restaurant = await open()
    expect(await restaurant.owner.ok(api.restaurant.settings, {})).toMatchObject({
      verifiedOnly: false,
      pinRequired: false,
    })
    expect((await ask(app.browser(), restaurant)).status).toBe(201)
    expect(await switchOn(restaurant, { verifiedOnly: true })).toMatchObject({ verifiedOnly: true })
    expect((await audited(restaurant))[0]).toEqual([
      'restaurant.change',
      'owner@example.com',
      { verifiedOnly: true },
    ])
  })

  it('asks guests without a code to scan it, for every operation, and stores nothing', async () => {
    const restaurant = await open()
    await switchOn(restaurant, { verifiedOnly: true })
    const guest = app.browser()
    expect(await ask(guest, restaurant)).toMatchObject({ status: 409, body: scan })
    expect(await ask(guest, restaurant, { k: '1.made-up' })).toMatchObject({ status: 409, body: scan })
    const screen = await guest.connect()
    expect(await screen.request({ type: 'service-request', ...at(restaurant) })).toMatchObject({
      type: 'error',
      ...scan,
    })
    const form = await guest.fetch('/customer', {
      method: 'POST',
      body: new URLSearchParams({ r: restaurant.name, t: '1', serviceType: 'check', action: 'ask' }),
    })
    expect([form.status, await form.text()]).toEqual([409, expect.stringContaining(scan.message)])
    expect(await pendingRequests(restaurant.device)).toMatchObject({ requests: [] })

    // Before anybody taps for nothing.
    expect(await guest.ok(api.requests.mine, { query: at(restaurant) })).toMatchObject({ barrier: scan.code })
    const context = { type: 'set-restaurant-context', ...at(restaurant) } as const
    expect(await screen.request(context)).toMatchObject({ type: 'ack', barrier: scan.code })
    expect(await pageOf(guest, { r: restaurant.name, t: '1' })).toContain(scan.message)
  })

  it("accepts the table's code, and the restaurant's with a typed table number", async () => {
    const restaurant = await open()
    await switchOn(restaurant, { verifiedOnly: true })
    const record = await recordOf(restaurant)
    const [table1, table2] = await restaurant.owner.ok(api.floor.tables, {})
    const ofTable = createProof(app.ctx, record, table1?.id ?? '')
    const ofOther = createProof(app.ctx, record, table2?.id ?? '')
    const general = createProof(app.ctx, record, null)
    const guest = app.browser()
    expect((await ask(guest, restaurant, { k: ofTable })).status).toBe(201)
    expect(await ask(app.browser(), restaurant, { k: ofOther })).toMatchObject({ status: 409, body: scan })
    expect((await ask(guest, restaurant, { k: general, tableNumber: '2' })).status).toBe(201)
    expect(await guest.ok(api.requests.mine, { query: { ...at(restaurant), k: general } })).toMatchObject({
      barrier: null,
    })
    expect(await pageOf(guest, { r: restaurant.name, t: '1', k: ofTable })).not.toContain(scan.message)
  })

  it('asks a device once per visit, until the codes are renewed', async () => {
    const restaurant = await open()
    const { guestLink } = await switchOn(restaurant, { verifiedOnly: true })
    await restaurant.owner.ok(api.qr.generate, {
      body: { restaurantId: restaurant.name, qrCodeDataUrl: smallPng },
    })
    const k = new URL(guestLink).searchParams.get('k') ?? ''
    const [guest, other] = [app.browser(), app.browser()]
    const link = { r: restaurant.name, t: '1' }
    expect(await pageOf(guest, { ...link, k })).not.toContain(scan.message)
    // The page has removed the code from its address.
    expect(await pageOf(guest, link)).not.toContain(scan.message)
    expect(await ask(guest, restaurant)).toMatchObject({ status: 201, body: { request: { verified: true } } })
    expect(await pageOf(guest, { ...link, t: '2' })).toContain(scan.message)

    await pageOf(other, link)
    other.cookies.set('tsr_v', guest.cookies.get('tsr_v') ?? '')
    expect(await pageOf(other, link)).toContain(scan.message)

    await restaurant.owner.ok(api.qr.remove, {})
    expect(await pageOf(guest, link)).toContain(scan.message)
    expect(await ask(guest, restaurant, { serviceType: 'drinks' })).toMatchObject({ status: 409, body: scan })
  })

  it('asks again after the visit, whatever the device has stored', async () => {
    const restaurant = await open()
    const { guestLink } = await switchOn(restaurant, { verifiedOnly: true })
    const k = new URL(guestLink).searchParams.get('k') ?? ''
    const guest = await app.phone()
    await guest.ok(api.requests.mine, { query: { ...at(restaurant), k } })
    expect(await guest.ok(api.requests.mine, { query: at(restaurant) })).toMatchObject({ barrier: null })
    app.advance(visitDurationMs + 1)
    expect(await guest.ok(api.requests.mine, { query: at(restaurant) })).toMatchObject({ barrier: scan.code })
    await guest.fetch('/customer', {
      method: 'POST',
      body: new URLSearchParams({ action: 'reset', r: restaurant.name, t: '1' }),
    })
    expect(await ask(guest, restaurant)).toMatchObject({ status: 409, body: scan })
    expect((await ask(guest, restaurant, { k })).status).toBe(201)
  })

  it('lets owners and managers try the guest page with a link that holds a code', async () => {
    const restaurant = await open()
    const { guestLink } = await switchOn(restaurant, { verifiedOnly: true })
    const k = new URL(guestLink).searchParams.get('k') ?? ''
    expect((await ask(app.browser(), restaurant, { k })).status).toBe(201)
    expect(await restaurant.device.call(api.restaurant.settings, {})).toMatchObject({ status: 403 })
  })
})

describe('a muted table', () => {
  it('accepts no requests until its time is over; earlier ones stay', async () => {
    const restaurant = await open()
    const [crew, colleague] = [await connectScreen(restaurant.device), await connectScreen(restaurant.device)]
    const [guest, neighbour] = [app.browser(), app.browser()]
    const screen = await guest.connect()
    await screen.request({ type: 'set-restaurant-context', ...at(restaurant) })
    const before = await ask(guest, restaurant, { id: 'before', serviceType: 'drinks' })
    const until = app.now() + 3_600_000
    expect((await crew.request({ type: 'mute-table', tableNumber: '1', until })).type).toBe('ack')

    const muted = [{ tableNumber: '1', until, by: { id: null, name: 'Crew' } }]
    for (const table1 of [crew, colleague]) expect((await table1.next('muted-tables')).tables).toEqual(muted)
    expect(await pendingRequests(restaurant.device)).toMatchObject({
      muted,
      requests: [{ id: before.body.request.id }],
    })
    await screen.next('table-changed')
    expect(await guest.ok(api.requests.mine, { query: at(restaurant) })).toMatchObject({ barrier: wave.code })
    expect(await pageOf(guest, { r: restaurant.name, t: '1' })).toContain(wave.message)
    expect(await ask(guest, restaurant)).toMatchObject({ status: 409, body: wave })
    expect(await screen.request({ type: 'service-request', ...at(restaurant) })).toMatchObject({
      type: 'error',
      ...wave,
    })
    // A repeated request that was stored is still answered, and other tables are not affected.
    expect((await ask(guest, restaurant, { id: 'before', serviceType: 'drinks' })).status).toBe(200)
    expect((await ask(neighbour, restaurant, { tableNumber: '2' })).status).toBe(201)

    app.advance(3_599_999)
    await unmuteExpired(app.ctx)
    expect(await ask(app.browser(), restaurant)).toMatchObject({ status: 409 })
    app.advance(1)
    expect((await ask(app.browser(), restaurant)).status).toBe(201)
    await Promise.all([unmuteExpired(app.ctx), unmuteExpired(app.ctx)])
    expect(await pendingRequests(restaurant.device)).toMatchObject({ muted: [] })
    const actions = (await audited(restaurant)).map(([action]) => action)
    expect(actions.filter((action) => action.startsWith('tables.'))).toEqual(['tables.mute'])
  })

  it('can be unmuted by any crew member, and shows managers who muted it', async () => {
    const restaurant = await open()
    const maya = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya Lind', role: 'Server' } })
    const crew = await connectScreen(restaurant.device)
    await crew.request({ type: 'set-crew-member-context', crewMemberId: maya.id })
    await crew.request({ type: 'mute-table', tableNumber: ' 1 ' })
    expect(await crew.next('muted-tables')).toMatchObject({
      tables: [{ tableNumber: '1', until: null, by: { id: maya.id, name: 'Maya Lind' } }],
    })
    const colleague = await connectScreen(restaurant.device)
    await colleague.request({ type: 'unmute-table', tableNumber: '1' })
    expect(await crew.next('muted-tables')).toMatchObject({ tables: [] })
    expect((await ask(app.browser(), restaurant)).status).toBe(201)
    expect((await audited(restaurant)).slice(0, 2)).toEqual([
      ['tables.unmute', 'Crew', { tableNumber: '1' }],
      ['tables.mute', 'Maya Lind', { tableNumber: '1', until: null }],
    ])
  })

  it('must exist, and be muted until a time in the future', async () => {
    const restaurant = await open()
    const crew = await connectScreen(restaurant.device)
    expect(await crew.request({ type: 'mute-table', tableNumber: '99' })).toMatchObject({
      type: 'error',
      code: 'not_found',
    })
    // The second is later than any date.
    for (const until of [app.now(), 9e15])
      expect(await crew.request({ type: 'mute-table', tableNumber: '1', until })).toMatchObject({
        type: 'error',
        code: 'invalid',
      })
    expect((await crew.request({ type: 'unmute-table', tableNumber: '99' })).type).toBe('ack')
    expect(await pendingRequests(restaurant.device)).toMatchObject({ muted: [] })
  })
})

describe('a PIN for everybody', () => {
  it('allows only members with a PIN to be chosen, and tells the others whom to ask', async () => {
    const restaurant = await open()
    const ana = await restaurant.owner.ok(api.crew.add, { body: { name: 'Ana', role: 'Server' } })
    const ben = await restaurant.owner.ok(api.crew.add, { body: { name: 'Ben', role: 'Host' } })
    await restaurant.owner.ok(api.crew.change, { params: { id: ben.id }, body: { pin: '4711' } })
    expect(await restaurant.owner.ok(api.restaurant.settings, {})).toMatchObject({ withoutPin: ['Ana'] })
    const crew = await connectScreen(restaurant.device)
    const choose = (crewMemberId: string, pin?: string) =>
      crew.request({ type: 'set-crew-member-context', crewMemberId, ...(pin !== undefined && { pin }) })
    const screenOfAna = await restaurant.device.connect()
    const asAna = { type: 'set-crew-member-context', crewMemberId: ana.id } as const
    expect((await screenOfAna.request(asAna)).type).toBe('ack')
    await switchOn(restaurant, { pinRequired: true })
    // Screens that act as somebody without a PIN have to choose again.
    expect(await screenOfAna.closed).toBe(closeCodes.restart)
    expect(await choose(ana.id)).toMatchObject({
      type: 'error',
      code: 'forbidden',
      message: 'Ask your manager for a PIN',
    })
    expect(await choose(ben.id)).toMatchObject({ type: 'error', code: 'pin_required' })
    expect((await choose(ben.id, '4711')).type).toBe('ack')
    // Once given, it is remembered for 12 hours.
    expect((await choose(ben.id)).type).toBe('ack')

    // Crew members who sign in with a password of their own need no PIN.
    const login = { username: 'ana.blue', password: 'copper-lantern-42' }
    await restaurant.owner.ok(api.crew.change, { params: { id: ana.id }, body: login })
    const own = app.browser()
    await own.ok(api.accounts.crewLogin, { body: login })
    const screen = await own.connect()
    expect((await screen.request({ type: 'set-crew-member-context', crewMemberId: ana.id })).type).toBe('ack')
  })
})

describe('the sounds of requests', () => {
  it('are bells until the owner chooses others, which open screens are told at once and others on arrival', async () => {
    const restaurant = await open()
    expect(await restaurant.owner.ok(api.restaurant.settings, {})).toMatchObject({ alarmSet: 'bells' })
    const screen = await connectScreen(restaurant.device)
    const context = { type: 'set-restaurant-context', restaurantId: restaurant.name } as const
    expect(await screen.request(context)).toMatchObject({ alarmSet: 'bells' })
    expect(await switchOn(restaurant, { alarmSet: 'wood' })).toMatchObject({ alarmSet: 'wood' })
    expect(await screen.next('alarm-set')).toMatchObject({ alarmSet: 'wood' })
    expect(await screen.request(context)).toMatchObject({ alarmSet: 'wood' })
    expect((await audited(restaurant))[0]).toEqual([
      'restaurant.change',
      'owner@example.com',
      { alarmSet: 'wood' },
    ])
  })
})
