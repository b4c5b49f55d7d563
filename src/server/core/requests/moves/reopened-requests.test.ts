import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../../../../test/support/app.ts'
import { pendingRequests } from '../../../../../test/support/pages/crew-view.ts'
import { openPartyRestaurant } from '../../../../../test/support/restaurants/party-restaurant.ts'

const app = setUpApp({ guestLimits: false })

async function openRestaurant() {
  const restaurant = await openPartyRestaurant(app)
  const { screen } = restaurant
  const complete = (id: string) => screen.request({ type: 'complete-request', id })
  const reopen = (id: string) => screen.request({ type: 'reopen-request', id })
  const accept = (id: string) => screen.request({ type: 'accept-request', id })
  /** Each of these some time after the one before. */
  const later = async <T>(act: () => Promise<T>): Promise<T> => {
    app.advance(500)
    return act()
  }
  return { ...restaurant, complete, reopen, accept, later }
}

const eventsOf = async (id: string) => {
  const events = await app.ctx.db.reader
    .selectFrom('requestEvent')
    .select('kind')
    .where('requestId', '=', id)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return events.map(({ kind }) => kind)
}

describe('a completed request that is opened again after its party moved', () => {
  it('goes to where the party sits, and keeps the table where it was asked', async () => {
    const { ask, complete, reopen, move, later, rail, rowOf, look, device, screen } = await openRestaurant()
    const [guest, newcomer] = [app.browser(), app.browser()]
    const { id } = await ask(guest, '4', 'drinks')
    await later(() => complete(id))
    await later(() => move('4', '12'))
    await later(() => look(newcomer, '4'))
    expect(await reopen(id)).toMatchObject({
      type: 'ack',
      request: { id, tableNumber: '12', movedFrom: '4' },
    })
    expect(await rail()).toEqual(['12: drinks ×1'])
    expect(await rowOf(id)).toMatchObject({ tableNumber: '4', tableKey: '12', movedTo: '12' })
    expect(screen.ofType('request-updated').at(-1)).toMatchObject({ request: { id, tableNumber: '12' } })
    expect(await look(guest, '4')).toMatchObject({ movedTo: '12', requests: [{ id }], mine: [id] })
    expect((await look(newcomer, '4')).requests).toEqual([])
    expect(await eventsOf(id)).toEqual(['created', 'completed', 'reopened', 'moved'])
    const history = (tableNumber: string) => device.ok(api.tables.history, { query: { tableNumber } })
    expect(await history('4')).toMatchObject([{ id, movedTo: '12' }])
    expect(await history('12')).toMatchObject([{ id, movedFrom: '4' }])
  })

  it('is told to the phones of its party, and not to those of who sits at the old table now', async () => {
    const { ask, complete, reopen, move, later, follow } = await openRestaurant()
    const [guest, newcomer] = [app.browser(), app.browser()]
    const { id } = await ask(guest, '4', 'drinks')
    await later(() => complete(id))
    await later(() => move('4', '12'))
    app.advance(500)
    const [page, other] = [await follow(guest, '4'), await follow(newcomer, '4')]
    await reopen(id)
    expect((await page.next('request-updated')).request).toMatchObject({ id, tableNumber: '12' })
    await ask(newcomer, '4', 'check')
    await other.next('request-updated')
    expect(other.ofType('request-updated').map(({ request }) => request.serviceType)).toEqual(['check'])
  })

  it('inherits no proof, and calls the crew of the table where it is wanted', async () => {
    const { owner, ask, complete, reopen, move, later, proofOf, device, maya, look } = await openRestaurant()
    const tables = await owner.ok(api.floor.tables, {})
    const twelve = tables.find(({ tableNumber }) => tableNumber === '12')
    const date = new Date(app.now()).toISOString().slice(0, 10)
    await owner.ok(api.floor.assign, {
      body: { date, assignments: [{ tableId: twelve?.id ?? '', crewMemberId: maya.id }] },
    })
    const guest = await app.phone()
    const four = await proofOf('4')
    await look(guest, '4', four)
    const { id, verified } = await ask(guest, '4', 'drinks', { k: four })
    expect(verified).toBe(true)
    await later(() => complete(id))
    await later(() => move('4', '12'))
    await later(() => reopen(id))
    expect((await pendingRequests(device)).requests).toMatchObject([{ id, verified: false, crew: [maya.id] }])
  })

  it('follows several moves, also back to its own table, where its proof still counts', async () => {
    const { ask, complete, reopen, move, later, rail, proofOf, device, look } = await openRestaurant()
    const guest = await app.phone()
    const four = await proofOf('4')
    await look(guest, '4', four)
    const { id } = await ask(guest, '4', 'drinks', { k: four })
    await later(() => complete(id))
    await later(() => move('4', '5'))
    await later(() => move('5', '12'))
    await later(() => reopen(id))
    expect(await rail()).toEqual(['12: drinks ×1'])
    const food = await ask(guest, '12', 'food')
    await later(() => complete(food.id))
    await later(() => move('12', '5'))
    await later(() => move('5', '12'))
    await later(() => reopen(food.id))
    expect(await rail()).toEqual(['12: drinks ×1', '12: food ×1'])
    const { requests } = await pendingRequests(device)
    expect(requests.find((request) => request.id === food.id)).not.toHaveProperty('movedFrom')
  })

  it.for([
    { first: 'the table that they joined', older: '12' },
    { first: 'the party that has come', older: '4' },
  ])('joins what $first has asked for before', async ({ older }) => {
    const { ask, complete, reopen, move, later, rail, rowOf, look, screen } = await openRestaurant()
    const [guest, other] = [app.browser(), app.browser()]
    const theirs = older === '12' ? await ask(other, '12', 'drinks') : null
    const ours = await later(() => ask(guest, '4', 'drinks'))
    const same = theirs ?? (await later(() => ask(other, '12', 'drinks')))
    await later(() => complete(ours.id))
    await later(() => move('4', '12'))
    const [kept, given] = older === '12' ? [same, ours] : [ours, same]
    expect(await later(() => reopen(ours.id))).toMatchObject({ type: 'ack', request: { id: kept.id } })
    expect(await rail()).toEqual(['12: drinks ×2'])
    expect(await rowOf(given.id)).toMatchObject({ closedAs: 'merged', mergedInto: kept.id })
    expect(screen.ofType('request-completed').at(-1)).toMatchObject({ id: given.id, mergedInto: kept.id })
    expect((await look(guest, '4')).mine).toEqual([kept.id])
    expect((await look(other, '12')).mine).toEqual([kept.id])
    await guest.ok(api.requests.cancel, { params: { id: ours.id } })
    expect(await rail()).toEqual(['12: drinks ×1'])
    await other.ok(api.requests.cancel, { params: { id: same.id } })
    expect(await rail()).toEqual([])
  })

  it('stays joined when the screen asks again because the answer was lost', async () => {
    const { ask, complete, reopen, move, later, rail, screen } = await openRestaurant()
    const theirs = await ask(app.browser(), '12', 'drinks')
    const ours = await later(() => ask(app.browser(), '4', 'drinks'))
    await later(() => complete(ours.id))
    await later(() => move('4', '12'))
    await later(() => reopen(ours.id))
    for (const ageMs of [500, 1_000])
      expect(await later(() => screen.request({ type: 'reopen-request', id: ours.id, ageMs }))).toMatchObject(
        { type: 'ack', request: { id: theirs.id, asks: 2 } },
      )
    expect(await rail()).toEqual(['12: drinks ×2'])
    await complete(theirs.id)
    const again = await later(() => screen.request({ type: 'reopen-request', id: ours.id, ageMs: 2_000 }))
    expect(again).toMatchObject({ type: 'ack' })
    expect(await rail()).toEqual([])
  })

  it('goes on for whoever was on the way, also where the other is older', async () => {
    const { ask, accept, complete, reopen, move, later, device, maya } = await openRestaurant()
    await ask(app.browser(), '12', 'drinks')
    const ours = await later(() => ask(app.browser(), '4', 'drinks'))
    await accept(ours.id)
    await later(() => complete(ours.id))
    await later(() => move('4', '12'))
    await later(() => reopen(ours.id))
    expect((await pendingRequests(device)).requests).toMatchObject([
      { id: ours.id, asks: 2, tableNumber: '12', acceptedBy: { id: maya.id } },
    ])
  })

  it('leaves alone what the next guests have asked for at the old table', async () => {
    const { ask, complete, reopen, move, later, rail } = await openRestaurant()
    const { id } = await ask(app.browser(), '4', 'drinks')
    await later(() => complete(id))
    await later(() => move('4', '12'))
    await later(() => ask(app.browser(), '4', 'drinks'))
    expect(await later(() => reopen(id))).toMatchObject({ type: 'ack' })
    expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×1'])
  })

  it('stays at the table of guests who came after the party had moved', async () => {
    const { ask, complete, reopen, move, later, rail } = await openRestaurant()
    await ask(app.browser(), '4', 'food')
    await later(() => move('4', '12'))
    const { id } = await later(() => ask(app.browser(), '4', 'drinks'))
    await later(() => complete(id))
    await later(() => reopen(id))
    expect(await rail()).toEqual(['12: food ×1', '4: drinks ×1'])
  })

  it('stays at the last of its party’s tables that still exists', async () => {
    const { owner, ask, complete, reopen, move, later, rail } = await openRestaurant()
    const { id } = await ask(app.browser(), '4', 'drinks')
    await later(() => complete(id))
    await later(() => move('4', '5'))
    await later(() => move('5', '12'))
    const table = (await owner.ok(api.floor.tables, {})).find(({ tableNumber }) => tableNumber === '12')
    await owner.ok(api.floor.removeTable, { params: { id: table?.id ?? '' }, query: { confirm: 'true' } })
    await later(() => reopen(id))
    expect(await rail()).toEqual(['5: drinks ×1'])
  })

  it('cannot be opened again once its table has asked for the same, or after 10 seconds', async () => {
    const { ask, complete, reopen, later, rail, screen } = await openRestaurant()
    const guest = app.browser()
    const { id } = await ask(guest, '4', 'drinks')
    await later(() => complete(id))
    await later(() => ask(guest, '4', 'drinks'))
    expect(await reopen(id)).toMatchObject({ message: 'The table has already asked again' })
    const food = await ask(guest, '4', 'food')
    await later(() => complete(food.id))
    for (let seconds = 0; seconds <= 10; seconds += 5) {
      app.advance(5_000)
      await screen.request({ type: 'ping' })
    }
    expect(await reopen(food.id)).toMatchObject({ message: 'This can no longer be undone' })
    expect(await rail()).toEqual(['4: drinks ×1'])
  })
})

