import { describe, expect, it } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'
import {
  beforeEachWithPushService,
  openPushRestaurant,
  subscribePhone,
  connectScreen,
  takeNotifications,
} from '../../../../test/support/push-restaurant.ts'
import type { PushService } from '../../../../test/support/push-service.ts'

let service: PushService
let app: TestApp
beforeEachWithPushService((started) => {
  ;({ app, service } = started)
})

const place = () => openPushRestaurant(app, service)

describe('a message', () => {
  it('is pushed to whom it is for', async () => {
    const here = await place()
    const screen = await connectScreen(here.device, here.maya.id)
    const message = { type: 'send-team-message', id: 'm1', targetCrewId: here.jonas.id } as const
    await screen.request({ ...message, messageText: 'Table 4 please' })
    await screen.request({ ...message, messageText: 'Table 4 please' })
    await app.whenIdle()
    expect(here.phones.jonas.received).toMatchObject([
      {
        notification: {
          title: 'Maya Lopez',
          body: 'Table 4 please',
          tag: `message-${here.maya.id}-${here.jonas.id}`,
        },
      },
    ])
    expect(await takeNotifications(here)).toMatchObject({ maya: [], manager: [] })
  })

  it('that is deleted is withdrawn, unless another took its place', async () => {
    const here = await place()
    const screen = await connectScreen(here.device, here.maya.id)
    const send = async (id: string, targetCrewId: string, messageText: string) => {
      app.advance(1_000)
      await screen.request({ type: 'send-team-message', id, targetCrewId, messageText })
      await app.whenIdle()
    }
    const remove = (messageId: string) => screen.request({ type: 'delete-team-message', messageId })
    const ana = await here.add('Ana')
    const others = await subscribePhone(service, here.device, ana.id)
    await send('m1', here.jonas.id, 'Table 4 please')
    await send('m2', here.jonas.id, 'Table 5 please')
    await send('m3', ana.id, 'Hello')
    await takeNotifications(here)
    await remove('m1')
    expect(await takeNotifications(here)).toEqual({ maya: [], jonas: [], manager: [] })
    await remove('m2')
    expect(await takeNotifications(here)).toEqual({
      maya: [],
      jonas: ['– Maya Lopez: Message deleted'],
      manager: [],
    })
    expect(others.told).toEqual(['Maya Lopez: Hello'])
  })

  it('of a thousand letters is shortened', async () => {
    const here = await place()
    const screen = await connectScreen(here.device, here.maya.id)
    const messageText = '\u0001👋'.repeat(333)
    await screen.request({ type: 'send-team-message', targetCrewId: here.jonas.id, messageText })
    await app.whenIdle()
    expect(here.phones.jonas.received.map(({ notification }) => notification.body)).toEqual([
      `${'\u0001👋'.repeat(100)}…`,
    ])
  })

  it('to a role is pushed to all of that role, until one of them claims it', async () => {
    const here = await place()
    const ana = await here.add('Ana', 'Host')
    const host = await subscribePhone(service, here.device, ana.id)
    const screen = await connectScreen(here.device, ana.id)
    const call = { type: 'send-role-message', id: 'c1', role: 'Server', messageKey: 'NEED_HELP' } as const
    await screen.request({ ...call, tableNumber: '4' })
    const help = ['Ana: Need help at my station · Table 4']
    expect(await takeNotifications(here)).toEqual({ maya: help, jonas: help, manager: [] })
    await (await connectScreen(here.device, here.jonas.id)).request({ type: 'claim-role-message', id: 'c1' })
    const claimed = ['– Need help at my station: Jonas is on it']
    expect(await takeNotifications(here)).toEqual({ maya: claimed, jonas: claimed, manager: [] })
    expect(host.received).toEqual([])
  })

  it('that is claimed or deleted by the time it would be pushed is not pushed', async () => {
    const here = await place()
    const [mine, theirs] = [
      await connectScreen(here.device, here.maya.id),
      await connectScreen(here.device, here.jonas.id),
    ]
    const { background } = app.ctx
    const waiting: (() => Promise<void>)[] = []
    Object.assign(app.ctx, { background: (work: () => Promise<void>) => void waiting.push(work) })
    const targetCrewId = here.jonas.id
    await mine.request({ type: 'send-team-message', id: 'm1', targetCrewId, messageText: 'Never mind' })
    await mine.request({ type: 'delete-team-message', messageId: 'm1' })
    await mine.request({ type: 'send-role-message', id: 'c1', role: 'Server', messageKey: 'NEED_HELP' })
    await theirs.request({ type: 'claim-role-message', id: 'c1' })
    Object.assign(app.ctx, { background })
    waiting.forEach(background)
    expect(await takeNotifications(here)).toEqual({ maya: [], jonas: [], manager: [] })
  })
})
