import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { connectScreen, pendingRequests, requestAsCrew } from '../../../../test/support/pages/crew-view.ts'
import { eventsOf } from '../../../../test/support/request-events.ts'
import { assignFirstTable } from '../../../../test/support/restaurants/busy-restaurant.ts'
import { deviceActor } from '../../../../test/support/restaurants/device-actor.ts'
import { claim } from '../crew/role-calls.ts'
import { startBreak } from '../crew/shift.ts'
import type { Ctx } from '../ctx.ts'
import { addDays, localDay } from '../dates.ts'
import { accept } from './crew-requests.ts'

const app = setUpApp({ guestLimits: false })

/** Table 1 is assigned to Maya. */
async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const hire = (name: string, role: 'Server' | 'Host' = 'Server') =>
    restaurant.owner.ok(api.crew.add, { body: { name, role } })
  const [maya, jonas, ana] = [await hire('Maya Chen'), await hire('Jonas Berg'), await hire('Ana Silva')]
  const today = localDay(app.now(), 'UTC')
  await assignFirstTable(app, restaurant, maya.id)
  const screenOf = (crewMemberId: string) => connectScreen(restaurant.device, crewMemberId)
  const guest = app.browser()
  const tableOne = { restaurantId: restaurant.name, tableNumber: '1' }
  const ask = async (serviceType: 'drinks' | 'food' = 'drinks') =>
    (await guest.ok(api.requests.send, { body: { ...tableOne, serviceType } })).request.id
  /** The requests as the guest sees them. */
  const guestSees = async () => (await guest.ok(api.requests.mine, { query: tableOne })).requests
  const crewSees = (id: string) => requestAsCrew(restaurant.device, id)
  return { ...restaurant, hire, maya, jonas, ana, today, screenOf, guest, ask, guestSees, crewSees }
}

const laterEvents = async (id: string) =>
  (await eventsOf(app, id)).filter((event) => !event.startsWith('created'))

describe('a break', () => {
  it('hands accepted requests to the cover, and the guest sees it', async () => {
    const restaurant = await openRestaurant()
    const [maya, jonas] = [
      await restaurant.screenOf(restaurant.maya.id),
      await restaurant.screenOf(restaurant.jonas.id),
    ]
    const id = await restaurant.ask()
    await maya.request({ type: 'accept-request', id })
    await maya.request({ type: 'start-break', coverId: restaurant.jonas.id })
    expect(await restaurant.crewSees(id)).toMatchObject({
      state: 'accepted',
      acceptedBy: { id: restaurant.jonas.id },
    })
    expect(await restaurant.guestSees()).toMatchObject([{ acceptedBy: { id: null, name: 'Jonas' } }])
    await jonas.next('breaks')
    await expect
      .poll(() => jonas.ofType('request-updated').at(-1))
      .toMatchObject({ request: { id, acceptedBy: { id: restaurant.jonas.id } } })
    expect(await laterEvents(id)).toEqual(['accepted by Maya Chen', 'handed_over by Jonas Berg'])
  })

  it.each(['everybody', 'a cover whom nobody can reach'])('gives them back when %s covers', async (who) => {
    const restaurant = await openRestaurant()
    const maya = await restaurant.screenOf(restaurant.maya.id)
    const id = await restaurant.ask()
    await maya.request({ type: 'accept-request', id })
    await maya.request({ type: 'start-break', coverId: who === 'everybody' ? null : restaurant.jonas.id })
    expect(await restaurant.crewSees(id)).toMatchObject({ state: 'waiting', acceptedBy: null })
    expect(await restaurant.guestSees()).toMatchObject([{ state: 'waiting', acceptedBy: null }])
    expect(await laterEvents(id)).toContain('released by Maya Chen')
    // Neither Maya nor Jonas can be reached: the request escalates, or all crew are alerted already.
    await expect
      .poll(async () => (await restaurant.crewSees(id)).crew.includes(restaurant.maya.id))
      .toBe(false)
  })

  it('of the cover passes the covered tables on', async () => {
    const restaurant = await openRestaurant()
    const [maya, jonas] = [
      await restaurant.screenOf(restaurant.maya.id),
      await restaurant.screenOf(restaurant.jonas.id),
    ]
    await restaurant.screenOf(restaurant.ana.id)
    const id = await restaurant.ask()
    await maya.request({ type: 'start-break', coverId: restaurant.jonas.id })
    await jonas.request({ type: 'start-break', coverId: restaurant.ana.id })
    expect(await restaurant.crewSees(id)).toMatchObject({ crew: [restaurant.ana.id] })
    await restaurant.owner.ok(api.crew.remove, { params: { id: restaurant.ana.id } })
    expect(await restaurant.crewSees(id)).toMatchObject({ crew: [] })
  })

  it('and an acceptance at the same moment take effect in one order or the other', async () => {
    const restaurant = await openRestaurant()
    const [maya, phone] = [
      await restaurant.screenOf(restaurant.maya.id),
      await restaurant.screenOf(restaurant.maya.id),
    ]
    await restaurant.screenOf(restaurant.jonas.id)
    for (let round = 0; round < 5; round++) {
      const id = await restaurant.ask()
      await Promise.all([
        phone.request({ type: 'accept-request', id }),
        maya.request({ type: 'start-break', coverId: restaurant.jonas.id }),
      ])
      const { acceptedBy } = await restaurant.crewSees(id)
      const handed = (await laterEvents(id)).includes('handed_over by Jonas Berg')
      expect(acceptedBy?.id).toBe(handed ? restaurant.jonas.id : restaurant.maya.id)
      await maya.request({ type: 'complete-request', id })
      await maya.request({ type: 'end-break' })
    }
  })
})