describe('the undo of a move', () => {
  it('takes back what was opened again since, with its proof', async () => {
    const { ask, complete, reopen, move, undo, later, rail, proofOf, device, look } = await openRestaurant()
    const guest = await app.phone()
    const four = await proofOf('4')
    await look(guest, '4', four)
    const { id } = await ask(guest, '4', 'drinks', { k: four })
    await later(() => complete(id))
    await later(() => move('4', '12', 'move-1'))
    await later(() => reopen(id))
    expect(await rail()).toEqual(['12: drinks ×1'])
    await later(() => undo('move-1'))
    expect((await pendingRequests(device)).requests).toMatchObject([{ id, tableNumber: '4', verified: true }])
    expect(await rail()).toEqual(['4: drinks ×1'])
  })

  it('separates what was opened again and joined since', async () => {
    const { ask, complete, reopen, move, undo, later, rail } = await openRestaurant()
    const [guest, other] = [app.browser(), app.browser()]
    await ask(other, '12', 'drinks')
    const ours = await later(() => ask(guest, '4', 'drinks'))
    await later(() => complete(ours.id))
    await later(() => move('4', '12', 'move-1'))
    await later(() => reopen(ours.id))
    expect(await rail()).toEqual(['12: drinks ×2'])
    await later(() => undo('move-1'))
    expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×1'])
    await guest.ok(api.requests.cancel, { params: { id: ours.id } })
    expect(await rail()).toEqual(['12: drinks ×1'])
  })

  it('sends what was completed meanwhile back with its party when that is opened again', async () => {
    const { ask, complete, reopen, move, undo, later, rail, look, rowOf } = await openRestaurant()
    const guest = app.browser()
    const { id } = await ask(guest, '4', 'drinks')
    await later(() => move('4', '12', 'move-1'))
    await later(() => complete(id))
    await later(() => undo('move-1'))
    await later(() => reopen(id))
    expect(await rail()).toEqual(['4: drinks ×1'])
    expect(await rowOf(id)).toMatchObject({ tableKey: '4', movedTo: null })
    expect((await look(guest, '4')).requests).toMatchObject([{ id }])
  })

  it.for([{ older: '4' }, { older: '12' }])(
    'gives each party its own back of what was completed for both, where table $older asked first',
    async ({ older }) => {
      const { ask, complete, reopen, move, undo, later, rail } = await openRestaurant()
      const guests = { '4': app.browser(), '12': app.browser() }
      const [first, second] = older === '4' ? (['4', '12'] as const) : (['12', '4'] as const)
      const { id } = await ask(guests[first], first, 'drinks')
      await later(() => ask(guests[second], second, 'drinks'))
      await later(() => move('4', '12', 'move-1'))
      expect(await rail()).toEqual(['12: drinks ×2'])
      await later(() => complete(id))
      await later(() => undo('move-1'))
      await later(() => reopen(id))
      expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×1'])
    },
  )
})
