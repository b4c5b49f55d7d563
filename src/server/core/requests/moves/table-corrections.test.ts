import { describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs } from '#contract/durations.ts'
import { undoWindowMs, visitDurationMs } from '#contract/requests/requests.ts'
import { setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { pendingRequests } from '../../../../../test/support/pages/crew-view.ts'
import { openPartyRestaurant } from '../../../../../test/support/restaurants/party-restaurant.ts'

const app = setUpApp({ guestLimits: false })

async function openRestaurant() {
  const party = await openPartyRestaurant(app)
  const correction = (from: string, to: string, k?: string) => ({
    body: { ...party.at(to), from, ...(k !== undefined && { k }) },
  })
  const correct = (guest: TestBrowser, from: string, to: string, k?: string) =>
    guest.ok(api.requests.correctTable, correction(from, to, k))
  const attempt = (guest: TestBrowser, from: string, to: string) =>
    guest.call(api.requests.correctTable, correction(from, to))
  return { ...party, correct, attempt }
}

describe('a guest who named the wrong table', () => {
  it('takes along what this device asked for, and tells the crew and both tables', async () => {
    const { ask, correct, rail, look, follow, screen, device } = await openRestaurant()
    const [guest, other] = [app.browser(), app.browser()]
    const drinks = await ask(guest, '4', 'drinks')
    await ask(guest, '4', 'check')
    await ask(other, '4', 'food')
    const [four, twelve] = [await follow(other, '4'), await follow(app.browser(), '12')]
    expect(await correct(guest, '4', '12')).toEqual({ moved: 2 })
    expect(await rail()).toEqual(['12: check ×1', '12: drinks ×1', '4: food ×1'])
    expect((await pendingRequests(device)).requests).toContainEqual(
      expect.objectContaining({ id: drinks.id, tableNumber: '12', movedFrom: '4' }),
    )
    await expect.poll(() => screen.ofType('request-updated').length).toBeGreaterThanOrEqual(2)
    await four.next('table-changed')
    expect((await look(other, '4')).requests.map(({ serviceType }) => serviceType)).toEqual(['food'])
    await expect.poll(() => twelve.ofType('request-updated').length).toBeGreaterThanOrEqual(2)
    await twelve.request({ type: 'ping' })
    expect(twelve.ofType('request-updated')).toHaveLength(2)
    expect((await look(guest, '12')).requests).toHaveLength(2)
    // What they ask for at table 4 later is still for table 4.
    await ask(other, '4', 'other')
    expect(await rail()).toContain('4: other ×1')
  })

  it('makes nobody wait who has nothing to take along', async () => {
    const { ask, correct } = await openRestaurant()
    const [guest, other] = [app.browser(), app.browser()]
    await ask(other, '4', 'food')
    const { trace } = app.ctx
    onTestFinished(() => void Object.assign(app.ctx, { trace }))
    const writes: string[] = []
    const counted: typeof trace = (name, work) => {
      writes.push(name)
      return trace(name, work)
    }
    Object.assign(app.ctx, { trace: counted })
    expect(await correct(guest, '4', '12')).toEqual({ moved: 0 })
    expect(writes).toEqual([])
  })

  it('leaves what others at that table asked for too', async () => {
    const { ask, correct, rail } = await openRestaurant()
    const [guest, other] = [app.browser(), app.browser()]
    await ask(guest, '4', 'drinks')
    await ask(other, '4', 'drinks')
    expect(await correct(guest, '4', '12')).toEqual({ moved: 0 })
    expect(await rail()).toEqual(['4: drinks ×2'])
    const { id } = await ask(guest, '4', 'food')
    expect(await correct(other, '4', '12')).toEqual({ moved: 0 })
    await other.call(api.requests.cancel, { params: { id } })
    expect(await rail()).toEqual(['4: drinks ×2', '4: food ×1'])
  })

  it('joins what the right table waits for already, and can take its part back there', async () => {
    const { ask, correct, rail, look } = await openRestaurant()
    const [guest, other] = [app.browser(), app.browser()]
    const theirs = await ask(other, '12', 'drinks')
    app.advance(1000)
    const ours = await ask(guest, '4', 'drinks')
    await correct(guest, '4', '12')
    expect(await rail()).toEqual(['12: drinks ×2'])
    expect((await look(other, '12')).requests).toMatchObject([{ id: theirs.id, asks: 2 }])
    await guest.ok(api.requests.cancel, { params: { id: ours.id } })
    expect(await rail()).toEqual(['12: drinks ×1'])
  })

  it('keeps whoever is on the way, and brings nothing back that is done', async () => {
    const { ask, correct, screen, device, maya } = await openRestaurant()
    const guest = app.browser()
    const drinks = await ask(guest, '4', 'drinks')
    const food = await ask(guest, '4', 'food')
    await screen.request({ type: 'accept-request', id: drinks.id })
    await screen.request({ type: 'complete-request', id: food.id })
    expect(await correct(guest, '4', '12')).toEqual({ moved: 1 })
    expect((await pendingRequests(device)).requests).toMatchObject([
      { id: drinks.id, tableNumber: '12', acceptedBy: { id: maya.id } },
    ])
  })

  it('takes along what was just completed, for an undo of that', async () => {
    const { ask, look, move, correct, rail, screen, rowOf } = await openRestaurant()
    const [guest, other] = [app.browser(), app.browser()]
    const drinks = await ask(guest, '4', 'drinks')
    const shared = await ask(guest, '4', 'food')
    await ask(other, '4', 'food')
    // Whoever sits at the right table moves away before this guest comes there.
    await look(other, '12')
    for (const { id } of [drinks, shared]) await screen.request({ type: 'complete-request', id })
    app.advance(500)
    await move('12', '5')
    app.advance(500)
    expect(await correct(guest, '4', '12')).toEqual({ moved: 0 })
    app.advance(500)
    expect(await screen.request({ type: 'reopen-request', id: drinks.id })).toMatchObject({
      request: { id: drinks.id, tableNumber: '12', movedFrom: '4' },
    })
    await screen.request({ type: 'reopen-request', id: shared.id })
    expect(await rail()).toEqual(['12: drinks ×1', '4: food ×2'])
    expect((await look(guest, '12')).mine).toEqual([drinks.id])
    await screen.request({ type: 'complete-request', id: drinks.id })
    app.advance(undoWindowMs + 1)
    expect(await correct(guest, '12', '4')).toEqual({ moved: 0 })
    expect((await rowOf(drinks.id)).tableKey).toBe('12')
  })

  it('takes it along once, however often that is sent, and also back', async () => {
    const { ask, correct, rail } = await openRestaurant()
    const guest = app.browser()
    await ask(guest, '4', 'drinks')
    const answers = await Promise.all([1, 2, 3].map(() => correct(guest, '4', '12')))
    expect(answers.map(({ moved }) => moved).toSorted((a, b) => a - b)).toEqual([0, 0, 1])
    expect(await rail()).toEqual(['12: drinks ×1'])
    expect(await correct(guest, '12', '4')).toEqual({ moved: 1 })
    expect(await rail()).toEqual(['4: drinks ×1'])
    expect(await correct(guest, '4', '4')).toEqual({ moved: 0 })
  })

  it.for([{ joined: false }, { joined: true }])(
    'takes it along again to a third table, joined with others’ before: $joined',
    async ({ joined }) => {
      const { ask, look, correct, rail } = await openRestaurant()
      const [guest, other] = [app.browser(), app.browser()]
      if (joined) await ask(other, '12', 'drinks')
      app.advance(1000)
      await ask(guest, '4', 'drinks')
      app.advance(1000)
      expect(await correct(guest, '4', '12')).toEqual({ moved: 1 })
      app.advance(1000)
      const [theirs] = (await look(other, '12')).requests
      if (joined) await other.ok(api.requests.cancel, { params: { id: theirs?.id ?? '' } })
      expect(await correct(guest, '12', '5')).toEqual({ moved: 1 })
      expect(await rail()).toEqual(['5: drinks ×1'])
    },
  )

  it('comes back with it after the crew had moved its party', async () => {
    const { ask, look, move, correct, rail } = await openRestaurant()
    const guest = app.browser()
    await look(guest, '5')
    app.advance(1000)
    await move('5', '4')
    app.advance(1000)
    await ask(guest, '4', 'drinks')
    app.advance(1000)
    expect(await correct(guest, '4', '5')).toEqual({ moved: 1 })
    app.advance(1000)
    expect(await correct(guest, '5', '4')).toEqual({ moved: 1 })
    expect(await rail()).toEqual(['4: drinks ×1'])
  })

  it('joins another who corrects the same at the same moment', async () => {
    const { ask, correct, rail } = await openRestaurant()
    const guests = [app.browser(), app.browser()] as const
    await ask(guests[0], '4', 'drinks')
    await ask(guests[1], '5', 'drinks')
    await Promise.all([correct(guests[0], '4', '12'), correct(guests[1], '5', '12')])
    expect(await rail()).toEqual(['12: drinks ×2'])
  })

  it('finds them where the crew has moved its party meanwhile', async () => {
    const { ask, correct, move, rail } = await openRestaurant()
    const guest = app.browser()
    await ask(guest, '4', 'drinks')
    app.advance(1000)
    await move('4', '5')
    expect(await correct(guest, '4', '12')).toEqual({ moved: 1 })
    expect(await rail()).toEqual(['12: drinks ×1'])
  })
})

describe('a guest whose party the crew has moved', () => {
  it('comes back to the table that they name, with what this device asked for', async () => {
    const { ask, look, move, correct, proofOf, rail, rowOf } = await openRestaurant()
    const [guest, friend, other] = [await app.phone(), app.browser(), app.browser()]
    await look(guest, '4', await proofOf('4'))
    const { id } = await ask(guest, '4', 'drinks')
    await ask(friend, '4', 'food')
    await ask(other, '5', 'drinks')
    app.advance(1000)
    await move('4', '5')
    app.advance(1000)
    expect(await rail()).toEqual(['5: drinks ×2', '5: food ×1'])
    expect(await look(guest, '4')).toMatchObject({ movedTo: '5' })
    await ask(guest, '4', 'check')

    expect(await correct(guest, '4', '4')).toEqual({ moved: 1 })
    expect((await look(guest, '4')).movedTo).toBeUndefined()
    expect(await rail()).toEqual(['4: check ×1', '5: drinks ×2', '5: food ×1'])
    // Its code was scanned during this visit.
    const other4 = await ask(guest, '4', 'other')
    expect(other4.tableNumber).toBe('4')
    expect((await rowOf(other4.id)).verified).toBe(1)
    expect(await look(friend, '4')).toMatchObject({ movedTo: '5' })
    expect((await rowOf(id)).tableKey).toBe('5')
  })

  it('comes back with nothing to bring along, too', async () => {
    const { look, move, correct } = await openRestaurant()
    const guest = await app.phone()
    await look(guest, '4')
    app.advance(1000)
    await move('4', '12')
    app.advance(1000)
    expect(await look(guest, '4')).toMatchObject({ movedTo: '12' })
    expect(await correct(guest, '12', '4')).toEqual({ moved: 0 })
    expect((await look(guest, '4')).movedTo).toBeUndefined()
  })
})

describe('a correction', () => {
  it('inherits no proof: only the right table’s own code, or the restaurant’s, counts there', async () => {
    const { ask, correct, proofOf, rowOf } = await openRestaurant()
    const verifiedAfter = async (proof: string | null, k?: string) => {
      const guest = app.browser()
      const { id } = await ask(guest, '4', 'drinks', { k: await proofOf('4') })
      expect((await rowOf(id)).verified).toBe(1)
      await correct(guest, '4', '12', proof === null ? k : await proofOf(proof))
      const { verified } = await rowOf(id)
      await guest.ok(api.requests.cancel, { params: { id } })
      return verified
    }
    expect(await verifiedAfter(null)).toBe(0)
    expect(await verifiedAfter('4')).toBe(0)
    expect(await verifiedAfter('12')).toBe(1)
    expect(await verifiedAfter(null, await proofOf(null))).toBe(1)
  })

  it('is refused where a tap would be: a muted table, a code that is required, an unknown table', async () => {
    const { ask, attempt, rail, screen, owner } = await openRestaurant()
    const guest = app.browser()
    await ask(guest, '4', 'drinks')
    await screen.request({ type: 'mute-table', tableNumber: '12' })
    expect(await attempt(guest, '4', '12')).toMatchObject({ status: 409, body: { code: 'table_muted' } })
    expect(await attempt(guest, '4', '99')).toMatchObject({ status: 404 })
    await owner.ok(api.restaurant.change, { body: { verifiedOnly: true } })
    expect(await attempt(guest, '4', '5')).toMatchObject({ status: 409, body: { code: 'code_required' } })
    expect(await rail()).toEqual(['4: drinks ×1'])
  })

  it('moves nothing of another device, another restaurant or an earlier visit', async () => {
    const { ask, at, correct, attempt, rail } = await openRestaurant()
    const elsewhere = await openRestaurant()
    const guest = app.browser()
    await ask(guest, '4', 'drinks')
    expect(await correct(app.browser(), '4', '12')).toEqual({ moved: 0 })
    expect(await elsewhere.correct(guest, '4', '12')).toEqual({ moved: 0 })
    app.advance(visitDurationMs + 1)
    const body = new URLSearchParams({ action: 'reset', r: at('4').restaurantId, t: '4' })
    await guest.fetch('/customer', { method: 'POST', body, redirect: 'manual' })
    expect(await correct(guest, '4', '12')).toEqual({ moved: 0 })
    expect(await rail()).toEqual(['4: drinks ×1'])
    await ask(guest, '12', 'food')
    app.advance(visitDurationMs + 1)
    expect(await attempt(guest, '4', '12')).toMatchObject({ status: 410 })
  })

  it('takes it along, and goes on asking there, at tables closed before the clock was set back', async () => {
    const { ask, at, correct, rail, owner, device } = await openRestaurant()
    await owner.ok(api.restaurant.change, { body: { seating: true } })
    const guest = app.browser()
    const tables = ['4', '12'].map((tableNumber) => ({ body: { tableNumber } }))
    for (const table of tables) await device.ok(api.seating.open, table)
    app.advance(1000)
    for (const table of tables) await device.ok(api.seating.close, table)
    app.advance(-hourMs)
    for (const table of tables) await device.ok(api.seating.open, table)
    await ask(guest, '4', 'drinks')
    app.advance(1000)
    expect(await correct(guest, '4', '12')).toEqual({ moved: 1 })
    expect(await rail()).toEqual(['12: drinks ×1'])
    const more = { body: { ...at('12'), serviceType: 'food' as const } }
    expect((await guest.call(api.requests.send, more)).status).toBe(201)
  })
})