describe('the end of a shift', () => {
  it('hands accepted requests to a colleague who can be reached, or to all crew at once', async () => {
    const restaurant = await openRestaurant()
    const maya = await restaurant.screenOf(restaurant.maya.id)
    const ids = [await restaurant.ask('drinks'), await restaurant.ask('food')]
    for (const id of ids) await maya.request({ type: 'accept-request', id })
    const handTo = (toId: string | null) => maya.request({ type: 'hand-over-requests', toId })
    expect(await handTo(restaurant.maya.id)).toMatchObject({ code: 'invalid' })
    expect(await handTo('somebody-else')).toMatchObject({ code: 'not_found' })
    expect(await handTo(restaurant.jonas.id)).toMatchObject({
      code: 'conflict',
      message: 'Jonas Berg cannot be reached right now. Please choose somebody else.',
    })
    expect((await restaurant.guestSees()).map(({ acceptedBy }) => acceptedBy?.name)).toEqual(['Maya', 'Maya'])

    const jonas = await restaurant.screenOf(restaurant.jonas.id)
    expect(await handTo(restaurant.jonas.id)).toMatchObject({ type: 'ack' })
    expect((await restaurant.guestSees()).map(({ acceptedBy }) => acceptedBy?.name)).toEqual([
      'Jonas',
      'Jonas',
    ])
    expect(await jonas.request({ type: 'hand-over-requests', toId: null })).toMatchObject({ type: 'ack' })
    for (const id of ids) expect(await restaurant.crewSees(id)).toMatchObject({ state: 'waiting', level: 1 })
  })
})

describe('a crew member who is deleted', () => {
  it('has no accepted requests, covers for nobody and is no longer alerted', async () => {
    const restaurant = await openRestaurant()
    const [maya, jonas] = [
      await restaurant.screenOf(restaurant.maya.id),
      await restaurant.screenOf(restaurant.jonas.id),
    ]
    const [accepted, waiting] = [await restaurant.ask('drinks'), await restaurant.ask('food')]
    await maya.request({ type: 'accept-request', id: accepted })
    expect(await restaurant.crewSees(waiting)).toMatchObject({ crew: [restaurant.maya.id] })
    await jonas.request({ type: 'start-break', coverId: restaurant.maya.id })
    await restaurant.owner.ok(api.crew.remove, { params: { id: restaurant.maya.id } })

    for (const id of [accepted, waiting])
      expect(await restaurant.crewSees(id)).toMatchObject({ state: 'waiting', acceptedBy: null, crew: [] })
    expect((await restaurant.guestSees()).map(({ acceptedBy }) => acceptedBy)).toEqual([null, null])
    await expect
      .poll(() => jonas.ofType('breaks').at(-1))
      .toMatchObject({ breaks: [{ crewMemberId: restaurant.jonas.id, coverId: null }] })
    expect(await laterEvents(accepted)).toEqual(['accepted by Maya Chen', 'released by Crew'])
  })
})

