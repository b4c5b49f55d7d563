import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { connectScreen, pendingRequests } from '../../../../test/support/pages/crew-view.ts'
import {
  allergy,
  ask,
  card,
  needs,
  openWithNeeds,
  rail,
  seenWater,
  send,
  setNeeds,
  sparkling,
  still,
  water,
  type TapInput,
} from '../../../../test/support/restaurants/own-needs.ts'
import { openPartyRestaurant } from '../../../../test/support/restaurants/party-restaurant.ts'
import { subscribeInSandbox } from '../../../../test/support/stripe/sandbox-subscription.ts'

const app = setUpApp()

describe('a need of the restaurant’s own', () => {
  it('is asked for over HTTP and live, and stands under Other with its name', async () => {
    const restaurant = await openWithNeeds(app)
    const guest = app.browser()
    const crew = await connectScreen(restaurant.device)
    expect(await send(guest, restaurant, { need: 'water', choice: 'still' })).toMatchObject({
      status: 201,
      body: { request: { serviceType: 'other', need: seenWater, choice: still, asks: 1 } },
    })
    expect((await crew.next('new-request')).request).toMatchObject({
      serviceType: 'other',
      need: seenWater,
      choice: still,
    })
    const phone = await app.browser().connect()
    const live = await phone.request({
      type: 'service-request',
      restaurantId: restaurant.name,
      tableNumber: '8',
      serviceType: 'other',
      need: 'water',
    })
    expect(live).toMatchObject({ type: 'ack', request: { need: seenWater } })
    expect(live).not.toHaveProperty('request.choice')
    expect(await rail(restaurant)).toEqual(['other:water (still) ×1', 'other:water ×1'].toSorted())
    const query = { restaurantId: restaurant.name, tableNumber: '7' }
    expect((await guest.ok(api.requests.mine, { query })).requests).toMatchObject([
      { need: seenWater, choice: still },
    ])
  })

  it('is merged with the same need only, and the latest choice is told to crew and guests', async () => {
    const restaurant = await openWithNeeds(app)
    const [guest, other] = [app.browser(), app.browser()]
    const first = await ask(guest, restaurant, { need: 'water', choice: 'still' })
    await ask(guest, restaurant, { need: 'allergy' })
    await ask(guest, restaurant, {})
    const crew = await connectScreen(restaurant.device)
    const phone = await guest.connect()
    await phone.request({ type: 'set-restaurant-context', restaurantId: restaurant.name, tableNumber: '7' })
    await crew.request({ type: 'accept-request', id: first.id })
    await phone.next('request-updated')
    const again = await ask(other, restaurant, { need: 'water', choice: 'sparkling' })
    expect(again).toMatchObject({ id: first.id, state: 'accepted', asks: 2, choice: sparkling })
    expect((await phone.next('request-updated')).request).toMatchObject({ asks: 2, choice: sparkling })
    await crew.next('request-updated')
    expect((await crew.next('request-updated')).request).toMatchObject({ asks: 2, choice: sparkling })
    // Somebody who only asks again does not take the choice back.
    await ask(guest, restaurant, { need: 'water' })
    expect(await rail(restaurant)).toEqual(
      ['other:water (sparkling) ×3', 'other:allergy ×1', 'other ×1'].toSorted(),
    )
  })

  it('loses its choice when whoever asked last takes that back', async () => {
    const restaurant = await openWithNeeds(app)
    const [guest, other] = [app.browser(), app.browser()]
    const { id } = await ask(guest, restaurant, { serviceType: 'check', choice: 'cash' })
    app.advance(1_000)
    await ask(other, restaurant, { serviceType: 'check', choice: 'card' })
    const crew = await connectScreen(restaurant.device)
    const { request } = await other.ok(api.requests.cancel, { params: { id } })
    expect(request).toMatchObject({ id, asks: 1 })
    expect(request).not.toHaveProperty('choice')
    expect((await crew.next('request-updated')).request).not.toHaveProperty('choice')
    app.advance(1_000)
    await ask(other, restaurant, { serviceType: 'check', choice: 'card' })
    await guest.ok(api.requests.cancel, { params: { id } })
    expect(await rail(restaurant)).toEqual(['check (card) ×1'])
  })

  it('keeps the choice of guests who have scanned the code, whatever somebody chooses who typed the number', async () => {
    const restaurant = await openWithNeeds(app)
    const { guestLink } = await restaurant.owner.ok(api.restaurant.settings, {})
    const k = new URL(guestLink).searchParams.get('k') ?? undefined
    const [guest, companion, stranger] = [app.browser(), app.browser(), app.browser()]
    const query = { restaurantId: restaurant.name, tableNumber: '7' }
    for (const phone of [guest, companion]) await phone.ok(api.requests.mine, { query: { ...query, k } })
    const { id } = await ask(guest, restaurant, { need: 'water', choice: 'still', k })
    app.advance(1_000)
    expect(await ask(stranger, restaurant, { need: 'water', choice: 'sparkling' })).toMatchObject({
      asks: 2,
      choice: still,
    })
    await stranger.ok(api.requests.cancel, { params: { id } })
    expect(await rail(restaurant)).toEqual(['other:water (still) ×1'])
    app.advance(1_000)
    expect(await ask(companion, restaurant, { need: 'water', choice: 'sparkling', k })).toMatchObject({
      choice: sparkling,
    })
    // The number may have been typed first, and what was not chosen is anybody's.
    await ask(stranger, restaurant, { serviceType: 'check', choice: 'card' })
    await ask(guest, restaurant, { serviceType: 'check', choice: 'cash', k })
    await ask(guest, restaurant, { serviceType: 'drinks', k })
    expect(await rail(restaurant)).toEqual(
      ['other:water (sparkling) ×2', 'check (cash) ×2', 'drinks ×1'].toSorted(),
    )
    await companion.ok(api.requests.cancel, { params: { id } })
    expect(await rail(restaurant)).toContain('other:water ×1')
  })

  it('keeps the choice and the note at a table when a guest without its code comes from a wrong one', async () => {
    const restaurant = await openWithNeeds(app)
    const { guestLink } = await restaurant.owner.ok(api.restaurant.settings, {})
    const k = new URL(guestLink).searchParams.get('k') ?? undefined
    const [guest, stranger] = [app.browser(), app.browser()]
    const query = { restaurantId: restaurant.name, tableNumber: '8' }
    await stranger.ok(api.requests.mine, { query })
    for (const letter of ['x', 'y'])
      await ask(stranger, restaurant, { tableNumber: '8', need: 'allergy', note: letter.repeat(140) })
    app.advance(1_000)
    await ask(guest, restaurant, { need: 'water', choice: 'still', k })
    await ask(guest, restaurant, { need: 'allergy', note: 'nuts', k })
    app.advance(1_000)
    await ask(stranger, restaurant, { tableNumber: '8', need: 'water', choice: 'sparkling' })
    await stranger.ok(api.requests.correctTable, { body: { ...query, tableNumber: '7', from: '8' } })
    const { requests } = await pendingRequests(restaurant.device)
    expect(requests).toMatchObject([
      { need: { id: 'allergy' }, note: expect.stringMatching(/^nuts · x/u) },
      { need: { id: 'water' }, choice: still, asks: 2 },
    ])
  })

  it('is taken while it is hidden, and becomes a plain call once the restaurant has removed it', async () => {
    const restaurant = await openWithNeeds(app)
    const guest = app.browser()
    await setNeeds(restaurant, [
      { ...allergy, hidden: true },
      { id: 'drinks', hidden: true },
    ])
    await ask(guest, restaurant, { need: 'water', choice: 'still', note: 'cold' })
    await ask(guest, restaurant, { need: 'allergy', note: 'nuts' })
    await ask(guest, restaurant, { serviceType: 'drinks', choice: 'still' })
    expect(await rail(restaurant)).toEqual(['other ×1', 'other:allergy "nuts" ×1', 'drinks ×1'].toSorted())
    // A tap whose answer was lost counts once, also where its need was removed meanwhile.
    const tap = { id: 'lost-answer', need: 'allergy' }
    await ask(guest, restaurant, tap)
    await setNeeds(restaurant, [])
    await ask(guest, restaurant, tap)
    expect(await rail(restaurant)).toEqual(['other ×1', 'other:allergy "nuts" ×2', 'drinks ×1'].toSorted())
    expect(await ask(guest, restaurant, { need: 'allergy', note: 'nuts' })).not.toHaveProperty('note')
    expect(await rail(restaurant)).toEqual(['other ×2', 'other:allergy "nuts" ×2', 'drinks ×1'].toSorted())
  })

  it('cannot be used to ask for anything else', async () => {
    const [restaurant, foreign] = [await openWithNeeds(app), await app.restaurant({ tables: ['7'] })]
    await setNeeds(foreign, [{ ...water, id: 'foreign' }])
    const guest = app.browser()
    for (const need of ['foreign', 'drinks', 'other', 'constructor', '__proto__'])
      expect(await ask(guest, restaurant, { need })).not.toHaveProperty('need')
    for (const choice of ['cash', 'nothing', '__proto__'])
      expect(await ask(guest, restaurant, { need: 'water', choice })).not.toHaveProperty('choice')
    const taps: object[] = [
      { need: 7 },
      { need: {} },
      { need: 'x'.repeat(10_000) },
      { choice: [] },
      { need: null },
    ]
    for (const tap of taps) {
      const body = { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'other', ...tap }
      expect((await guest.send('POST', '/api/service-requests', body)).status).toBe(200)
    }
    expect(await rail(restaurant)).toEqual([`other ×${5 + taps.length}`, 'other:water ×3'].toSorted())
    expect(await ask(guest, foreign, { need: 'foreign' })).toMatchObject({ need: { id: 'foreign' } })
  })

  it('is in the table’s history and among the completed, under the name it had', async () => {
    const restaurant = await openWithNeeds(app)
    const { id } = await ask(app.browser(), restaurant, { need: 'water', choice: 'still' })
    const crew = await connectScreen(restaurant.device)
    await crew.request({ type: 'complete-request', id })
    await setNeeds(restaurant, [{ ...water, name: { de: 'Tafelwasser' } }])
    const history = await restaurant.device.ok(api.tables.history, { query: { tableNumber: '7' } })
    expect(history).toMatchObject([{ serviceType: 'other', need: seenWater, choice: still }])
    expect((await pendingRequests(restaurant.device)).recent).toMatchObject([
      { request: { need: seenWater, choice: still } },
    ])
    await ask(app.browser(), restaurant, { need: 'water' })
    await crew.request({ type: 'reopen-request', id })
    expect(await rail(restaurant)).toEqual(['other:water ×1'].toSorted())
  })

  it('is asked for by a plain form, whose buttons are taps of their own', async () => {
    const restaurant = await openWithNeeds(app)
    const guest = app.browser()
    const page = { r: restaurant.name, t: '7', id: '0198a000-0000-7000-8000-000000000000' }
    const post = (fields: Record<string, string>) =>
      guest.fetch('/customer', {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ ...page, ...fields }),
      })
    const water = { serviceType: 'other', need: 'water', choice: 'sparkling' }
    for (const fields of [water, water, { ...water, choice: 'still' }])
      expect((await post(fields)).status).toBe(303)
    expect((await post({ serviceType: 'other', need: 'allergy', note: ' Nüsse ' })).status).toBe(303)
    // The answer was lost, and the guest writes more.
    for (const note of [' Nüsse ', 'Milch', 'Milch'])
      expect((await post({ serviceType: 'other', need: 'allergy', note })).status).toBe(303)
    expect((await post({ serviceType: 'check', choice: 'card' })).status).toBe(303)
    const tooLong = await post({ serviceType: 'other', need: 'allergy', note: 'x'.repeat(141) })
    expect(tooLong.status).toBe(400)
    expect(await tooLong.text()).toContain('Please use at most 140 characters')
    expect(await rail(restaurant)).toEqual(
      ['other:water (still) ×2', 'other:allergy "Nüsse · Milch" ×2', 'check (card) ×1'].toSorted(),
    )
  })

  it('is asked for by a table button, until the restaurant has it no more', async () => {
    const restaurant = await openWithNeeds(app)
    const { owner } = restaurant
    await subscribeInSandbox(app, owner)
    const [seven] = await owner.ok(api.floor.tables, {})
    const body = { tableId: seven?.id ?? '', serviceType: 'other', need: 'water' } as const
    const { button, token } = await owner.ok(api.tableButtons.add, { body })
    expect(button).toMatchObject({ serviceType: 'other', need: 'water' })
    expect(await owner.ok(api.tableButtons.list, {})).toEqual([button])
    const press = () => app.browser().ok(api.buttons.press, { body: { token } })
    expect((await press()).request).toMatchObject({ need: seenWater, byButton: true })
    await setNeeds(restaurant, [])
    expect((await press()).request).not.toHaveProperty('need')
    expect(await rail(restaurant)).toEqual(['other:water ×1', 'other ×1'].toSorted())
    expect((await owner.call(api.tableButtons.add, { body })).status).toBe(404)
    await owner.ok(api.tableButtons.remove, { params: { id: button.id } })
    const [removed, , added] = (await owner.ok(api.audit.list, { query: {} })).entries
    expect([removed?.detail, added?.detail]).toEqual([
      { tableNumber: '7', need: 'Other' },
      { tableNumber: '7', need: 'Wasser' },
    ])
  })
})

