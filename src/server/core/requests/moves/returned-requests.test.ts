import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { pendingRequests } from '../../../../../test/support/pages/crew-view.ts'
import { openPartyRestaurant } from '../../../../../test/support/restaurants/party-restaurant.ts'

const app = setUpApp({ guestLimits: false })

async function openRestaurant() {
  const party = await openPartyRestaurant(app)
  const correct = (guest: TestBrowser, from: string, to: string) =>
    guest.ok(api.requests.correctTable, { body: { ...party.at(to), from } })
  return { ...party, correct }
}

describe('the undo of a move', () => {
  it('puts everything back as it was', async () => {
    const { ask, look, move, undo, rail, device, follow } = await openRestaurant()
    const [four, twelve] = [app.browser(), app.browser()]
    const theirs = await ask(twelve, '12', 'drinks')
    app.advance(1000)
    const ours = await ask(four, '4', 'drinks')
    const food = await ask(four, '4', 'food')
    const before = (await pendingRequests(device)).requests
    app.advance(1000)
    await move('4', '12', 'move-1')
    const page = await follow(four, '4')
    expect(await undo('move-1')).toMatchObject({ type: 'ack' })
    await page.next('table-changed')
    const withoutCalls = before.map(({ called: _called, ...request }) => request)
    const after = (await pendingRequests(device)).requests.map(({ called: _called, ...request }) => request)
    expect(after).toEqual(withoutCalls)
    expect((await look(four, '4')).movedTo).toBeUndefined()
    expect((await look(four, '4')).requests.map(({ id }) => id)).toEqual([ours.id, food.id])
    expect((await look(twelve, '12')).requests.map(({ id }) => id)).toEqual([theirs.id])
    // Again, as after a lost answer.
    expect(await undo('move-1')).toMatchObject({ type: 'ack' })
    await four.ok(api.requests.cancel, { params: { id: ours.id } })
    expect(await rail()).toEqual(['12: drinks ×1', '4: food ×1'])
  })

  it('also gives the other table its own request back', async () => {
    const { ask, move, undo, rail, screen, rowOf } = await openRestaurant()
    await ask(app.browser(), '12', 'drinks')
    app.advance(1000)
    const ours = await ask(app.browser(), '4', 'drinks')
    await screen.request({ type: 'accept-request', id: ours.id })
    await move('4', '12', 'move-1')
    await undo('move-1')
    expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×1'])
    expect(await rowOf(ours.id)).toMatchObject({ movedTo: null, tableKey: '4', acceptedByName: 'Maya Lind' })
  })

  it('calls more people for what the move had joined no later than without it', async () => {
    const { ask, move, undo, rowOf } = await openRestaurant()
    await ask(app.browser(), '12', 'drinks')
    app.advance(1000)
    const ours = await ask(app.browser(), '4', 'drinks')
    const { level, nextLevelAt } = await rowOf(ours.id)
    app.advance(1000)
    await move('4', '12', 'move-1')
    app.advance(1000)
    await undo('move-1')
    expect(await rowOf(ours.id)).toMatchObject({ level, nextLevelAt })
  })

  it('does not bring back what a guest has taken back since', async () => {
    const { ask, move, undo, rail } = await openRestaurant()
    const [first, second, twelve] = [app.browser(), app.browser(), app.browser()]
    await ask(twelve, '12', 'drinks')
    app.advance(1000)
    const ours = await ask(first, '4', 'drinks')
    await ask(second, '4', 'drinks')
    await move('4', '12', 'move-1')
    await first.ok(api.requests.cancel, { params: { id: ours.id } })
    await undo('move-1')
    expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×1'])
    expect(await second.ok(api.requests.cancel, { params: { id: ours.id } })).toEqual({ id: ours.id })
    expect(await rail()).toEqual(['12: drinks ×1'])
  })

  it('brings back what the party has asked for meanwhile', async () => {
    const { ask, look, move, undo, rail } = await openRestaurant()
    const [four, twelve, newcomer] = [app.browser(), app.browser(), app.browser()]
    const drinks = await ask(four, '4', 'drinks')
    app.advance(1000)
    await move('4', '12', 'move-1')
    const check = await ask(four, '4', 'check')
    const food = await ask(four, '4', 'food')
    await ask(twelve, '12', 'assistance')
    await ask(newcomer, '4', 'food')
    expect(await rail()).toEqual([
      '12: assistance ×1',
      '12: check ×1',
      '12: drinks ×1',
      '12: food ×1',
      '4: food ×1',
    ])
    await undo('move-1')
    expect(await rail()).toEqual(['12: assistance ×1', '4: check ×1', '4: drinks ×1', '4: food ×2'])
    expect((await look(four, '4')).requests.map(({ id }) => id)).toEqual(
      expect.arrayContaining([drinks.id, check.id]),
    )
    await four.ok(api.requests.cancel, { params: { id: food.id } })
    expect(await rail()).toContain('4: food ×1')
  })

  it('gives a party the request back that only it still waits for', async () => {
    const { ask, look, move, undo, rail } = await openRestaurant()
    const [four, twelve] = [app.browser(), app.browser()]
    const theirs = await ask(twelve, '12', 'drinks')
    app.advance(1000)
    await ask(four, '4', 'drinks')
    await move('4', '12', 'move-1')
    await twelve.ok(api.requests.cancel, { params: { id: theirs.id } })
    expect(await rail()).toEqual(['12: drinks ×1'])
    await undo('move-1')
    expect(await rail()).toEqual(['4: drinks ×1'])
    expect((await look(four, '4')).requests).toMatchObject([{ id: theirs.id, tableNumber: '4' }])
    await four.ok(api.requests.cancel, { params: { id: theirs.id } })
    expect(await rail()).toEqual([])
  })

  it('leaves alone what has changed since', async () => {
    const { ask, move, undo, rail, screen } = await openRestaurant()
    const guest = app.browser()
    const drinks = await ask(guest, '4', 'drinks')
    await ask(guest, '4', 'check')
    app.advance(1000)
    await move('4', '12', 'move-1')
    await screen.request({ type: 'complete-request', id: drinks.id })
    await undo('move-1')
    expect(await rail()).toEqual(['4: check ×1'])
  })

  it('joins what its own table has asked for meanwhile', async () => {
    const { ask, look, move, undo, rail } = await openRestaurant()
    const [four, newcomer] = [app.browser(), app.browser()]
    const food = await ask(four, '4', 'food')
    app.advance(1000)
    await move('4', '12', 'move-1')
    await ask(newcomer, '4', 'food')
    expect(await rail()).toEqual(['12: food ×1', '4: food ×1'])
    await undo('move-1')
    expect(await rail()).toEqual(['4: food ×2'])
    expect((await look(newcomer, '4')).mine).toEqual([food.id])
    await newcomer.ok(api.requests.cancel, { params: { id: food.id } })
    expect(await rail()).toEqual(['4: food ×1'])
    expect((await look(four, '4')).mine).toEqual([food.id])
  })

  it('leaves at the other table what only its guests still wait for', async () => {
    const { ask, look, move, undo, rail } = await openRestaurant()
    const [four, twelve] = [app.browser(), app.browser()]
    await look(twelve, '12')
    const { id } = await ask(four, '4', 'drinks')
    app.advance(1000)
    await move('4', '12', 'move-1')
    app.advance(1000)
    expect(await ask(twelve, '12', 'drinks')).toMatchObject({ id, asks: 2 })
    await four.ok(api.requests.cancel, { params: { id } })
    await undo('move-1')
    expect(await rail()).toEqual(['12: drinks ×1'])
    expect((await look(twelve, '12')).mine).toEqual([id])
  })

  it('gives the other table a request of its own for what its guests have added', async () => {
    const { ask, look, move, undo, rail, rowOf } = await openRestaurant()
    const [four, friend, twelve] = [app.browser(), await app.phone(), app.browser()]
    await look(friend, '4')
    const { id } = await ask(four, '4', 'drinks')
    app.advance(1000)
    await move('4', '12', 'move-1')
    app.advance(1000)
    await ask(twelve, '12', 'drinks', { id: 'tap' })
    await ask(twelve, '12', 'drinks')
    await ask(friend, '4', 'drinks')
    expect(await rail()).toEqual(['12: drinks ×4'])
    await undo('move-1')
    expect(await rail()).toEqual(['12: drinks ×2', '4: drinks ×2'])
    const [theirs] = (await look(twelve, '12')).requests
    expect((await look(twelve, '12')).mine).toEqual([theirs?.id])
    expect(await rowOf(theirs?.id ?? '')).toMatchObject({
      tableNumber: '12',
      movedTo: null,
      createdAt: app.now(),
    })
    await four.ok(api.requests.cancel, { params: { id } })
    await friend.ok(api.requests.cancel, { params: { id } })
    expect(await rail()).toEqual(['12: drinks ×2'])
    await twelve.ok(api.requests.cancel, { params: { id: theirs?.id ?? '' } })
    expect(await rail()).toEqual([])
  })

  it('answers a guest by the request that they wait for by then, whichever their page knows', async () => {
    const { ask, look, move, undo, rail } = await openRestaurant()
    const [four, twelve, neighbour] = [app.browser(), app.browser(), app.browser()]
    for (const guest of [twelve, neighbour]) await look(guest, '12')
    const { id } = await ask(four, '4', 'drinks', { id: 'ours' })
    app.advance(1000)
    await move('4', '12', 'move-1')
    app.advance(1000)
    await ask(twelve, '12', 'drinks', { id: 'theirs' })
    await ask(neighbour, '12', 'drinks')
    await undo('move-1')
    const [theirs] = (await look(twelve, '12')).requests
    const answer = { id: theirs?.id, tableNumber: '12', asks: 2 }
    expect(await ask(twelve, '12', 'drinks', { id: 'theirs' })).toMatchObject(answer)
    expect(await ask(four, '4', 'drinks', { id: 'ours' })).toMatchObject({ id, tableNumber: '4', asks: 1 })
    // Joined again, it is found where it goes on.
    app.advance(1000)
    await move('4', '12', 'move-2')
    expect(await ask(twelve, '12', 'drinks', { id: 'theirs' })).toMatchObject({ id, asks: 3 })
    await undo('move-2')
    expect(await ask(twelve, '12', 'drinks', { id: 'theirs' })).toMatchObject(answer)
    expect(await neighbour.ok(api.requests.cancel, { params: { id } })).toMatchObject({
      request: { id: theirs?.id, asks: 1 },
    })
    await twelve.ok(api.requests.cancel, { params: { id } })
    expect(await rail()).toEqual(['4: drinks ×1'])
  })

  it('gives the other table back what it asked for before and since', async () => {
    const { ask, look, move, undo, rail } = await openRestaurant()
    const [four, twelve, neighbour] = [app.browser(), app.browser(), app.browser()]
    await ask(four, '4', 'drinks')
    app.advance(1000)
    const theirs = await ask(twelve, '12', 'drinks')
    app.advance(1000)
    await move('4', '12', 'move-1')
    app.advance(1000)
    await ask(neighbour, '12', 'drinks')
    await undo('move-1')
    expect(await rail()).toEqual(['12: drinks ×2', '4: drinks ×1'])
    for (const phone of [twelve, neighbour]) expect((await look(phone, '12')).mine).toEqual([theirs.id])
  })

  it('brings along what the party has added at the other table', async () => {
    const { ask, look, move, undo, rail } = await openRestaurant()
    const [four, twelve] = [await app.phone(), app.browser()]
    await look(four, '4')
    const drinks = await ask(twelve, '12', 'drinks')
    const food = await ask(twelve, '12', 'food')
    app.advance(10_000)
    await move('4', '12', 'move-1')
    app.advance(1000)
    await ask(four, '4', 'drinks')
    await ask(four, '4', 'food')
    await twelve.ok(api.requests.cancel, { params: { id: food.id } })
    expect(await rail()).toEqual(['12: drinks ×2', '12: food ×1'])
    await undo('move-1')
    expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×1', '4: food ×1'])
    expect((await look(twelve, '12')).mine).toEqual([drinks.id])
    expect((await look(four, '4')).mine).toHaveLength(2)
  })

  describe('where the old table has asked for the same meanwhile', () => {
    it.for([{ accepted: false }, { accepted: true }])(
      'gives each table its part of what both have asked for, somebody on the way there: $accepted',
      async ({ accepted }) => {
        const { ask, look, move, undo, rail, screen, rowOf, maya } = await openRestaurant()
        const [four, twelve, newcomer] = [app.browser(), app.browser(), app.browser()]
        await look(twelve, '12')
        const ours = await ask(four, '4', 'drinks')
        app.advance(1000)
        await move('4', '12', 'move-1')
        app.advance(1000)
        await ask(twelve, '12', 'drinks')
        const theirs = await ask(newcomer, '4', 'drinks')
        if (accepted) await screen.request({ type: 'accept-request', id: theirs.id })
        expect(await rail()).toEqual(['12: drinks ×2', '4: drinks ×1'])
        await undo('move-1')
        expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×2'])
        const { id } = accepted ? theirs : ours
        expect(await rowOf(id)).toMatchObject({ tableKey: '4', acceptedBy: accepted ? maya.id : null })
        for (const guest of [four, newcomer]) {
          expect((await look(guest, '4')).mine).toEqual([id])
          await guest.ok(api.requests.cancel, { params: { id } })
        }
        expect(await rail()).toEqual(['12: drinks ×1'])
        const [shared] = (await look(twelve, '12')).mine ?? []
        await twelve.ok(api.requests.cancel, { params: { id: shared ?? '' } })
        expect(await rail()).toEqual([])
      },
    )

    it.for([{ accepted: false }, { accepted: true }])(
      'takes the party’s part out of the other table’s request, somebody on the way there: $accepted',
      async ({ accepted }) => {
        const { ask, look, move, undo, rail, screen } = await openRestaurant()
        const [four, friend, twelve, newcomer] = [app.browser(), app.browser(), app.browser(), app.browser()]
        const shared = await ask(twelve, '12', 'drinks')
        app.advance(1000)
        const ours = await ask(four, '4', 'drinks')
        await ask(friend, '4', 'drinks')
        app.advance(1000)
        await move('4', '12', 'move-1')
        await friend.ok(api.requests.cancel, { params: { id: ours.id } })
        app.advance(1000)
        await ask(four, '4', 'drinks')
        const theirs = await ask(newcomer, '4', 'drinks')
        if (accepted) await screen.request({ type: 'accept-request', id: theirs.id })
        expect(await rail()).toEqual(['12: drinks ×3', '4: drinks ×1'])
        await undo('move-1')
        expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×3'])
        const { id } = accepted ? theirs : ours
        for (const guest of [four, newcomer]) {
          expect((await look(guest, '4')).mine).toEqual([id])
          await guest.ok(api.requests.cancel, { params: { id } })
        }
        expect(await rail()).toEqual(['12: drinks ×1'])
        await twelve.ok(api.requests.cancel, { params: { id: shared.id } })
        expect(await rail()).toEqual([])
      },
    )
  })

  describe('where a guest who asked for the same has corrected their table', () => {
    it('takes back what they left behind with the party, wherever they sit by now', async () => {
      const { ask, look, move, undo, rail, correct } = await openRestaurant()
      const [twelve, four] = [app.browser(), app.browser()]
      const drinks = await ask(twelve, '12', 'drinks')
      app.advance(1000)
      await ask(four, '4', 'drinks')
      await ask(four, '4', 'food')
      app.advance(1000)
      await move('4', '12')
      app.advance(1000)
      expect(await correct(four, '4', '5')).toEqual({ moved: 1 })
      app.advance(1000)
      await move('5', '4')
      app.advance(1000)
      await move('12', '5', 'move-3')
      expect(await rail()).toEqual(['4: food ×1', '5: drinks ×2'])
      await undo('move-3')
      expect(await rail()).toEqual(['12: drinks ×2', '4: food ×1'])
      expect((await look(twelve, '12')).mine).toEqual([drinks.id])
      await four.ok(api.requests.cancel, { params: { id: drinks.id } })
      expect(await rail()).toEqual(['12: drinks ×1', '4: food ×1'])
    })

    it('takes back what they brought along from the other table before', async () => {
      const { ask, look, move, undo, rail, correct } = await openRestaurant()
      const [four, guest] = [app.browser(), app.browser()]
      const drinks = await ask(four, '4', 'drinks')
      app.advance(1000)
      await ask(guest, '12', 'drinks')
      app.advance(1000)
      expect(await correct(guest, '12', '4')).toEqual({ moved: 1 })
      app.advance(1000)
      await move('4', '12', 'move-1')
      expect(await rail()).toEqual(['12: drinks ×2'])
      await undo('move-1')
      expect(await rail()).toEqual(['4: drinks ×2'])
      expect((await look(guest, '4')).mine).toEqual([drinks.id])
    })

    it('leaves at the other table what they brought there since', async () => {
      const { ask, look, move, undo, rail, correct } = await openRestaurant()
      const [four, guest] = [app.browser(), app.browser()]
      const drinks = await ask(four, '4', 'drinks')
      app.advance(1000)
      await ask(guest, '5', 'drinks')
      app.advance(1000)
      await move('4', '12', 'move-1')
      app.advance(1000)
      expect(await correct(guest, '5', '12')).toEqual({ moved: 1 })
      expect(await rail()).toEqual(['12: drinks ×2'])
      await undo('move-1')
      expect(await rail()).toEqual(['12: drinks ×1', '4: drinks ×1'])
      expect((await look(four, '4')).mine).toEqual([drinks.id])
      expect((await look(guest, '12')).mine).toHaveLength(1)
    })
  })

  it('is refused after 10 seconds, and when another party has come or gone', async () => {
    const { ask, move, undo, rail, advance } = await openRestaurant()
    await ask(app.browser(), '4', 'drinks')
    await move('4', '12', 'move-1')
    await move('12', '5', 'move-2')
    const tooLate = { code: 'conflict', message: 'This can no longer be undone' }
    expect(await undo('move-1')).toMatchObject(tooLate)
    await advance(10_500)
    expect(await undo('move-2')).toMatchObject(tooLate)
    expect(await rail()).toEqual(['5: drinks ×1'])
  })
})
