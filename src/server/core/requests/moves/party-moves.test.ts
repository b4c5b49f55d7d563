import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs } from '#contract/durations.ts'
import { setUpApp } from '../../../../../test/support/app.ts'
import { pendingRequests } from '../../../../../test/support/pages/crew-view.ts'
import { openPartyRestaurant } from '../../../../../test/support/restaurants/party-restaurant.ts'

const app = setUpApp({ guestLimits: false })
const openRestaurant = () => openPartyRestaurant(app)

const eventsOf = async (id: string) => {
  const events = await app.ctx.db.reader
    .selectFrom('requestEvent')
    .select(['kind', 'actorName'])
    .where('requestId', '=', id)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return events.map(({ kind, actorName }) => (actorName === null ? kind : `${kind} by ${actorName}`))
}

describe('a party that moves', () => {
  it('takes its open requests along; their history keeps the table where they were asked', async () => {
    const { ask, move, rail, screen, device, maya, rowOf } = await openRestaurant()
    const guest = app.browser()
    const [drinks, check] = [await ask(guest, '4', 'drinks'), await ask(guest, '4', 'check')]
    await screen.request({ type: 'accept-request', id: check.id })
    expect(await move(' 4 ', '12')).toMatchObject({ type: 'ack' })
    expect(await rail()).toEqual(['12: check ×1', '12: drinks ×1'])
    const { requests } = await pendingRequests(device)
    expect(requests.find(({ id }) => id === drinks.id)).toMatchObject({
      tableNumber: '12',
      movedFrom: '4',
      state: 'waiting',
      timestamp: drinks.timestamp,
    })
    expect(requests.find(({ id }) => id === check.id)).toMatchObject({
      movedFrom: '4',
      acceptedBy: { id: maya.id },
    })
    expect(screen.ofType('request-updated').at(-1)).toMatchObject({ request: { tableNumber: '12' } })
    expect(await rowOf(drinks.id)).toMatchObject({ tableNumber: '4', tableKey: '12', movedTo: '12' })
    expect(await eventsOf(drinks.id)).toEqual(['created', 'moved by Maya Lind'])
    const history = (tableNumber: string) => device.ok(api.tables.history, { query: { tableNumber } })
    expect(await history('4')).toMatchObject([{ movedTo: '12' }, { movedTo: '12' }])
    expect(await history('12')).toMatchObject([{ movedFrom: '4' }, { movedFrom: '4' }])
    expect(await history('5')).toEqual([])
  })

  it('moves once, however often the same move is sent', async () => {
    const { ask, move, rail } = await openRestaurant()
    const guest = app.browser()
    await ask(guest, '4', 'drinks')
    await move('4', '12', 'move-1')
    await ask(app.browser(), '4', 'food')
    expect(await move('4', '12', 'move-1')).toMatchObject({ type: 'ack' })
    expect(await rail()).toEqual(['12: drinks ×1', '4: food ×1'])
  })

  it('is moved by one of two who move it at the same moment, who can undo it', async () => {
    const { ask, move, undo, rail } = await openRestaurant()
    await ask(app.browser(), '4', 'drinks')
    expect(await move('4', '5', 'first')).toMatchObject({ type: 'ack' })
    app.advance(9_000)
    expect(await move('4', '12', 'second')).toMatchObject({
      code: 'conflict',
      message: 'This party has just been moved',
    })
    expect(await rail()).toEqual(['5: drinks ×1'])
    expect(await undo('first')).toMatchObject({ type: 'ack' })
    expect(await rail()).toEqual(['4: drinks ×1'])
    // What another party asks for at the table meanwhile can be moved.
    await move('4', '5', 'third')
    await ask(app.browser(), '4', 'food')
    expect(await move('4', '12', 'fourth')).toMatchObject({ type: 'ack' })
    expect(await rail()).toEqual(['12: food ×1', '5: drinks ×1'])
  })

  it('is followed by its phones: taps that name the old table, lists, pages and live updates', async () => {
    const { name, at, ask, look, move, rail, follow } = await openRestaurant()
    const [asked, looked] = [app.browser(), await app.phone()]
    const drinks = await ask(asked, '4', 'drinks', { id: 'first' })
    await look(looked, '4')
    const [page, other] = [await follow(asked, '4'), await follow(app.browser(), '12')]
    app.advance(1000)
    await move('4', '12')
    expect((await page.next('table-changed')).type).toBe('table-changed')
    expect(await look(asked, '4')).toMatchObject({ movedTo: '12', requests: [{ id: drinks.id }] })
    expect(await page.request({ type: 'set-restaurant-context', ...at('4') })).toMatchObject({
      movedTo: '12',
      requests: [{ id: drinks.id, tableNumber: '12' }],
    })
    expect((await other.next('request-updated')).request).toMatchObject({ id: drinks.id, movedFrom: '4' })

    // The outbox of a phone that was offline, and the tap that the server had stored before.
    expect(await ask(looked, '4', 'check')).toMatchObject({ tableNumber: '12' })
    expect((await page.next('request-updated')).request).toMatchObject({ serviceType: 'check' })
    expect(await ask(asked, '4', 'drinks', { id: 'first' })).toMatchObject({ id: drinks.id, asks: 1 })
    expect(await ask(asked, '4', 'drinks')).toMatchObject({ id: drinks.id, asks: 2 })
    const html = await (await asked.fetch(`/customer?${new URLSearchParams({ r: name, t: '4' })}`)).text()
    expect(html).toContain('Table 12')

    // Whoever sits down at the table afterwards has nothing to do with them.
    const newcomer = app.browser()
    await look(newcomer, '4')
    expect(await ask(newcomer, '4', 'food')).toMatchObject({ tableNumber: '4' })
    expect((await look(newcomer, '4')).requests).toMatchObject([{ serviceType: 'food' }])
    expect(await rail()).toEqual(['12: check ×1', '12: drinks ×2', '4: food ×1'])
  })

  it('is not followed by those who sit there next, also after the clock was set back', async () => {
    const { at, ask, look, move, rail } = await openRestaurant()
    const [former, next, again] = [app.browser(), await app.phone(), app.browser()]
    await ask(former, '4', 'drinks')
    await ask(again, '4', 'drinks')
    app.advance(1000)
    await move('4', '12')
    app.advance(-hourMs)
    for (let times = 0; times < 2; times++) expect(await look(next, '4')).not.toHaveProperty('movedTo')
    for (const guest of [next, next, app.browser()])
      expect(await ask(guest, '4', 'food')).toMatchObject({ tableNumber: '4' })
    const body = new URLSearchParams({ action: 'reset', r: at('4').restaurantId, t: '4' })
    await again.fetch('/customer', { method: 'POST', body, redirect: 'manual' })
    expect(await ask(again, '4', 'check')).toMatchObject({ tableNumber: '4' })
    expect(await ask(former, '4', 'other')).toMatchObject({ tableNumber: '12' })
    expect(await rail()).toEqual(['12: drinks ×2', '12: other ×1', '4: check ×1', '4: food ×3'])
  })

  it('is followed by phones that were there before the clock was set back', async () => {
    const { ask, look, move, rail } = await openRestaurant()
    const guest = app.browser()
    await ask(guest, '4', 'drinks')
    app.advance(-hourMs)
    await move('4', '12')
    expect(await look(guest, '4')).toMatchObject({ movedTo: '12' })
    await ask(guest, '4', 'check')
    expect(await rail()).toEqual(['12: check ×1', '12: drinks ×1'])
  })

  it('moves without any requests where another left that table before the clock was set back', async () => {
    const { look, move } = await openRestaurant()
    const guest = await app.phone()
    await move('4', '12')
    app.advance(-hourMs)
    await look(guest, '4')
    expect(await move('4', '5')).toMatchObject({ type: 'ack' })
    expect(await look(guest, '4')).toMatchObject({ movedTo: '5' })
  })

  it('is followed over several moves, and back', async () => {
    const { ask, look, move } = await openRestaurant()
    const guest = app.browser()
    const drinks = await ask(guest, '4', 'drinks')
    app.advance(1)
    await move('4', '5')
    await move('5', '12')
    expect(await look(guest, '4')).toMatchObject({ movedTo: '12', requests: [{ movedFrom: '4' }] })
    await move('12', '4')
    const { movedTo, requests } = await look(guest, '4')
    expect(movedTo).toBeUndefined()
    expect(requests).toMatchObject([{ id: drinks.id, tableNumber: '4' }])
    expect(requests[0]).not.toHaveProperty('movedFrom')
  })

  it('keeps the visit of the guest who was there first apart from that of the next one', async () => {
    const { ask, look, move } = await openRestaurant()
    const [first, second] = [app.browser(), app.browser()]
    await ask(first, '4', 'drinks')
    app.advance(1000)
    await move('4', '5')
    app.advance(1000)
    await ask(second, '4', 'drinks')
    app.advance(1000)
    await move('4', '12')
    expect((await look(first, '4')).movedTo).toBe('5')
    expect((await look(second, '4')).movedTo).toBe('12')
  })

  it('starts anew at its old table when the guest resets the visit there', async () => {
    const { name, ask, look, move } = await openRestaurant()
    const guest = app.browser()
    await ask(guest, '4', 'drinks')
    app.advance(1000)
    await move('4', '12')
    app.advance(1000)
    const body = new URLSearchParams({ action: 'reset', r: name, t: '4' })
    expect((await guest.fetch('/customer', { method: 'POST', body })).status).toBe(303)
    expect(await look(guest, '4')).toMatchObject({ requests: [] })
    expect(await ask(guest, '4', 'food')).toMatchObject({ tableNumber: '4' })
  })

  it('is not taken for another that had left its new table before', async () => {
    const { ask, look, move, proofOf } = await openRestaurant()
    const restaurantWide = await proofOf(null)
    const guest = await app.phone()
    await look(guest, '4', restaurantWide)
    app.advance(1000)
    await ask(app.browser(), '12', 'drinks')
    await move('12', '5')
    app.advance(1000)
    await move('4', '12')
    expect(await look(guest, '4', restaurantWide)).toMatchObject({ movedTo: '12', requests: [] })
    const view = await look(guest, '12')
    expect(view).toMatchObject({ requests: [] })
    expect(view.movedTo).toBeUndefined()
    expect(await ask(guest, '12', 'check')).toMatchObject({ tableNumber: '12' })
  })

  it('stays at the last of its tables that still exists', async () => {
    const { owner, ask, look, move } = await openRestaurant()
    const remove = async (tableNumber: string) => {
      const table = (await owner.ok(api.floor.tables, {})).find((each) => each.tableNumber === tableNumber)
      await owner.ok(api.floor.removeTable, { params: { id: table?.id ?? '' }, query: { confirm: 'true' } })
    }
    const guest = app.browser()
    await ask(guest, '4', 'drinks')
    app.advance(1000)
    await move('4', '5')
    await move('5', '12')
    await remove('12')
    expect((await look(guest, '4')).movedTo).toBe('5')
    expect(await ask(guest, '4', 'check')).toMatchObject({ tableNumber: '5' })
    await remove('5')
    expect((await look(guest, '4')).movedTo).toBeUndefined()
    expect(await ask(guest, '4', 'food')).toMatchObject({ tableNumber: '4' })
  })

  it('does not take the proof of its code along', async () => {
    const { owner, ask, look, move, proofOf, device } = await openRestaurant()
    const [four, twelve] = [await proofOf('4'), await proofOf('12')]
    const guest = app.browser()
    await look(guest, '4', four)
    const drinks = await ask(guest, '4', 'drinks', { k: four })
    expect(drinks.verified).toBe(true)
    app.advance(1000)
    await move('4', '12')
    expect((await pendingRequests(device)).requests).toMatchObject([{ id: drinks.id, verified: false }])
    expect(await ask(guest, '4', 'check', { k: four })).toMatchObject({ tableNumber: '12', verified: false })
    await owner.ok(api.restaurant.change, { body: { verifiedOnly: true } })
    expect(await look(guest, '4', four)).toMatchObject({ barrier: 'code_required' })
    await look(guest, '12', twelve)
    expect(await ask(guest, '12', 'check')).toMatchObject({ asks: 2, verified: true })
    // The code of the new table says nothing about the old one either.
    const other = app.browser()
    await look(other, '12', twelve)
    expect(await look(other, '4')).toMatchObject({ barrier: 'code_required' })
  })

  it('calls the crew of its new table', async () => {
    const { owner, device, ask, move, maya } = await openRestaurant()
    const tables = await owner.ok(api.floor.tables, {})
    const twelve = tables.find(({ tableNumber }) => tableNumber === '12')
    const date = new Date(app.now()).toISOString().slice(0, 10)
    await owner.ok(api.floor.assign, {
      body: { date, assignments: [{ tableId: twelve?.id ?? '', crewMemberId: maya.id }] },
    })
    const drinks = await ask(app.browser(), '4', 'drinks')
    expect(drinks.crew).toEqual([])
    await move('4', '12')
    expect((await pendingRequests(device)).requests).toMatchObject([{ id: drinks.id, crew: [maya.id] }])
  })

  it('is told to staff screens, also where only its phones move', async () => {
    const { ask, move, undo, screen } = await openRestaurant()
    const { id } = await ask(app.browser(), '4', 'drinks')
    await screen.request({ type: 'complete-request', id })
    await move('4', '12', 'move-1')
    await screen.next('seating-changed')
    await undo('move-1')
    await expect.poll(() => screen.ofType('seating-changed').length).toBe(2)
  })

  it('counts its phones', async () => {
    const { device, ask, move } = await openRestaurant()
    const phones = async (tableNumber: string) =>
      (await device.ok(api.tables.party, { query: { tableNumber } })).phones
    for (const guest of [app.browser(), app.browser()]) await ask(guest, '4', 'drinks')
    await ask(app.browser(), '12', 'drinks')
    expect([await phones('4'), await phones('12'), await phones('5')]).toEqual([2, 1, 0])
    app.advance(1000)
    await move('4', '12')
    await move('12', '5')
    expect([await phones('4'), await phones('12'), await phones('5')]).toEqual([0, 0, 3])
    app.advance(181 * 60_000)
    expect(await phones('5')).toBe(0)
  })

  it('is refused in words where there is nowhere to go', async () => {
    const { ask, move, undo, rail } = await openRestaurant()
    await ask(app.browser(), '4', 'drinks')
    expect(await move('4', ' 4')).toMatchObject({ code: 'invalid', message: 'Please choose another table' })
    expect(await move('4', '99')).toMatchObject({ code: 'not_found', message: 'Table 99 not found' })
    expect(await move('98', '4')).toMatchObject({ code: 'not_found', message: 'Table 98 not found' })
    expect(await move('4', '')).toMatchObject({ code: 'invalid' })
    expect(await undo('never')).toMatchObject({ code: 'not_found' })
    expect(await rail()).toEqual(['4: drinks ×1'])
  })
})
