import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp } from '../../../test/support/app.ts'
import { connectScreen, pendingRequests } from '../../../test/support/pages/crew-view.ts'
import { holdPasswords } from '../../../test/support/restaurants/held-passwords.ts'
import { write } from '../core/transaction.ts'

const app = setUpApp()

const ask = (restaurantId: string, tableNumber = '7') =>
  app.browser().ok(api.requests.send, { body: { restaurantId, tableNumber, serviceType: 'check' } })

describe('the live channel', () => {
  it('answers invalid messages and stays open', async () => {
    const someone = await app.browser().connect()
    for (const nonsense of ['{', '[]', 'null', '"ping"', '{"type":"no-such-message"}', '{"type":7}']) {
      someone.sendRaw(nonsense)
      expect(await someone.next('error')).toEqual({
        type: 'error',
        code: 'invalid',
        message: 'Message not understood',
      })
    }
    someone.sendRaw('{"type":"complete-request","ref":"a"}')
    expect(await someone.next('error')).toMatchObject({ code: 'invalid', ref: 'a' })
    expect(await someone.request({ type: 'ping' })).toMatchObject({ type: 'ack' })
  })

  it('tells a node that has just started which screens there are', async () => {
    const { device } = await app.restaurant()
    await connectScreen(device)
    const signals: unknown[] = []
    const stop = app.ctx.bus.subscribe((signal) => signals.push(signal))
    app.ctx.bus.publish([{ kind: 'presence-wanted' }])
    await expect
      .poll(() => signals)
      .toContainEqual(expect.objectContaining({ kind: 'presence', screens: 1, listening: 1 }))
    stop()
  })

  it('handles what a screen does to one request in its order, and to others beside it', async () => {
    const { name, owner, device } = await app.restaurant()
    const { id: crewMemberId } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const [held, other] = [(await ask(name, '7')).request.id, (await ask(name, '8')).request.id]
    const screen = await connectScreen(device, crewMemberId)
    const released = Promise.withResolvers<void>()
    const transact = app.ctx.db.transact.bind(app.ctx.db)
    const spy = vi.spyOn(app.ctx.db, 'transact').mockImplementation(async (task, options) => {
      if (options?.group?.keys.some((key) => key.includes(held))) await released.promise
      return transact(task, options)
    })
    onTestFinished(() => spy.mockRestore())
    screen.send({ type: 'complete-request', id: held })
    screen.send({ type: 'reopen-request', id: held })
    expect(await screen.request({ type: 'complete-request', id: other })).toMatchObject({ type: 'ack' })
    expect((await pendingRequests(device)).requests).toMatchObject([{ id: held }])
    released.resolve()
    await screen.request({ type: 'ping' })
    const events = await app.ctx.db.reader
      .selectFrom('requestEvent')
      .select('kind')
      .where('requestId', '=', held)
      .where('kind', '!=', 'seen')
      .orderBy('at')
      .orderBy('id')
      .execute()
    expect(events.map(({ kind }) => kind)).toEqual(['created', 'completed', 'reopened'])
  })

  it('answers a ping after the messages before it', async () => {
    const { device } = await app.restaurant()
    const screen = await device.connect()
    screen.send({ type: 'get-pending-requests', ref: 'list' })
    await screen.request({ type: 'ping' })
    expect(screen.ofType('ack').map(({ ref }) => ref)).toEqual(['list', expect.any(String)])
  })

  it("refuses guests' messages that are for staff only", async () => {
    const { name } = await app.restaurant()
    const guest = await app.browser().connect()
    await guest.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber: '7' })
    for (const type of ['get-pending-requests', 'get-team-messages'] as const) {
      expect(await guest.request({ type })).toMatchObject({ type: 'error', code: 'forbidden' })
    }
    expect(await guest.request({ type: 'listening', sound: true, push: true })).toMatchObject({
      type: 'error',
      code: 'forbidden',
    })
  })

  it('keeps sessions out of other restaurants', async () => {
    const [restaurant, other] = [await app.restaurant(), await app.restaurant()]
    const crew = await restaurant.device.connect()
    expect(await crew.request({ type: 'set-restaurant-context', restaurantId: other.name })).toMatchObject({
      type: 'error',
      code: 'not_found',
    })
    await ask(other.name)
    await crew.request({ type: 'ping' })
    expect(crew.ofType('new-request')).toEqual([])
  })

  it('numbers the events for staff without gaps', async () => {
    const { name, device } = await app.restaurant()
    const crew = await connectScreen(device)
    for (const table of ['1', '2', '3']) {
      const { request } = await ask(name, table)
      await crew.request({ type: 'accept-request', id: request.id })
      await crew.request({ type: 'complete-request', id: request.id })
    }
    for (let done = 0; done < 3; done++) await crew.next('request-completed')
    const numbered = crew.received.flatMap((message) =>
      message.type === 'pending-requests' ? [] : (message.seq ?? []),
    )
    expect(numbered).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    crew.send({ type: 'get-pending-requests' })
    expect(await crew.next('pending-requests')).toMatchObject({ seq: 9, requests: [] })
  })

  it('closes a socket that floods it, after a message that says why', async () => {
    const someone = await app.browser().connect()
    for (let count = 0; count < 60; count++) someone.send({ type: 'ping' })
    expect(await someone.next('error')).toMatchObject({ code: 'rate_limited' })
    expect(await someone.closed).toBe(1008)
  })

  it('closes a socket that floods it while an earlier message is still being handled', async () => {
    const { owner, device } = await app.restaurant()
    const { id: crewMemberId } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    await owner.ok(api.crew.change, { params: { id: crewMemberId }, body: { pin: '4711' } })
    const screen = await device.connect()
    const held = holdPasswords(app, 'verify')
    screen.send({ type: 'set-crew-member-context', crewMemberId, pin: '4711' })
    await held.reached
    for (let count = 0; count < 60; count++) screen.send({ type: 'get-pending-requests' })
    expect(await screen.closed).toBe(1008)
    held.release()
  })

  it('closes a socket that sends more than 16 kB at once', async () => {
    const someone = await app.browser().connect()
    someone.sendRaw(`"${'x'.repeat(17_000)}"`)
    expect(await someone.closed).toBe(1009)
  })

  it('closes the sockets of a session that ended', async () => {
    const { device, name } = await app.restaurant()
    const crew = await connectScreen(device)
    await device.fetch('/api/logout')
    expect(await crew.closed).toBe(4401)
    expect(name).not.toBe('')
  })

  it('closes a socket whose login has expired, even if it is idle', async () => {
    const { device } = await app.restaurant()
    const crew = await connectScreen(device)
    await write(app.ctx, ({ db }) =>
      db
        .updateTable('sessionGrant')
        .set({ absoluteUntil: app.now() + 10_000 })
        .execute(),
    )
    app.advance(50_000)
    expect(await crew.closed).toBe(4401)
  })

  it('follows a guest who changes tables quickly to the right one', async () => {
    const { name } = await app.restaurant({ tables: ['1', '2'] })
    const guest = await app.browser().connect()
    for (const tableNumber of ['1', '2']) {
      await guest.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber })
    }
    await ask(name, '1')
    const { request } = await ask(name, '2')
    expect(await guest.next('request-updated')).toMatchObject({ request: { id: request.id } })
  })
})

