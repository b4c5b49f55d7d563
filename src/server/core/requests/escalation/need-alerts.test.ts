import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, minuteMs, secondMs } from '#contract/durations.ts'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import type { NeedCallee } from '#contract/requests/needs.ts'
import type { NeedChoice } from '#contract/requests/requests.ts'
import { password, startTestApp, type TestApp } from '../../../../../test/support/app.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../../../test/support/outside/http-receiver.ts'
import { passTime } from '../../../../../test/support/outside/outside-receivers.ts'
import { subscribePhone } from '../../../../../test/support/outside/push-restaurant.ts'
import { type PushService, startPushService } from '../../../../../test/support/outside/push-service.ts'
import { connectScreen, requestAsCrew } from '../../../../../test/support/pages/crew-view.ts'
import { assignFirstTable } from '../../../../../test/support/restaurants/busy-restaurant.ts'
import { localDay } from '../../dates.ts'
import { removeExpiredData } from '../../retention/retention.ts'
import { escalateDueRequests } from './escalation.ts'

let app: TestApp
let pushes: PushService
let web: HttpReceiver
beforeAll(async () => {
  pushes = await startPushService()
  web = await startHttpReceiver()
  app = await startTestApp({ ...pushes, outboundAllow: ['127.0.0.0/8'] })
})
afterAll(async () => {
  await app.stop()
  await web.stop()
  await pushes.stop()
})

/** Table 1 is Maya's. Ana and Ben are Hosts. */
async function open(need: { calls?: NeedCallee; note?: true; choices?: NeedChoice[] } = {}) {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const { owner, name, device } = restaurant
  const hire = (member: string, role: 'Server' | 'Host') =>
    owner.ok(api.crew.add, { body: { name: member, role } })
  const maya = await hire('Maya', 'Server')
  const [ana, ben] = [await hire('Ana', 'Host'), await hire('Ben', 'Host')]
  await assignFirstTable(app, restaurant, maya.id)
  const taxi = { id: 'taxi', name: { de: 'Taxi', en: 'Cab' }, icon: 'taxi', targetMs: 270_000 } as const
  await owner.ok(api.needs.set, { body: { needs: [{ ...taxi, ...need }] } })
  const restaurantId = await app.idOf(restaurant)
  const listeners = () => [...app.ctx.presence(restaurantId).listeners].toSorted()
  /** With a phone: a screen would have to answer pings while the clock is advanced. */
  const carryPhones = async (...ids: string[]) => {
    for (const id of ids) await subscribePhone(pushes, device, id)
    await expect.poll(listeners).toEqual(ids.toSorted())
  }
  const listen = async (id: string) => {
    const screen = await connectScreen(device, id)
    await screen.request({ type: 'listening', sound: true, push: false })
    return screen
  }
  const guest = app.browser()
  const ask = async (more: object = {}) => {
    const body = {
      restaurantId: name,
      tableNumber: '1',
      serviceType: 'other',
      need: 'taxi',
      ...more,
    } as const
    const { request } = await guest.ok(api.requests.send, { body })
    return requestAsCrew(device, request.id)
  }
  const levelOf = async (id: string) => (await requestAsCrew(device, id)).level
  return { ...restaurant, maya, ana, ben, guest, carryPhones, listen, listeners, ask, levelOf }
}

const after = async (ms: number): Promise<void> => {
  app.advance(ms)
  await escalateDueRequests(app.ctx)
}

describe('the target of a need', () => {
  it('says when guests can say that they still wait, and when more are alerted', async () => {
    const { maya, guest, carryPhones, ask, levelOf } = await open()
    await carryPhones(maya.id)
    const { id } = await ask()
    // Three times that of Other.
    const [all, manager] = [
      defaultEscalation.allAfterMs.other * 3,
      defaultEscalation.managerAfterMs.other * 3,
    ]
    await after(all - 1)
    expect(await levelOf(id)).toBe(0)
    await after(1)
    expect(await levelOf(id)).toBe(1)
    await after(manager - all - 1)
    expect(await levelOf(id)).toBe(1)
    await after(1)
    expect(await levelOf(id)).toBe(2)
    const stillWaiting = () => guest.call(api.requests.stillWaiting, { params: { id } })
    app.advance(270_000 - manager - 1)
    expect(await stillWaiting()).toMatchObject({ status: 409, body: { params: { seconds: 1 } } })
    app.advance(1)
    expect((await stillWaiting()).status).toBe(200)
  })

  it('stays that of the six for the six', async () => {
    const { maya, carryPhones, ask, levelOf } = await open()
    await carryPhones(maya.id)
    const { id } = await ask({ serviceType: 'check', need: undefined })
    await after(defaultEscalation.allAfterMs.check)
    expect(await levelOf(id)).toBe(1)
  })
})

