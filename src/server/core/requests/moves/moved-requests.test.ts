import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import { setUpApp } from '../../../../../test/support/app.ts'
import { pendingRequests } from '../../../../../test/support/pages/crew-view.ts'
import { openPartyRestaurant } from '../../../../../test/support/restaurants/party-restaurant.ts'
import { reminderDue } from '../../../storage/requests/request-transitions.ts'

const app = setUpApp({ guestLimits: false })
const openRestaurant = () => openPartyRestaurant(app)

describe('two parties that join', () => {
  it('wait for the same only once: the older request goes on for both', async () => {
    const { ask, look, move, rail, screen, device, rowOf } = await openRestaurant()
    const [four, twelve] = [app.browser(), app.browser()]
    const theirs = await ask(twelve, '12', 'drinks')
    app.advance(1000)
    const ours = await ask(four, '4', 'drinks')
    await ask(four, '4', 'drinks')
    const { id: foodId } = await ask(four, '4', 'food')
    expect(await move('4', '12')).toMatchObject({ type: 'ack' })
    expect(await rail()).toEqual(['12: drinks ×3', '12: food ×1'])
    expect(screen.ofType('request-completed').at(-1)).toMatchObject({
      id: ours.id,
      by: null,
      mergedInto: theirs.id,
    })
    expect(await rowOf(ours.id)).toMatchObject({ closedAs: 'merged', mergedInto: theirs.id })
    // Each phone is told that it may cancel what it asked for, by the id that goes on.
    const mine = await Promise.all(
      [four, twelve].map(async (phone) => new Set((await look(phone, '12')).mine)),
    )
    expect(mine).toEqual([new Set([theirs.id, foodId]), new Set([theirs.id])])
    // It was neither served nor cancelled.
    expect((await pendingRequests(device)).recent).toEqual([])
    const history = await device.ok(api.tables.history, { query: { tableNumber: '12' } })
    expect(history.map(({ serviceType, asks }) => `${serviceType} ×${asks}`)).toEqual([
      'food ×1',
      'drinks ×3',
    ])
  })

  it('keep whoever is on the way, although the other request is older', async () => {
    const { ask, move, screen, device, maya } = await openRestaurant()
    await ask(app.browser(), '12', 'drinks')
    app.advance(1000)
    const ours = await ask(app.browser(), '4', 'drinks')
    await screen.request({ type: 'accept-request', id: ours.id })
    await move('4', '12')
    expect((await pendingRequests(device)).requests).toMatchObject([
      { id: ours.id, tableNumber: '12', movedFrom: '4', asks: 2, acceptedBy: { id: maya.id } },
    ])
  })

  it('wait as urgently as the more urgent of the two', async () => {
    const { ask, move, undo, device, rowOf, advance } = await openRestaurant()
    const four = app.browser()
    const theirs = await ask(app.browser(), '12', 'drinks')
    app.advance(1000)
    const ours = await ask(four, '4', 'drinks')
    for (let times = 0; times < 2; times++) {
      await advance(120_000)
      await four.ok(api.requests.stillWaiting, { params: { id: ours.id } })
    }
    const reminded = await rowOf(ours.id)
    const before = await rowOf(theirs.id)
    expect(reminded.level).toBe(2)
    await move('4', '12', 'move-1')
    expect((await pendingRequests(device)).requests).toMatchObject([
      { id: theirs.id, level: 2, stillWaiting: 2, stillWaitingAt: reminded.stillWaitingAt },
    ])
    expect(await rowOf(theirs.id)).toMatchObject({ nextLevelAt: reminded.nextLevelAt })
    await undo('move-1')
    const { level, nextLevelAt, stillWaiting, stillWaitingAt } = before
    expect(await rowOf(theirs.id)).toMatchObject({ level, nextLevelAt, stillWaiting, stillWaitingAt })
    expect(await rowOf(ours.id)).toMatchObject({ level: 2, stillWaiting: 2 })
  })

  it('call the manager as soon as either of them would have', async () => {
    const { ask, move, undo, rowOf, advance } = await openRestaurant()
    const four = app.browser()
    const theirs = await ask(app.browser(), '12', 'drinks')
    app.advance(1000)
    const ours = await ask(four, '4', 'drinks')
    await advance(120_000)
    await four.ok(api.requests.stillWaiting, { params: { id: ours.id } })
    const before = await rowOf(theirs.id)
    expect(before.level).toBe(0)
    await move('4', '12', 'move-1')
    const merged = await rowOf(theirs.id)
    expect(merged).toMatchObject({
      level: 1,
      nextLevelAt: before.createdAt + defaultEscalation.managerAfterMs.drinks,
    })
    await undo('move-1')
    expect(await rowOf(theirs.id)).toMatchObject({ level: 0, nextLevelAt: before.nextLevelAt })
  })

  it('wait no longer for more people than the one whose turn comes first', async () => {
    const { ask, move, screen, rowOf } = await openRestaurant()
    const theirs = await ask(app.browser(), '12', 'drinks')
    app.advance(5000)
    const ours = await ask(app.browser(), '4', 'drinks')
    const { nextLevelAt } = await rowOf(ours.id)
    app.advance(1000)
    await screen.request({ type: 'complete-request', id: theirs.id })
    app.advance(1000)
    await screen.request({ type: 'reopen-request', id: theirs.id })
    expect((await rowOf(theirs.id)).nextLevelAt).toBeGreaterThan(nextLevelAt ?? 0)
    await move('4', '12')
    expect(await rowOf(theirs.id)).toMatchObject({ level: 0, nextLevelAt })
  })

  it('remind whoever is on the way for one that the other still waits', async () => {
    const { ask, move, advance, rowOf } = await openRestaurant()
    const four = app.browser()
    const theirs = await ask(app.browser(), '12', 'drinks')
    const ours = await ask(four, '4', 'drinks')
    const screen = await advance(120_000)
    await four.ok(api.requests.stillWaiting, { params: { id: ours.id } })
    await screen.request({ type: 'accept-request', id: theirs.id })
    await move('4', '12')
    expect(await rowOf(theirs.id)).toMatchObject({ level: 1, stillWaiting: 1, pushedLevel: reminderDue })
  })

  it('can each take back their own asks, by the request that they knew', async () => {
    const { ask, move, rail } = await openRestaurant()
    const [four, twelve] = [app.browser(), app.browser()]
    const theirs = await ask(twelve, '12', 'drinks')
    app.advance(1000)
    const ours = await ask(four, '4', 'drinks', { id: 'tap' })
    await move('4', '12')
    expect(await ask(four, '4', 'drinks', { id: 'tap' })).toMatchObject({ id: theirs.id, asks: 2 })
    expect(await four.ok(api.requests.cancel, { params: { id: ours.id } })).toMatchObject({
      request: { id: theirs.id, asks: 1 },
    })
    expect(await rail()).toEqual(['12: drinks ×1'])
    await twelve.ok(api.requests.cancel, { params: { id: theirs.id } })
    expect(await rail()).toEqual([])
  })

  it('are served by a tap on the ticket that has just gone', async () => {
    const { ask, move, screen, maya, rail } = await openRestaurant()
    const theirs = await ask(app.browser(), '12', 'drinks')
    app.advance(1000)
    const ours = await ask(app.browser(), '4', 'drinks')
    await move('4', '12')
    expect(await screen.request({ type: 'accept-request', id: ours.id })).toMatchObject({
      request: { id: theirs.id, acceptedBy: { id: maya.id } },
    })
    expect(await screen.request({ type: 'release-request', id: ours.id })).toMatchObject({
      request: { id: theirs.id, acceptedBy: null },
    })
    await screen.request({ type: 'complete-request', id: ours.id })
    expect(await rail()).toEqual([])
  })

  it('count once in the figures, by the tables where they asked', async () => {
    const { owner, ask, move, screen } = await openRestaurant()
    const theirs = await ask(app.browser(), '12', 'drinks')
    app.advance(1000)
    await ask(app.browser(), '4', 'drinks')
    await ask(app.browser(), '4', 'check')
    await move('4', '12')
    await screen.request({ type: 'complete-request', id: theirs.id })
    const day = new Date(app.now()).toISOString().slice(0, 10)
    const figures = await owner.ok(api.analytics.figures, { query: { from: day, to: day } })
    expect(figures.totals).toMatchObject({ requests: 2, cancelled: 0 })
    expect(figures.byTable.map(({ tableNumber, requests }) => [tableNumber, requests])).toEqual([
      ['4', 1],
      ['12', 1],
    ])
  })
})