describe('one of the six', () => {
  it('has the restaurant’s name and choices, and is otherwise as ever', async () => {
    const restaurant = await openWithNeeds(app)
    const guest = app.browser()
    expect(await ask(guest, restaurant, { serviceType: 'food' })).toMatchObject({
      serviceType: 'food',
      need: { id: 'food', name: { de: 'Speisen' } },
    })
    expect(await ask(guest, restaurant, { serviceType: 'drinks' })).not.toHaveProperty('need')
    const check = await ask(guest, restaurant, { serviceType: 'check', choice: 'card' })
    expect(check).toMatchObject({ serviceType: 'check', choice: card })
    expect(check).not.toHaveProperty('need')
  })

  it('is paused without the restaurant’s own needs', async () => {
    const restaurant = await openWithNeeds(app)
    const body = { serviceType: 'other', minutes: 10, reason: 'crew' } as const
    await restaurant.owner.ok(api.opening.pause, { body })
    const guest = app.browser()
    expect((await send(guest, restaurant, {})).status).toBe(409)
    expect((await send(guest, restaurant, { need: 'water' })).status).toBe(201)
    expect((await send(guest, restaurant, { need: 'gone' })).status).toBe(409)
  })
})

describe('a party that moves', () => {
  it('takes its needs along, which join the same ones only, and all goes back with an undo', async () => {
    const party = await openPartyRestaurant(app)
    await setNeeds(party, needs)
    const [four, five] = [app.browser(), app.browser()]
    const at = (tableNumber: string, tap: TapInput) => ({ tableNumber, ...tap })
    await ask(four, party, at('4', { need: 'water', choice: 'still' }))
    await ask(four, party, at('4', { need: 'allergy', note: 'nuts' }))
    await ask(four, party, at('4', {}))
    app.advance(1_000)
    await ask(five, party, at('5', { need: 'water', choice: 'sparkling' }))
    await ask(five, party, at('5', { need: 'allergy', note: 'milk' }))
    app.advance(1_000)
    const before = await rail(party)
    const id = app.ctx.newId()
    await party.move('5', '4', id)
    expect(await rail(party)).toEqual(
      ['other:water (sparkling) ×2', 'other:allergy "nuts · milk" ×2', 'other ×1'].toSorted(),
    )
    await party.undo(id)
    expect(await rail(party)).toEqual(before)
    await party.move('5', '12')
    expect(await rail(party)).toEqual(before)
  })
})