describe('a Host who becomes a Server', () => {
  it('loses the host stand from today on, but not in the past', async () => {
    const restaurant = await openRestaurant()
    const [lena, omar] = [await restaurant.hire('Lena', 'Host'), await restaurant.hire('Omar', 'Host')]
    const days = [-1, 0, 3].map((days) => addDays(restaurant.today, days))
    for (const date of days)
      await restaurant.owner.ok(api.floor.assignHostStand, { body: { date, crewIds: [lena.id, omar.id] } })
    expect(await restaurant.owner.ok(api.crew.details, { params: { id: lena.id } })).toMatchObject({
      atHostStand: 2,
    })
    await restaurant.owner.ok(api.crew.change, { params: { id: lena.id }, body: { role: 'Server' } })
    const stand = await restaurant.owner.ok(api.floor.hostStand, {})
    const standing = await Promise.all(
      days.map(async (date) =>
        (await restaurant.owner.ok(api.floor.assignmentsByDate, { query: { date } }))
          .filter(({ tableId }) => tableId === stand.id)
          .map(({ crewMemberId }) => (crewMemberId === lena.id ? 'Lena' : 'Omar'))
          .toSorted(),
      ),
    )
    expect(standing).toEqual([['Lena', 'Omar'], ['Omar'], ['Omar']])
  })
})

describe('somebody who is removed while a tap of theirs is on its way', () => {
  it('is not on the way to the guest', async () => {
    const restaurant = await openRestaurant()
    const { maya, owner } = restaurant
    const id = await restaurant.ask()
    let removed: Promise<unknown> | undefined
    const ctx: Ctx = {
      ...app.ctx,
      async trace(name, work) {
        if (name.startsWith('write'))
          await (removed ??= owner.call(api.crew.remove, { params: { id: maya.id } }))
        return app.ctx.trace(name, work)
      },
    }
    const actor = { ...deviceActor(await app.idOf(restaurant)), crewMember: maya }
    const request = await accept(ctx, actor, { id })
    expect(await removed).toMatchObject({ status: 204 })
    expect(request).toMatchObject({ state: 'waiting', acceptedBy: null })
    expect(await restaurant.guestSees()).toMatchObject([{ state: 'waiting', acceptedBy: null }])
  })

  it('does nothing that their role was called for', async () => {
    const restaurant = await openRestaurant()
    const { jonas, maya, owner } = restaurant
    const screen = await restaurant.screenOf(jonas.id)
    const id = app.ctx.newId()
    await screen.request({ type: 'send-role-message', id, role: 'Server', messageKey: 'NEED_RUNNER' })
    const actor = { ...deviceActor(await app.idOf(restaurant)), crewMember: maya }
    await owner.call(api.crew.remove, { params: { id: maya.id } })
    await expect(claim(app.ctx, actor, { id })).rejects.toThrow('Please select your name first')
    const { calls } = await pendingRequests(restaurant.device)
    expect(calls).toMatchObject([{ id, claimedBy: null }])
  })

  it('is on no break', async () => {
    const restaurant = await openRestaurant()
    const { maya, owner } = restaurant
    const actor = { ...deviceActor(await app.idOf(restaurant)), crewMember: maya }
    await owner.call(api.crew.remove, { params: { id: maya.id } })
    await expect(startBreak(app.ctx, actor, { coverId: null })).rejects.toThrow(
      'Please select your name first',
    )
    const { breaks } = await pendingRequests(restaurant.device)
    expect(breaks ?? []).toEqual([])
  })
})