describe('presence', () => {
  it("tells a guest nothing older about a table's requests after what has happened since", async () => {
    const { name } = await app.restaurant()
    const table = { restaurantId: name, tableNumber: '7' }
    const [guest, other] = [app.browser(), app.browser()]
    const { request } = await guest.ok(api.requests.send, { body: { ...table, serviceType: 'drinks' } })
    const [page, witness] = [await guest.connect(), await other.connect()]
    await witness.request({ type: 'set-restaurant-context', ...table })
    const isRead = Promise.withResolvers<void>()
    const isDone = Promise.withResolvers<void>()
    const trace = vi.spyOn(app.ctx, 'trace').mockImplementationOnce(async (_name, work) => {
      const answer = await work()
      isRead.resolve()
      await isDone.promise
      return answer
    })
    const answered = page.request({ type: 'set-restaurant-context', ...table })
    await isRead.promise
    await guest.ok(api.requests.cancel, { params: { id: request.id } })
    // Both sockets have been sent it, or it waits for the list.
    await witness.next('request-completed')
    isDone.resolve()
    expect(await answered).toMatchObject({ type: 'ack', requests: [{ id: request.id }] })
    expect(await page.next('request-completed')).toMatchObject({ id: request.id })
    expect(page.received.map(({ type }) => type)).toEqual(['ack', 'request-completed'])
    trace.mockRestore()
  })

  it('tells staff and guests whether anybody is listening', async () => {
    const { name, device } = await app.restaurant()
    const guest = await app.browser().connect()
    const table = { restaurantId: name, tableNumber: '7' }
    expect(await guest.request({ type: 'set-restaurant-context', ...table })).toMatchObject({
      listening: false,
    })
    const crew = await connectScreen(device)
    expect(await guest.next('presence')).toEqual({ type: 'presence', listening: true, screens: 1 })
    crew.send({ type: 'listening', sound: true, push: false, visible: false })
    expect(await guest.next('presence')).toEqual({ type: 'presence', listening: false, screens: 0 })
    crew.send({ type: 'listening', sound: true, push: true, visible: true })
    expect(await guest.next('presence')).toEqual({ type: 'presence', listening: true, screens: 1 })
    const second = await connectScreen(device)
    expect(await second.next('presence')).toEqual({ type: 'presence', listening: true, screens: 2 })
    second.close()
    crew.close()
    await Promise.all([second.closed, crew.closed])
    for (;;) if (!(await guest.next('presence')).listening) break
  })
})

