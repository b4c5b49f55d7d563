import { describe, expect, it } from 'vitest'
import type { ClientMessage } from '#contract/live.ts'
import { silentSocket } from '../../../../test/support/pages/silent-socket.ts'
import { type Actor, anonymousActor } from '../../core/actor.ts'
import { Connection } from '../connection.ts'
import { createMessageLimiter } from './message-rate-limits.ts'

const screenOf = (restaurantId: string) =>
  new Connection(silentSocket, { ...anonymousActor(), restaurantId } satisfies Actor, 0)

const pending: ClientMessage = { type: 'get-pending-requests' }
/** What the Crew Dashboard sends whenever it connects. */
const connecting: ClientMessage[] = [
  { type: 'set-restaurant-context', restaurantId: 'Blue Door' },
  { type: 'set-crew-member-context', crewMemberId: 'maya' },
  { type: 'update-assigned-tables', tables: ['1', '2'] },
  { type: 'listening', sound: true, push: false, visible: true },
  pending,
  pending,
  { type: 'get-team-messages' },
  { type: 'requests-seen', ids: Array.from({ length: 40 }, (_, id) => String(id)) },
]

describe('messages', () => {
  it('that cause more work are refused sooner, with the time to wait', () => {
    const { charge: spend } = createMessageLimiter()
    const [screen, other] = [screenOf('here'), screenOf('here')]
    for (let asked = 0; asked < 12; asked++) spend(screen, pending, 0)
    expect(() => spend(screen, pending, 0)).toThrow('Too many messages. Please wait 1 second.')
    const ids = Array.from({ length: 500 }, (_, id) => String(id))
    expect(() => spend(screen, { type: 'requests-seen', ids }, 0)).toThrow('Please wait 2 seconds.')
    spend(other, pending, 0)
    spend(screen, pending, 500)
    expect(() => spend(screen, pending, 500)).toThrow('Please wait 1 second.')
  })

  it('of 300 screens that reconnect at once, and again a little later, are all accepted', () => {
    const { charge: spend } = createMessageLimiter()
    for (const at of [0, 15_000, 30_000]) {
      const screens = Array.from({ length: 300 }, () => screenOf('here'))
      for (const screen of screens) for (const message of connecting) spend(screen, message, at)
    }
  })

  it('have their share of the restaurant’s limit on each worker, which is enough for its share of the screens', () => {
    const workers = 3
    const { charge: spend } = createMessageLimiter(() => workers)
    const screens = Array.from({ length: 300 / workers }, () => screenOf('here'))
    for (const screen of screens) for (const message of connecting) spend(screen, message, 0)
    const sendForEver = () => {
      for (;;) spend(screenOf('here'), pending, 0)
    }
    expect(sendForEver).toThrow('Too many messages.')
    expect(() => spend(screenOf('elsewhere'), pending, 0)).not.toThrow()
  })

  it('of 300 screens that send as much as they can do not slow down other restaurants', () => {
    const { charge: spend } = createMessageLimiter()
    const screens = Array.from({ length: 300 }, () => screenOf('noisy'))
    let taken = 0
    for (let at = 0; at < 10_000; at += 100)
      for (const screen of screens)
        try {
          spend(screen, pending, at)
          taken++
        } catch {}
    // Of 30,000: 1,500 at first and 100 a second after that.
    expect(taken).toBeLessThanOrEqual(1_500 + 1_000)
    for (const message of connecting) spend(screenOf('quiet'), message, 10_000)
  })

  it("of guests do not use up the limit of their restaurant's staff", () => {
    const { charge: spend } = createMessageLimiter()
    const guest = () => new Connection(silentSocket, anonymousActor('203.0.113.7'), 0)
    const look: ClientMessage = {
      type: 'set-restaurant-context',
      restaurantId: 'Blue Door',
      tableNumber: '7',
    }
    for (let guests = 0; guests < 200; guests++) spend(guest(), look, 0)
    expect(() => {
      for (let looks = 0; looks < 1000; looks++) spend(guest(), look, 0)
    }).toThrow('Too many messages')
    spend(screenOf('here'), pending, 0)
    spend(new Connection(silentSocket, anonymousActor('203.0.113.8'), 0), look, 0)
  })

  it("of guests without a code do not use up the limit of those at the same address who have a restaurant's", () => {
    const { charge, mayShowCode } = createMessageLimiter()
    const guest = (codeOf: string | null = null) =>
      Object.assign(new Connection(silentSocket, anonymousActor('203.0.113.7'), 0), { codeOf })
    const look: ClientMessage = { type: 'set-restaurant-context', restaurantId: 'here', tableNumber: '7' }
    const flood = (codeOf: string | null) => {
      for (;;) charge(guest(codeOf), look, 0)
    }
    expect(mayShowCode(guest(), look, 0)).toBe(false)
    expect(() => flood(null)).toThrow('Too many messages')
    charge(guest('here'), look, 0)
    expect(() => flood('elsewhere')).toThrow('Too many messages')
    charge(guest('here'), look, 0)

    const newcomer = guest()
    const looks = () => Array.from({ length: 5 }, () => mayShowCode(newcomer, look, 0))
    expect(looks()).toEqual([true, true, true, false, false])
    expect(mayShowCode(newcomer, look, 10_000)).toBe(false)
  })
})
