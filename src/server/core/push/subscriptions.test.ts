import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, type TestApp } from '../../../../test/support/app.ts'
import {
  advanceBy,
  sendRequest,
  beforeEachWithPushService,
  newRequestTexts,
  openPushRestaurant,
  subscribePhone,
  connectScreen,
  takeNotifications,
} from '../../../../test/support/push-restaurant.ts'
import type { FakePushDevice, PushService } from '../../../../test/support/push-service.ts'
import { removeExpiredData } from '../retention.ts'

let service: PushService
let app: TestApp
beforeEachWithPushService((started) => {
  ;({ app, service } = started)
})

const place = () => openPushRestaurant(app, service)

const subscription = ({ endpoint, keys }: FakePushDevice) => ({ endpoint, keys })

describe('a device', () => {
  it('belongs to whoever told it last', async () => {
    const here = await place()
    const there = await app.restaurant({ tables: ['1'] })
    await here.phones.maya.subscribe(there.device, 'crew', null)
    await sendRequest(here, '2')
    expect(await takeNotifications(here)).toEqual({ maya: [], jonas: newRequestTexts('2'), manager: [] })
    const body = { restaurantId: there.name, tableNumber: '1', serviceType: 'drinks' } as const
    await app.browser().ok(api.requests.send, { body })
    expect(await takeNotifications(here)).toEqual({ maya: newRequestTexts('1'), jonas: [], manager: [] })
  })

  it('ends with its session', async () => {
    const here = await place()
    await here.device.fetch('/api/logout')
    await sendRequest(here, '2')
    expect(await takeNotifications(here)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('ends with a login to another restaurant in the same browser, and its screens with it', async () => {
    const [here, there] = [await place(), await app.restaurant()]
    const id = await app.idOf(here)
    const screen = await connectScreen(here.device, here.maya.id)
    await here.device.ok(api.accounts.restaurantLogin, { body: { restaurantName: there.name, password } })
    expect(await screen.closed).toBe(4401)
    await expect
      .poll(() => app.ctx.presence(id))
      .toEqual({ listening: false, screens: 0, listeners: new Set() })
  })

  it('ends with its crew member, and with a new PIN that it does not know', async () => {
    const here = await place()
    await here.owner.ok(api.crew.remove, { params: { id: here.jonas.id } })
    await here.owner.ok(api.crew.change, { params: { id: here.maya.id }, body: { pin: '2468' } })
    await sendRequest(here, '2')
    expect(await takeNotifications(here)).toEqual({ maya: [], jonas: [], manager: [] })
    const body = { ...subscription(here.phones.maya), audience: 'crew' as const, crewMemberId: here.maya.id }
    expect(await here.device.call(api.push.subscribe, { body })).toMatchObject({
      status: 403,
      body: { code: 'pin_required' },
    })
    await (
      await here.device.connect()
    ).request({
      type: 'set-crew-member-context',
      crewMemberId: here.maya.id,
      pin: '2468',
    })
    expect((await here.device.call(api.push.subscribe, { body })).status).toBe(201)
  })

  it('gets what is for managers only where one is signed in', async () => {
    const here = await place()
    const body = { ...subscription(here.phones.maya), audience: 'manager' as const, crewMemberId: null }
    expect(await here.device.call(api.push.subscribe, { body })).toMatchObject({ status: 403 })
    const raisedTo = async (table: string) => {
      await sendRequest(here, table)
      await advanceBy(app, 21_000)
      await advanceBy(app, 26_000)
      return (await takeNotifications(here))['manager']?.length
    }
    // A login that nobody uses goes idle after two hours, but whoever waits to be called does nothing.
    app.advance(3 * 3_600_000)
    await removeExpiredData(app.ctx)
    expect((await here.manager.call(api.managers.currentUser, {})).status).toBe(401)
    expect(await raisedTo('1')).toBe(1)
    app.advance(9 * 3_600_000)
    await removeExpiredData(app.ctx)
    expect(await raisedTo('2')).toBe(0)
  })

  it('acts as oneself after a crew login', async () => {
    const here = await place()
    await here.owner.ok(api.crew.change, {
      params: { id: here.maya.id },
      body: { username: `maya ${here.maya.id}`, password },
    })
    const own = app.browser()
    await own.ok(api.accounts.crewLogin, { body: { username: `maya ${here.maya.id}`, password } })
    const device = subscription(service.device())
    const wanted = (crewMemberId: string | null) =>
      own.call(api.push.subscribe, { body: { ...device, audience: 'crew', crewMemberId } })
    expect(await wanted(here.jonas.id)).toMatchObject({ status: 403 })
    expect(await wanted('nobody')).toMatchObject({ status: 404 })
    expect(await wanted(null)).toMatchObject({ status: 201 })
    expect(app.ctx.presence(await app.idOf(here)).listeners).toContain(here.maya.id)
  })

  it('is one that a push service may have given', async () => {
    const here = await place()
    const right = { ...subscription(service.device()), audience: 'crew', crewMemberId: null }
    const { keys } = right
    for (const wrong of [
      { endpoint: 'http://push.example.com/x' },
      { endpoint: 'https://a:b@push.example.com/x' },
      { endpoint: 'ftp://push.example.com' },
      { endpoint: `https://push.example.com/${'x'.repeat(1000)}` },
      { endpoint: `https://push.example.com/${'é'.repeat(400)}` },
      { keys: { ...keys, auth: `${keys.auth}AA` } },
      { keys: { ...keys, p256dh: keys.auth } },
      { keys: { ...keys, auth: keys.auth.replace(/./u, '+') } },
      { audience: 'guest' },
    ]) {
      expect(await here.device.send('POST', '/api/push-subscriptions', { ...right, ...wrong })).toMatchObject(
        {
          status: 400,
          body: { code: 'invalid' },
        },
      )
    }
    expect((await here.device.send('POST', '/api/push-subscriptions', right)).status).toBe(201)
  })

  it('makes room: ten for a session', async () => {
    const here = await place()
    for (let count = 0; count < 10; count++) {
      app.advance(1_000)
      await subscribePhone(service, here.device, here.jonas.id)
    }
    await sendRequest(here, '2')
    expect(await takeNotifications(here)).toMatchObject({ maya: [], jonas: [] })
  })
})
