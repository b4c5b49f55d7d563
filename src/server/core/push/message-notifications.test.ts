import { describe, expect, it, onTestFinished } from 'vitest'
import {
  subscribePhone,
  takeNotifications,
  setUpPushService,
} from '../../../../test/support/outside/push-restaurant.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import { pushDueMessages } from '../messages/message-pushes.ts'

const push = setUpPushService()

describe('a message', () => {
  it('is pushed to its recipient', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    const message = { type: 'send-team-message', id: 'm1', targetCrewId: restaurant.jonas.id } as const
    await screen.request({ ...message, messageText: 'Table 4 please' })
    await screen.request({ ...message, messageText: 'Table 4 please' })
    await push.app.whenIdle()
    expect(restaurant.phones.jonas.received).toMatchObject([
      {
        notification: {
          title: 'Maya Lopez',
          body: 'Table 4 please',
          tag: `message-${restaurant.maya.id}-${restaurant.jonas.id}`,
        },
      },
    ])
    expect(await takeNotifications(restaurant)).toMatchObject({ maya: [], manager: [] })
  })

  it('is pushed once although the server that took it stopped before it began', async () => {
    const restaurant = await push.openRestaurant()
    const { ctx } = push.app
    const { maya, jonas, device } = restaurant
    const screen = await connectScreen(device, maya.id)
    const send = async (id: string, messageText: string) => {
      push.app.advance(1_000)
      const message = { type: 'send-team-message', id, targetCrewId: jonas.id, messageText } as const
      expect(await screen.request(message)).toMatchObject({ type: 'ack' })
    }
    const { background } = ctx
    const postponed: (() => Promise<void>)[] = []
    const stopped = { background: (task: () => Promise<void>) => void postponed.push(task) }
    Object.assign(ctx, stopped)
    await send('m1', 'Table 3 please')
    await send('m2', 'Table 4 please')
    await send('m3', 'Never mind')
    Object.assign(ctx, { background })
    await screen.request({ type: 'delete-team-message', messageId: 'm3' })
    await pushDueMessages(ctx)
    expect((await takeNotifications(restaurant))['jonas']).toEqual([])
    push.app.advance(5_000)
    await Promise.all([pushDueMessages(ctx), pushDueMessages(ctx)])
    await pushDueMessages(ctx)
    const texts = ['Maya Lopez: Table 4 please']
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: texts, manager: [] })
    postponed.forEach(background)
    expect((await takeNotifications(restaurant))['jonas']).toEqual([])

    Object.assign(ctx, stopped)
    await send('m4', 'Table 5 please')
    Object.assign(ctx, { background })
    push.app.advance(61 * 60_000)
    await pushDueMessages(ctx)
    expect((await takeNotifications(restaurant))['jonas']).toEqual([])
    const due = ctx.db.reader.selectFrom('teamMessage').select('id').where('pushDueAt', 'is not', null)
    expect(await due.execute()).toEqual([])
  })

  it('is withdrawn when it is deleted, unless a newer one replaced it', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    const send = async (id: string, targetCrewId: string, messageText: string) => {
      push.app.advance(1_000)
      await screen.request({ type: 'send-team-message', id, targetCrewId, messageText })
      await push.app.whenIdle()
    }
    const remove = (messageId: string) => screen.request({ type: 'delete-team-message', messageId })
    const ana = await restaurant.add('Ana')
    const anasPhone = await subscribePhone(push.service, restaurant.device, ana.id)
    await send('m1', restaurant.jonas.id, 'Table 4 please')
    await send('m2', restaurant.jonas.id, 'Table 5 please')
    await send('m3', ana.id, 'Hello')
    await takeNotifications(restaurant)
    await remove('m1')
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
    await remove('m2')
    expect(await takeNotifications(restaurant)).toEqual({
      maya: [],
      jonas: ['– Maya Lopez: Message deleted'],
      manager: [],
    })
    expect(anasPhone.told).toEqual(['Maya Lopez: Hello'])
  })

  it('is withdrawn when it is deleted, also where the one before was stored at the same moment', async () => {
    const restaurant = await push.openRestaurant()
    const { maya, jonas, device } = restaurant
    const screen = await connectScreen(device, maya.id)
    // As when a screen sends what was written without a network.
    for (const [id, messageText] of Object.entries({ m1: 'Table 4 please', m2: 'Table 5 please' }))
      await screen.request({ type: 'send-team-message', id, targetCrewId: jonas.id, messageText })
    await takeNotifications(restaurant)
    await screen.request({ type: 'delete-team-message', messageId: 'm2' })
    expect((await takeNotifications(restaurant))['jonas']).toEqual(['– Maya Lopez: Message deleted'])
  })

  it('written after the clock was set back comes after those before, and keeps its notification without them', async () => {
    const restaurant = await push.openRestaurant()
    const { maya, jonas, device } = restaurant
    const [screen, jonasScreen] = [
      await connectScreen(device, maya.id),
      await connectScreen(device, jonas.id),
    ]
    const send = async (from: typeof screen, id: string, targetCrewId: string) => {
      await from.request({ type: 'send-team-message', id, targetCrewId, messageText: `This is ${id}` })
      await push.app.whenIdle()
    }
    await send(screen, 'm1', jonas.id)
    push.app.advance(-3_600_000)
    onTestFinished(() => push.app.advance(3_600_000))
    await send(screen, 'm2', jonas.id)
    await send(jonasScreen, 'm3', maya.id)
    const sent = screen.ofType('team-message').map(({ message }) => message)
    const inOrder = sent.toSorted((a, b) => a.timestamp - b.timestamp).map(({ id }) => id)
    expect(inOrder).toEqual(['m1', 'm2', 'm3'])
    await takeNotifications(restaurant)
    await screen.request({ type: 'delete-team-message', messageId: 'm1' })
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('is withdrawn, as a call is, although the server that deleted it stopped before it began', async () => {
    const restaurant = await push.openRestaurant()
    const { ctx } = push.app
    const { maya, jonas, device } = restaurant
    const [mayasScreen, jonasScreen] = [
      await connectScreen(device, maya.id),
      await connectScreen(device, jonas.id),
    ]
    const [targetCrewId, messageText] = [jonas.id, 'Table 4 please']
    await mayasScreen.request({ type: 'send-team-message', id: 'm1', targetCrewId, messageText })
    const call = { type: 'send-role-message', id: 'c1', role: 'Server', messageKey: 'NEED_HELP' } as const
    await mayasScreen.request(call)
    const told = ['Maya Lopez: Need help at my station', 'Maya Lopez: Table 4 please']
    expect((await takeNotifications(restaurant))['jonas']?.toSorted()).toEqual(told)

    const { background } = ctx
    const postponed: (() => Promise<void>)[] = []
    Object.assign(ctx, { background: (task: () => Promise<void>) => void postponed.push(task) })
    await mayasScreen.request({ type: 'delete-team-message', messageId: 'm1' })
    await jonasScreen.request({ type: 'claim-role-message', id: 'c1' })
    Object.assign(ctx, { background })
    const withdrawn = ['– Maya Lopez: Message deleted', '– Need help at my station: Jonas is on it']
    push.app.advance(15_000)
    await Promise.all([ctx.pusher.sendDue(), ctx.pusher.sendDue()])
    expect((await takeNotifications(restaurant))['jonas']?.toSorted()).toEqual(withdrawn)
    postponed.forEach(background)
    expect((await takeNotifications(restaurant))['jonas']).toEqual([])
  })

  it('is shortened when it is long', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    const messageText = '\u0001👋'.repeat(333)
    await screen.request({ type: 'send-team-message', targetCrewId: restaurant.jonas.id, messageText })
    await push.app.whenIdle()
    expect(restaurant.phones.jonas.received.map(({ notification }) => notification.body)).toEqual([
      `${'\u0001👋'.repeat(100)}…`,
    ])
  })

  it('to a role is pushed to everybody of that role, until one of them claims it', async () => {
    const restaurant = await push.openRestaurant()
    const ana = await restaurant.add('Ana', 'Host')
    const anasPhone = await subscribePhone(push.service, restaurant.device, ana.id)
    const screen = await connectScreen(restaurant.device, ana.id)
    const call = { type: 'send-role-message', id: 'c1', role: 'Server', messageKey: 'NEED_HELP' } as const
    await screen.request({ ...call, tableNumber: '4' })
    const callTexts = ['Ana: Need help at my station · Table 4']
    expect(await takeNotifications(restaurant)).toEqual({ maya: callTexts, jonas: callTexts, manager: [] })
    await (
      await connectScreen(restaurant.device, restaurant.jonas.id)
    ).request({ type: 'claim-role-message', id: 'c1' })
    const claimTexts = ['– Need help at my station: Jonas is on it']
    expect(await takeNotifications(restaurant)).toEqual({ maya: claimTexts, jonas: claimTexts, manager: [] })
    expect(anasPhone.received).toEqual([])
  })

  it('is not pushed when it was claimed or deleted before that', async () => {
    const restaurant = await push.openRestaurant()
    const [mayasScreen, jonasScreen] = [
      await connectScreen(restaurant.device, restaurant.maya.id),
      await connectScreen(restaurant.device, restaurant.jonas.id),
    ]
    const { background } = push.app.ctx
    const postponed: (() => Promise<void>)[] = []
    Object.assign(push.app.ctx, { background: (task: () => Promise<void>) => void postponed.push(task) })
    const targetCrewId = restaurant.jonas.id
    await mayasScreen.request({
      type: 'send-team-message',
      id: 'm1',
      targetCrewId,
      messageText: 'Never mind',
    })
    await mayasScreen.request({ type: 'delete-team-message', messageId: 'm1' })
    await mayasScreen.request({
      type: 'send-role-message',
      id: 'c1',
      role: 'Server',
      messageKey: 'NEED_HELP',
    })
    await jonasScreen.request({ type: 'claim-role-message', id: 'c1' })
    Object.assign(push.app.ctx, { background })
    postponed.forEach(background)
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
  })
})
