import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import {
  advanceBy,
  sendRequest,
  newRequestTexts,
  takeNotifications,
  setUpPushService,
  type PushRestaurant,
} from '../../../../test/support/outside/push-restaurant.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import * as transitions from '../../storage/requests/request-transitions.ts'
import * as requests from '../../storage/requests/requests.ts'
import { write } from '../transaction.ts'

const push = setUpPushService()

/** The screens of Jonas and Maya. */
async function connectBoth({ device, jonas, maya }: PushRestaurant) {
  return { jonas: await connectScreen(device, jonas.id), maya: await connectScreen(device, maya.id) }
}

describe('a request', () => {
  it('is pushed to its own crew, then to more, to all crew, and also to the manager, each step once', async () => {
    const restaurant = await push.openRestaurant()
    await sendRequest(restaurant, '1')
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: [],
      manager: [],
    })
    await advanceBy(push.app, 12_500)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: [],
      jonas: newRequestTexts('1'),
      manager: [],
    })
    await advanceBy(push.app, 28_500)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: newRequestTexts('1'),
      manager: [],
    })
    await advanceBy(push.app, 5_000)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: newRequestTexts('1'),
      manager: ['Table 1 is still waiting: Drinks · 46 s'],
    })
    await advanceBy(push.app, 60_000)
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('is sent with everything that a browser needs to show it, and as urgent', async () => {
    const restaurant = await push.openRestaurant()
    const { id } = await sendRequest(restaurant, '2')
    await push.app.whenIdle()
    expect(restaurant.phones.maya.received).toEqual([
      {
        web_push: 8030,
        notification: {
          title: 'New Request',
          body: 'Table 2 needs service',
          navigate: `${push.app.ctx.settings.publicUrl}/waiter`,
          tag: `request-${id}`,
          app_badge: 1,
        },
        tableside: {
          withdraw: false,
          urgent: false,
          request: { id, tableNumber: '2', state: 'waiting', acceptedBy: null },
        },
        topic: expect.stringMatching(/^[\w-]{32}$/u),
        urgency: 'high',
        ttl: 120,
      },
    ])
    expect(restaurant.phones.jonas.told).toEqual(newRequestTexts('2'))
    await advanceBy(push.app, 41_000)
    await advanceBy(push.app, 6_000)
    await push.app.whenIdle()
    expect(restaurant.phones.manager.received).toMatchObject([
      {
        notification: { navigate: `${push.app.ctx.settings.publicUrl}/management-dashboard` },
        tableside: { urgent: true },
      },
    ])
    // Managers' devices offer no buttons.
    expect(restaurant.phones.manager.received[0]?.tableside).not.toHaveProperty('request')
  })

  it('names the table that its party moved to, on the devices that it calls there', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    await sendRequest(restaurant, '2')
    const both = { maya: newRequestTexts('2'), jonas: newRequestTexts('2'), manager: [] }
    expect(await takeNotifications(restaurant)).toEqual(both)
    await screen.request({ type: 'move-party', id: 'move-1', from: '2', to: '1' })
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: ['– Table 1: Waiting again'],
      manager: [],
    })
    await screen.request({ type: 'undo-party-move', id: 'move-1' })
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual(both)
  })

  it('is withdrawn silently from the notified devices once somebody is on the way', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    const { id } = await sendRequest(restaurant, '1')
    await push.app.whenIdle()
    const [alert] = restaurant.phones.maya.received
    await screen.request({ type: 'accept-request', id })
    await push.app.whenIdle()
    expect(restaurant.phones.maya.received[1]).toEqual({
      web_push: 8030,
      notification: {
        title: 'Table 1',
        body: 'Maya is on the way',
        navigate: `${push.app.ctx.settings.publicUrl}/waiter`,
        tag: `request-${id}`,
        app_badge: 0,
        silent: true,
      },
      tableside: {
        withdraw: true,
        urgent: false,
        request: { id, tableNumber: '1', state: 'accepted', acceptedBy: restaurant.maya.id },
      },
      topic: alert?.topic,
      urgency: 'normal',
      ttl: 3600,
    })
    expect(restaurant.phones.jonas.received).toEqual([])
    await screen.request({ type: 'complete-request', id })
    await advanceBy(push.app, 1_000)
    await push.app.whenIdle()
    // It said "You’re on it" until then.
    expect(restaurant.phones.maya.received.slice(2)).toMatchObject([
      {
        notification: { title: 'Table 1', body: 'Done', silent: true },
        tableside: { withdraw: true, request: { id, state: 'closed', acceptedBy: null } },
      },
    ])
    expect(restaurant.phones.jonas.received).toEqual([])
  })

  it('tells whoever is on the way that it was cancelled', async () => {
    const restaurant = await push.openRestaurant()
    const guest = push.app.browser()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    const { id } = await sendRequest(restaurant, '2', guest)
    await takeNotifications(restaurant)
    await screen.request({ type: 'accept-request', id })
    const accepted = ['– Table 2: Maya is on the way']
    expect(await takeNotifications(restaurant)).toEqual({ maya: accepted, jonas: accepted, manager: [] })
    await guest.ok(api.requests.cancel, { params: { id } })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: ['– Table 2: Cancelled'],
      jonas: [],
      manager: [],
    })
  })

  it('tells whoever was on the way that a colleague released it, also where it calls them no more', async () => {
    const restaurant = await push.openRestaurant()
    const { jonas, maya } = await connectBoth(restaurant)
    const { id } = await sendRequest(restaurant, '1')
    await advanceBy(push.app, 0)
    await advanceBy(push.app, 12_500)
    await jonas.request({ type: 'accept-request', id })
    await takeNotifications(restaurant)
    await maya.request({ type: 'release-request', id })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: ['– Table 1: Waiting again'],
      manager: [],
    })
  })

  it('tells whoever was on the way that it is with a colleague now', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    await connectScreen(restaurant.device, restaurant.jonas.id)
    const { id } = await sendRequest(restaurant, '1')
    await takeNotifications(restaurant)
    await screen.request({ type: 'accept-request', id })
    await takeNotifications(restaurant)
    await screen.request({ type: 'hand-over-requests', toId: restaurant.jonas.id })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: ['– Table 1: Jonas is on the way'],
      jonas: ['Handed to you: Table 1 needs service'],
      manager: [],
    })
  })

  it('tells whoever is on the way to which table its party moved, and back, unless they moved it', async () => {
    const restaurant = await push.openRestaurant()
    const { jonas, maya } = await connectBoth(restaurant)
    const { id } = await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    await maya.request({ type: 'accept-request', id })
    await takeNotifications(restaurant)
    await jonas.request({ type: 'move-party', id: 'move-1', from: '2', to: '1' })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: ['Table 2 moved to 1: Drinks'],
      jonas: [],
      manager: [],
    })
    await jonas.request({ type: 'undo-party-move', id: 'move-1' })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: ['Table 1 moved to 2: Drinks'],
      jonas: [],
      manager: [],
    })
    // Silently.
    await maya.request({ type: 'move-party', id: 'move-2', from: '2', to: '1' })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: ['– Table 1: Maya is on the way'],
      jonas: [],
      manager: [],
    })
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('names the table that its party moved to also to somebody on the way whom it did not alert', async () => {
    const restaurant = await push.openRestaurant()
    const { jonas, maya } = await connectBoth(restaurant)
    const { id } = await sendRequest(restaurant, '1')
    await jonas.request({ type: 'accept-request', id })
    await takeNotifications(restaurant)
    await maya.request({ type: 'move-party', id: 'move-1', from: '1', to: '2' })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: [],
      jonas: ['Table 1 moved to 2: Drinks'],
      manager: [],
    })
  })

  it('does not ring at managers again when a party moves whose guest they know to be still waiting', async () => {
    const restaurant = await push.openRestaurant()
    const guest = push.app.browser()
    const { id } = await sendRequest(restaurant, '1', guest)
    await advanceBy(push.app, 41_000)
    await advanceBy(push.app, 70_000)
    const { jonas, maya } = await connectBoth(restaurant)
    await jonas.request({ type: 'accept-request', id })
    await advanceBy(push.app, 91_000)
    await guest.ok(api.requests.stillWaiting, { params: { id } })
    await takeNotifications(restaurant)
    await maya.request({ type: 'move-party', id: 'move-1', from: '1', to: '2' })
    expect(await takeNotifications(restaurant)).toMatchObject({
      jonas: ['Table 1 moved to 2: Drinks'],
      manager: [expect.stringMatching(/^– Table 2: /u)],
    })
  })

  it('is withdrawn when it is completed or cancelled', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device)
    const guest = push.app.browser()
    const first = await sendRequest(restaurant, '2')
    const second = await sendRequest(restaurant, '1', guest)
    await takeNotifications(restaurant)
    await screen.request({ type: 'complete-request', id: first.id })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: ['– Table 2: Done'],
      jonas: ['– Table 2: Done'],
      manager: [],
    })
    await guest.ok(api.requests.cancel, { params: { id: second.id } })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: ['– Table 1: Cancelled'],
      jonas: [],
      manager: [],
    })
  })

  it('is withdrawn when it is closed before others whom it calls were notified', async () => {
    const restaurant = await push.openRestaurant()
    const { id } = await sendRequest(restaurant, '1')
    await takeNotifications(restaurant)
    const restaurantId = await push.app.idOf(restaurant)
    await write(push.app.ctx, async ({ db }) => {
      const row = await requests.find(db, restaurantId, id)
      if (!row) throw new Error('no request')
      const call = { called: restaurant.jonas.id, nextLevelAt: row.nextLevelAt }
      expect(await transitions.callOthers(db, row, call)).toBeDefined()
      await transitions.close(db, restaurantId, id, push.app.now(), 'completed', { id: null, name: null })
    })
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({ maya: ['– Table 1: Done'], jonas: [], manager: [] })
  })

  it('is pushed again when its acceptance expires or is released', async () => {
    const restaurant = await push.openRestaurant()
    const firstScreen = await connectScreen(restaurant.device, restaurant.jonas.id)
    const { id } = await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    await firstScreen.request({ type: 'accept-request', id })
    await takeNotifications(restaurant)
    await advanceBy(push.app, 181_000)
    expect(await takeNotifications(restaurant)).toMatchObject({
      maya: newRequestTexts('2'),
      jonas: newRequestTexts('2'),
    })
    const screen = await connectScreen(restaurant.device, restaurant.jonas.id)
    await screen.request({ type: 'accept-request', id })
    await takeNotifications(restaurant)
    await screen.request({ type: 'release-request', id })
    expect(await takeNotifications(restaurant)).toMatchObject({
      maya: newRequestTexts('2'),
      jonas: newRequestTexts('2'),
    })
  })

  it('is not pushed again when its completion is undone, unless it keeps waiting', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.jonas.id)
    const { id } = await sendRequest(restaurant, '1')
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: [],
      manager: [],
    })
    await screen.request({ type: 'complete-request', id })
    expect(await takeNotifications(restaurant)).toEqual({ maya: ['– Table 1: Done'], jonas: [], manager: [] })
    await screen.request({ type: 'reopen-request', id })
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
    await advanceBy(push.app, 41_000)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: newRequestTexts('1'),
      manager: [],
    })
    const later = await connectScreen(restaurant.device, restaurant.jonas.id)
    await later.request({ type: 'complete-request', id })
    await takeNotifications(restaurant)
    await later.request({ type: 'reopen-request', id })
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('is pushed to the cover when its crew goes on a break, and to nobody twice', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    await sendRequest(restaurant, '1')
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: [],
      manager: [],
    })
    await screen.request({ type: 'start-break', coverId: restaurant.jonas.id })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: [],
      jonas: newRequestTexts('1'),
      manager: [],
    })
    await advanceBy(push.app, 41_000)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: newRequestTexts('1'),
      manager: [],
    })
    await screen.request({ type: 'end-break' })
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('is pushed once more when its guest is still waiting after everybody was alerted', async () => {
    const restaurant = await push.openRestaurant()
    const guest = push.app.browser()
    const { id } = await sendRequest(restaurant, '1', guest)
    await advanceBy(push.app, 41_000)
    await advanceBy(push.app, 70_000)
    await takeNotifications(restaurant)
    const remind = () => guest.ok(api.requests.stillWaiting, { params: { id } })
    await remind()
    const reminded = (times: number) => [`Still waiting: Table 1 · Drinks · ${times}×`]
    expect(await takeNotifications(restaurant)).toMatchObject({ maya: reminded(1), jonas: reminded(1) })
    await remind()
    expect(await takeNotifications(restaurant)).toMatchObject({ maya: [], jonas: [] })
    await advanceBy(push.app, 60_000)
    await remind()
    expect(await takeNotifications(restaurant)).toMatchObject({
      maya: reminded(2),
      jonas: reminded(2),
      manager: [expect.stringContaining('Table 1 is still waiting')],
    })
  })

  it('reminds only whoever accepted it that its guest is still waiting', async () => {
    const restaurant = await push.openRestaurant()
    const guest = push.app.browser()
    const { id } = await sendRequest(restaurant, '1', guest)
    const jonas = await connectScreen(restaurant.device, restaurant.jonas.id)
    await jonas.request({ type: 'accept-request', id })
    await advanceBy(push.app, 91_000)
    await takeNotifications(restaurant)
    await guest.ok(api.requests.stillWaiting, { params: { id } })
    const reminded = { maya: [], jonas: ['Still waiting: Table 1 · Drinks · 1×'], manager: [] }
    expect(await takeNotifications(restaurant)).toEqual(reminded)
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
    const again = await connectScreen(restaurant.device, restaurant.jonas.id)
    await again.request({ type: 'complete-request', id })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: [],
      jonas: [expect.stringContaining('Done')],
      manager: [],
    })
  })

  it('is pushed after a crash, and never twice', async () => {
    const restaurant = await push.openRestaurant()
    await sendRequest(restaurant, '1')
    await takeNotifications(restaurant)
    // Committed by a server that died before it could push.
    Object.assign(push.app.ctx, { commitListeners: [] })
    await sendRequest(restaurant, '2')
    await push.app.restart()
    await advanceBy(push.app, 0)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('2'),
      jonas: newRequestTexts('2'),
      manager: [],
    })
  })

  it('is pushed by the next server when the first stopped in the middle of it', async () => {
    const restaurant = await push.openRestaurant()
    restaurant.phones.maya.answer = 'never'
    await sendRequest(restaurant, '1')
    await expect.poll(() => restaurant.phones.maya.attempts).toBe(1)
    await push.app.restart()
    restaurant.phones.maya.answer = 201
    await advanceBy(push.app, 2_500)
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: [],
      manager: [],
    })
    await advanceBy(push.app, 16_000)
    expect((await takeNotifications(restaurant))['maya']).toEqual([])
  })

  it('costs nothing where there are no devices', async () => {
    const { name } = await push.app.restaurant()
    const body = { restaurantId: name, tableNumber: '1', serviceType: 'check' } as const
    const { request } = await push.app.browser().ok(api.requests.send, { body })
    await push.app.ctx.pusher.sendDue()
    const { pushedLevel } = await push.app.ctx.db.reader
      .selectFrom('serviceRequest')
      .select('pushedLevel')
      .where('id', '=', request.id)
      .executeTakeFirstOrThrow()
    expect(pushedLevel).toBe(-1)
  })
})