describe('a crew member', () => {
  it('is chosen by name, and if there is a PIN only with it', async () => {
    const { owner, device } = await app.restaurant()
    const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const ana = await owner.ok(api.crew.add, { body: { name: 'Ana', role: 'Host' } })
    await owner.ok(api.crew.change, { params: { id: ana.id }, body: { pin: '2468' } })
    const crew = await device.connect()
    const choose = (crewMemberId: string, pin?: string) =>
      crew.request({ type: 'set-crew-member-context', crewMemberId, ...(pin !== undefined && { pin }) })
    expect(await choose(maya.id)).toMatchObject({ type: 'ack' })
    expect(await choose(ana.id)).toMatchObject({
      type: 'error',
      code: 'pin_required',
      message: 'Please enter your PIN',
    })
    expect(await choose(ana.id, '1111')).toMatchObject({
      type: 'error',
      code: 'pin_required',
      message: 'Wrong PIN',
    })
    expect(await choose(ana.id, '2468')).toMatchObject({ type: 'ack' })
    expect(
      await (await device.connect()).request({ type: 'set-crew-member-context', crewMemberId: ana.id }),
    ).toMatchObject({
      type: 'ack',
    })
  })

  it('can write to a colleague, and nobody else can read it', async () => {
    const { name, owner, device } = await app.restaurant()
    const add = (member: string) => owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
    const [maya, jonas, priya] = [await add('Maya'), await add('Jonas'), await add('Priya')]
    const screenOf = async (crewMemberId: string) => {
      const screen = await device.connect()
      await screen.request({ type: 'set-crew-member-context', crewMemberId })
      screen.send({ type: 'get-team-messages' })
      await screen.next('team-messages-history')
      return screen
    }
    const [from, to, third] = [await screenOf(maya.id), await screenOf(jonas.id), await screenOf(priya.id)]
    const text = {
      restaurantId: name,
      senderCrewId: maya.id,
      senderCrewName: 'MAYA',
      targetCrewName: 'jonas',
    }
    const written = {
      type: 'send-team-message',
      id: 'm1',
      targetCrewId: jonas.id,
      messageText: ' Table 4 please ',
    } as const
    const stored = {
      id: 'm1',
      restaurantId: name,
      senderCrewId: maya.id,
      senderCrewName: 'Maya',
      targetCrewId: jonas.id,
      targetCrewName: 'Jonas',
      messageKey: null,
      messageText: 'Table 4 please',
    }
    expect(await from.request({ ...written, ...text })).toMatchObject({ type: 'ack', message: stored })
    await from.request({ ...written, ...text })
    expect(await to.next('team-message')).toMatchObject({ message: stored, seq: 1 })
    expect(await from.next('team-message')).toMatchObject({ message: stored, seq: 1 })
    expect(await from.request({ ...written, id: 'm2', senderCrewId: jonas.id })).toMatchObject({
      code: 'forbidden',
    })
    expect(await from.request({ ...written, id: 'm2', senderCrewName: 'Jonas' })).toMatchObject({
      code: 'forbidden',
    })

    expect(await to.request({ type: 'delete-team-message', messageId: 'm1' })).toMatchObject({
      code: 'forbidden',
    })
    expect(await third.request({ type: 'delete-team-message', messageId: 'm1' })).toMatchObject({
      code: 'not_found',
    })
    expect(await from.request({ type: 'delete-team-message', messageId: 'm1' })).toMatchObject({
      type: 'ack',
    })
    expect(await to.next('team-message-deleted')).toMatchObject({ messageId: 'm1', seq: 2 })
    expect(to.ofType('team-message')).toHaveLength(1)
    expect([...third.ofType('team-message'), ...third.ofType('team-message-deleted')]).toEqual([])
    to.send({ type: 'get-team-messages' })
    expect(await to.next('team-messages-history')).toMatchObject({ messages: [], seq: 2 })
  })

  it('who is just being replaced on a screen gets no messages there when an event is lost', async () => {
    const restaurant = await app.restaurant()
    const { owner, device } = restaurant
    const add = (member: string) => owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
    const [maya, jonas, priya] = [await add('Maya'), await add('Jonas'), await add('Priya')]
    await owner.ok(api.crew.change, { params: { id: jonas.id }, body: { pin: '2468' } })
    const [screen, other] = [await connectScreen(device, maya.id), await connectScreen(device, priya.id)]
    await screen.request({ type: 'get-team-messages' })
    await other.request({ type: 'send-team-message', targetCrewId: maya.id, messageText: 'Table 4 please' })
    await screen.next('team-message')

    const held = holdPasswords(app, 'verify')
    const chosen = screen.request({ type: 'set-crew-member-context', crewMemberId: jonas.id, pin: '2468' })
    await held.reached
    const topic = { kind: 'staff', restaurantId: await app.idOf(restaurant) } as const
    const message = { type: 'request-completed', id: 'unknown', by: null, seq: 1_000 } as const
    app.ctx.bus.publish([{ kind: 'event', event: { topic, message } }])
    // The lost event has been noticed, and screens are brought up to date.
    await other.next('pending-requests')
    held.release()
    expect(await chosen).toMatchObject({ type: 'ack' })
    await screen.request({ type: 'ping' })
    const histories = screen.ofType('team-messages-history').map(({ messages }) => messages.length)
    expect(histories).toEqual([0, 0])
  })

  it('acts under the name that was chosen before the tap, however fast both come', async () => {
    const { name, owner, device } = await app.restaurant()
    const add = (member: string) => owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
    const [maya, jonas] = [await add('Maya'), await add('Jonas')]
    const [first, second] = [await ask(name, '7'), await ask(name, '8')]
    const screen = await connectScreen(device, maya.id)
    screen.send({ type: 'accept-request', id: first.request.id })
    screen.send({ type: 'set-crew-member-context', crewMemberId: jonas.id })
    screen.send({ type: 'accept-request', id: second.request.id })
    await screen.request({ type: 'ping' })
    expect((await pendingRequests(device)).requests.map(({ acceptedBy }) => acceptedBy?.name)).toEqual([
      'Maya',
      'Jonas',
    ])
  })

  it('can act only as themselves after a crew login', async () => {
    const { owner } = await app.restaurant()
    const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const jonas = await owner.ok(api.crew.add, { body: { name: 'Jonas', role: 'Server' } })
    const username = `maya ${maya.id}`
    await owner.ok(api.crew.change, { params: { id: maya.id }, body: { username, password } })
    const own = app.browser()
    await own.ok(api.accounts.crewLogin, { body: { username, password } })
    const screen = await own.connect()
    expect(await screen.request({ type: 'set-crew-member-context', crewMemberId: jonas.id })).toMatchObject({
      code: 'forbidden',
    })
    expect(await screen.request({ type: 'set-crew-member-context', crewMemberId: maya.id })).toMatchObject({
      type: 'ack',
    })
  })
})

it('closes all sockets when it stops, and restores their state when they reconnect', async () => {
  const { name, device } = await app.restaurant()
  const crew = await connectScreen(device)
  const { request } = await ask(name)
  await app.restart()
  expect(await crew.closed).toBe(1012)
  expect((await pendingRequests(device)).requests).toEqual([request])
})
