import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { ClientMessageInput } from '#contract/live.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { write } from '../../core/transaction.ts'

const app = setUpApp()

/** Setting up tables and adding Maya are the first two events of its stream. */
async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const { id: crewMemberId } = await restaurant.owner.ok(api.crew.add, {
    body: { name: 'Maya', role: 'Server' },
  })
  const ask = (tableNumber: string) =>
    app.browser().ok(api.requests.send, {
      body: { restaurantId: restaurant.name, tableNumber, serviceType: 'check' },
    })
  return { ...restaurant, crewMemberId, ask }
}

describe('a screen that returns', () => {
  it('says everything in one message, and gets its lists before the one answer', async () => {
    const { name, device, crewMemberId, ask } = await openRestaurant()
    await ask('1')
    const screen = await device.connect()
    const answer = await screen.request({
      type: 'resume',
      messages: [
        { type: 'set-restaurant-context', ref: 'restaurant', restaurantId: name },
        { type: 'set-crew-member-context', ref: 'member', crewMemberId },
        { type: 'listening', ref: 'listening', sound: true, push: false },
        { type: 'get-pending-requests', ref: 'requests' },
        { type: 'get-team-messages', ref: 'messages' },
      ],
    })
    expect(answer).toEqual({
      type: 'ack',
      ref: expect.any(String),
      answers: ['restaurant', 'member', 'listening', 'requests', 'messages'].map((ref) => ({
        type: 'ack',
        ref,
        ...(ref === 'restaurant' && { alarmSet: 'bells' }),
      })),
    })
    const numbered = screen.received.filter(({ type }) => type !== 'presence')
    expect(numbered).toEqual([
      expect.objectContaining({ type: 'pending-requests', seq: 3 }),
      { type: 'team-messages-history', messages: [], seq: 0 },
      answer,
    ])
  })

  it('gets no list when nothing came after its last number, and hears what comes next', async () => {
    const { device, ask } = await openRestaurant()
    await ask('1')
    const screen = await device.connect()
    expect(await screen.request({ type: 'get-pending-requests', since: 3 })).toMatchObject({
      unchanged: true,
    })
    await ask('2')
    expect(await screen.next('new-request')).toMatchObject({ seq: 4 })
    expect(screen.received.map(({ type }) => type)).not.toContain('pending-requests')
  })

  it.for([0, 1, 2, 4, 7])('gets the list when it stands at 3 and the screen at %i', async (since) => {
    const { device, ask } = await openRestaurant()
    await ask('1')
    const screen = await device.connect()
    expect(await screen.request({ type: 'get-pending-requests', since })).not.toHaveProperty('unchanged')
    expect(await screen.next('pending-requests')).toMatchObject({ seq: 3 })
  })

  it('is refused only what it may not do', async () => {
    const { name, owner, device, crewMemberId } = await openRestaurant()
    await owner.ok(api.crew.change, { params: { id: crewMemberId }, body: { pin: '4711' } })
    const screen = await device.connect()
    const answer = await screen.request({
      type: 'resume',
      messages: [
        { type: 'set-restaurant-context', restaurantId: `${name} elsewhere` },
        { type: 'set-crew-member-context', crewMemberId },
        { type: 'get-pending-requests' },
        { type: 'get-team-messages', ref: 'messages' },
      ],
    })
    expect(answer).toMatchObject({
      answers: [
        { type: 'error', code: 'not_found' },
        { type: 'error', code: 'pin_required' },
        { type: 'ack' },
        { type: 'error', ref: 'messages', code: 'forbidden' },
      ],
    })
    expect(await screen.next('pending-requests')).toMatchObject({ requests: [] })
  })

  it.for([
    ['no message', []],
    ['a tap', [{ type: 'complete-request', id: 'r1' }]],
    ['itself', [{ type: 'resume', messages: [{ type: 'get-pending-requests' }] }]],
    ['more than a page has', Array.from({ length: 7 }, () => ({ type: 'get-pending-requests' }))],
    ['a number below zero', [{ type: 'get-pending-requests', since: -1 }]],
  ])('cannot put %s into it', async ([, messages]) => {
    const { device } = await openRestaurant()
    const screen = await device.connect()
    screen.sendRaw(JSON.stringify({ type: 'resume', ref: 'malicious', messages }))
    expect(await screen.next('error')).toMatchObject({ ref: 'malicious', code: 'invalid' })
    expect(screen.received.map(({ type }) => type)).not.toContain('pending-requests')
  })

  it('gets nothing once its session has ended', async () => {
    const { device, ask } = await openRestaurant()
    await ask('1')
    const screen = await device.connect()
    await device.fetch('/api/logout')
    screen.send({ type: 'resume', messages: [{ type: 'get-pending-requests' }] })
    expect(await screen.closed).toBe(4401)
    expect(screen.received).toEqual([])
  })
})

describe('a resume', () => {
  it('is checked like any other message, except right after the upgrade', async () => {
    const { device } = await openRestaurant()
    const screen = await device.connect()
    const resume: ClientMessageInput = { type: 'resume', messages: [{ type: 'get-pending-requests' }] }
    expect(await screen.request(resume)).toMatchObject({ type: 'ack' })
    expect(await screen.request(resume)).toMatchObject({ type: 'ack' })
    // As if the signal that says so had been lost.
    await write(app.ctx, ({ db }) => db.deleteFrom('session').execute())
    screen.send(resume)
    expect(await screen.closed).toBe(4401)
    expect(screen.received.filter(({ type }) => type === 'ack')).toHaveLength(2)
  })

  it('counts as many messages as it holds', async () => {
    const screen = await app.browser().connect()
    const messages = Array.from({ length: 6 }, () => ({ type: 'get-pending-requests' as const }))
    for (let sent = 0; sent < 4; sent++) screen.send({ type: 'resume', messages })
    expect(await screen.closed).toBe(1008)
  })
})

describe('screens that ask at the same time', () => {
  it('each get every request that was sent before they asked', async () => {
    const { device, ask } = await openRestaurant()
    const screens = await Promise.all(Array.from({ length: 8 }, () => device.connect()))
    const asking = screens.map(async (screen, index) => {
      if (index % 2 === 1) await ask(index < 4 ? '1' : '2')
      await screen.request({ type: 'get-pending-requests' })
    })
    await Promise.all(asking)
    await ask('2')
    for (const screen of screens) {
      const sequences = screen.received.flatMap((message) => message.seq ?? [])
      const [first = 0] = sequences
      const last = Math.max(...sequences)
      // After the list no number is missing.
      expect([...new Set(sequences.filter((seq) => seq >= first))].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: last - first + 1 }, (_, index) => first + index),
      )
    }
  })
})