describe('who is called first', () => {
  it('is everybody at once', async () => {
    const { maya, ana, carryPhones, ask, levelOf } = await open({ calls: 'all' })
    await carryPhones(maya.id, ana.id)
    const request = await ask()
    expect(request).toMatchObject({ level: 1, crew: [maya.id] })
    expect(request).not.toHaveProperty('called')
    await after(defaultEscalation.managerAfterMs.other * 3)
    expect(await levelOf(request.id)).toBe(2)
  })

  it('is everybody with the role who can hear it, then all crew', async () => {
    const { device, maya, ana, ben, carryPhones, ask, levelOf } = await open({ calls: 'Host' })
    await carryPhones(maya.id, ana.id, ben.id)
    const request = await ask()
    expect(request).toMatchObject({ level: 0, crew: [maya.id], called: [ana.id, ben.id].toSorted() })
    // It calls whichever of them is free.
    const other = await ask({ tableNumber: '2', need: undefined })
    const hostScreen = await connectScreen(device, ben.id)
    await hostScreen.request({ type: 'accept-request', id: other.id })
    hostScreen.close()
    await app.whenIdle()
    expect((await requestAsCrew(device, request.id)).called).toEqual([ana.id])
    await after(defaultEscalation.allAfterMs.other * 3 - 1)
    expect(await levelOf(request.id)).toBe(0)
    await after(1)
    expect(await levelOf(request.id)).toBe(1)
  })

  it('is the table’s crew where nobody with the role can hear it', async () => {
    const { maya, listen, ask } = await open({ calls: 'Host' })
    await listen(maya.id)
    expect(await ask()).toMatchObject({ level: 0, crew: [maya.id] })
    expect(await ask({ tableNumber: '2' })).not.toHaveProperty('called')
  })

  it('is nobody else’s business while somebody with the role can hear it', async () => {
    const { maya, ana, listen, listeners, ask, levelOf } = await open({ calls: 'Host' })
    const own = await listen(maya.id)
    const host = await listen(ana.id)
    const { id } = await ask()
    own.close()
    await expect.poll(listeners).toEqual([ana.id])
    await app.whenIdle()
    expect(await levelOf(id)).toBe(0)
    host.close()
    await expect.poll(() => levelOf(id)).toBe(1)
  })
})

describe('what is told elsewhere', () => {
  async function openAlarmed() {
    const restaurant = await open({ note: true, choices: [{ id: 'now', name: { de: 'sofort' } }] })
    const { owner, name, device, maya } = restaurant
    await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
    const manager = app.browser()
    await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
    const phones = [
      await subscribePhone(pushes, device, maya.id),
      await subscribePhone(pushes, manager, null, 'manager'),
    ]
    await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: minuteMs } })
    await owner.ok(api.outsideAlerts.addChannel, { body: { kind: 'webhook', address: `${web.url}/hook` } })
    await owner.ok(api.outsideAlerts.addChannel, { body: { kind: 'ntfy', address: `${web.url}/topic` } })
    const id = await app.idOf(restaurant)
    await expect.poll(() => app.ctx.hasDevices(id)).toBe(true)
    return { ...restaurant, manager, phones }
  }

  it('names the need and the choice, and never the note, which is erased after 24 hours', async () => {
    const { owner, manager, device, guest, phones, maya, ask } = await openAlarmed()
    const note = 'Erdnussallergie'
    const { id, note: shown } = await ask({ choice: 'now', note })
    expect(shown).toBe(note)
    for (const ms of [60 * secondMs, 75 * secondMs, 135 * secondMs, 61 * secondMs]) await passTime(app, ms)
    await guest.ok(api.requests.stillWaiting, { params: { id } })
    await app.whenIdle()
    const rows = async (
      ...tables: ('requestEvent' | 'pushDelivery' | 'outsideAlert' | 'auditEntry' | 'partyMove')[]
    ) => Promise.all(tables.map((table) => app.ctx.db.reader.selectFrom(table).selectAll().execute()))
    const stored = await rows('requestEvent', 'pushDelivery', 'outsideAlert')
    expect(stored.map(({ length }) => length)).not.toContain(0)
    const crew = await connectScreen(device, maya.id)
    await crew.request({ type: 'accept-request', id })
    const moved = { id: app.ctx.newId(), from: '1', to: '2' }
    await crew.request({ type: 'move-party', ...moved })
    await crew.request({ type: 'complete-request', id })
    await app.whenIdle()

    const pushed = phones.flatMap(({ received }) => received.map(({ notification }) => notification.body))
    expect(pushed).toContain('Taxi (sofort) · Table 1')
    expect(pushed).toContainEqual(expect.stringMatching(/^Taxi \(sofort\) · \d+ min$/u))
    const sent = web.received.map(({ body }) => body)
    expect(sent).toHaveLength(2)
    for (const body of sent) expect(body).toContain('Taxi (sofort)')

    const today = localDay(app.now(), 'UTC')
    const query = { from: today, to: today }
    const csv = await (await owner.fetch(`/api/analytics/events.csv?from=${today}&to=${today}`)).text()
    const activity = await (await owner.fetch('/api/audit-log.csv')).text()
    const told = [
      ...phones.map(({ received }) => received),
      sent,
      csv,
      activity,
      { lines: app.lines },
      await owner.ok(api.audit.list, { query: {} }),
      await manager.ok(api.analytics.figures, { query }),
      await manager.ok(api.analytics.overview, {}),
      await device.ok(api.tables.history, { query: { tableNumber: '2' } }),
      stored,
      await rows('requestEvent', 'pushDelivery', 'outsideAlert', 'auditEntry', 'partyMove'),
    ].map((each) => JSON.stringify(each))
    expect(told.filter((text) => text.includes(note))).toEqual([])

    const requests = async () =>
      JSON.stringify(await app.ctx.db.reader.selectFrom('serviceRequest').selectAll().execute())
    app.advance(dayMs - 6 * minuteMs)
    await removeExpiredData(app.ctx)
    expect(await requests()).toContain(note)
    app.advance(6 * minuteMs)
    await removeExpiredData(app.ctx)
    expect(await requests()).not.toContain(note)
    expect(await requests()).toContain('sofort')
  })
})
