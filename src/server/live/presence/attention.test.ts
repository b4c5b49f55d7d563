import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentSocket } from '../../../../test/support/pages/silent-socket.ts'
import { anonymousActor } from '../../core/actor.ts'
import { Connection } from '../connection.ts'
import { startHeartbeat } from '../heartbeat.ts'
import {
  attend,
  type Attention,
  type AttentionEffect,
  type AttentionEvent,
  dueAt,
  unattended,
} from './attention.ts'
import { ListeningScreens } from './listening-screens.ts'

const noon = Date.parse('2025-06-11T12:00:00Z')
const second = 1_000
const minute = 60 * second

const comes: AttentionEvent = { type: 'presence', listening: true, onPurpose: false }
const goes: AttentionEvent = { type: 'presence', listening: false, onPurpose: false }
const signsOut: AttentionEvent = { type: 'presence', listening: false, onPurpose: true }

type Told = AttentionEffect & { at: number }

/** A restaurant in which time passes and things happen, and what followed when. */
function openRestaurant() {
  let state: Attention = unattended
  let now = noon
  const told: Told[] = []
  const happens = (event: AttentionEvent): void => {
    const next = attend(state, event, { clock: now, seen: now })
    state = next.state
    told.push(...next.effects.map((effect) => ({ ...effect, at: now - noon })))
  }
  const passesUntil = (until: number): void => {
    for (let due = dueAt(state); due !== undefined && due <= until; due = dueAt(state)) {
      now = due
      happens({ type: 'time-passed' })
    }
    now = until
  }
  const passes = (ms: number): void => passesUntil(now + ms)
  const take = () => told.splice(0)
  return { happens, passes, passesUntil, take, isUnattended: () => state.is === 'unattended' }
}

describe('the last screen goes away', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: noon })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Milliseconds from its last sign of life to the alert, if the server looks around this long after that. */
  function alertedAfter(leave: 'falls silent' | 'closes' | 'is hidden', ticksAfterMs: number): number {
    const restaurant = openRestaurant()
    const screens = new ListeningScreens()
    const screen = new Connection(silentSocket, anonymousActor(), Date.now())
    screen.screen = { sound: true, push: false, visible: true }
    const connections = new Set([screen])
    const count = () => {
      restaurant.passesUntil(Date.now())
      const { listening, onPurpose } = screens.count('r1', connections, Date.now())
      restaurant.happens({ type: 'presence', listening: listening > 0, onPurpose })
    }
    count()
    vi.advanceTimersByTime(1_000 - ticksAfterMs)
    const stop = startHeartbeat(Date.now, connections, {
      onSilent: count,
      onTick() {
        if (screens.overdue(Date.now()).length > 0) count()
      },
    })
    vi.advanceTimersByTime(2_000 + ticksAfterMs)
    screen.markHeard(Date.now())
    const left = Date.now()
    if (leave === 'closes') connections.delete(screen)
    if (leave === 'is hidden') screen.screen.visible = false
    if (leave !== 'falls silent') count()
    let alert: Told | undefined
    while (!alert && Date.now() < left + minute) {
      vi.advanceTimersByTime(1)
      restaurant.passesUntil(Date.now())
      alert = restaurant.take().find(({ type }) => type === 'alert')
    }
    stop()
    return (alert?.at ?? Infinity) - (left - noon)
  }

  it.for(['falls silent', 'closes', 'is hidden'] as const)(
    'managers are alerted within 10 seconds after it %s, whenever the server looks around',
    (leave) => {
      for (let ticksAfterMs = 0; ticksAfterMs < 500; ticksAfterMs += 100) {
        const after = alertedAfter(leave, ticksAfterMs)
        expect(after, `looking around ${ticksAfterMs} ms later`).toBeLessThanOrEqual(10 * second)
        // Nor so early that a screen that reloads or moves to another server would alarm them.
        expect(after).toBeGreaterThanOrEqual(3.5 * second)
      }
    },
  )
})

it('screens that another server takes over within 1.5 seconds alarm nobody', () => {
  const { happens, passes, take } = openRestaurant()
  happens(comes)
  passes(minute)
  take()
  happens(goes)
  passes(1_499)
  happens(comes)
  passes(minute)
  expect(take()).toEqual([])
  happens(goes)
  passes(1_500)
  expect(take()).toEqual([{ type: 'alert', since: noon, onPurpose: false, at: 2 * minute + 2_999 }])
})

it('says of whoever has left that they had signed out, as they did at first', () => {
  const { happens, passes, take } = openRestaurant()
  happens(comes)
  happens(signsOut)
  happens(goes)
  passes(minute)
  expect(take()).toMatchObject([{ type: 'withdraw' }, { type: 'alert', onPurpose: true }])
})

it('a guest who asks while nobody listens has the managers alerted within 10 seconds', () => {
  const { happens, passes, take } = openRestaurant()
  happens({ type: 'guest-asked' })
  passes(10 * second)
  expect(take()).toMatchObject([{ type: 'nobody-back' }, { type: 'alert', at: 8 * second }])
})

it('guests who go on asking have them alerted again only as if nobody had listened for ten minutes', () => {
  const { happens, passes, take } = openRestaurant()
  happens({ type: 'guest-asked' })
  passes(5 * second)
  happens({ type: 'guest-asked' })
  passes(10 * second)
  const since = noon - 10 * minute
  expect(take().filter(({ type }) => type === 'alert')).toMatchObject([{ since, at: 8 * second }])
})

it('a guest who asks while somebody listens alarms nobody', () => {
  const { happens, passes, take } = openRestaurant()
  happens(comes)
  take()
  happens({ type: 'guest-asked' })
  passes(minute)
  expect(take()).toEqual([])
})

it.for([
  ['a guest waits', { type: 'restarted' }, noon - 10 * minute],
  ['somebody had been listening', { type: 'interrupted', since: noon - minute }, noon - minute],
] as const)(
  'after a restart screens have 8 seconds to come back where %s, and 1.5 to move',
  ([, event, since]) => {
    const { happens, passes, take } = openRestaurant()
    happens(event)
    passes(8 * second - 1)
    expect(take()).toEqual([])
    passes(1)
    expect(take()).toEqual([{ type: 'nobody-back', at: 8 * second }])
    passes(1_500)
    expect(take()).toEqual([{ type: 'alert', since, onPurpose: false, at: 9_500 }])
  },
)

it('screens that come back after a restart withdraw what stood before, and alarm nobody', () => {
  const { happens, passes, take } = openRestaurant()
  happens({ type: 'interrupted', since: noon - minute })
  passes(7 * second)
  happens(comes)
  passes(minute)
  expect(take()).toEqual([{ type: 'withdraw', at: 7 * second }])
})

it('whoever comes at last, after guests asked, withdraws the alert that stands, and is missed when they leave', () => {
  const { happens, passes, take } = openRestaurant()
  happens({ type: 'guest-asked' })
  passes(10 * second)
  happens({ type: 'guest-asked' })
  passes(7 * second)
  take()
  happens(comes)
  expect(take()).toEqual([{ type: 'withdraw', at: 17 * second }])
  happens(goes)
  passes(minute)
  expect(take()).toMatchObject([{ type: 'alert', since: noon + 17 * second }])
})

describe('whatever happens', () => {
  const event: fc.Arbitrary<AttentionEvent> = fc.oneof(
    fc.constantFrom(comes, goes, signsOut, { type: 'guest-asked' } as const, { type: 'restarted' } as const),
    fc.integer({ min: 0, max: minute }).map((ago) => ({ type: 'interrupted' as const, since: noon - ago })),
  )
  const evening = fc.array(fc.tuple(event, fc.integer({ min: 0, max: 12 * second })), { maxLength: 30 })

  it('an alert comes only while nobody listens, and at most 10 seconds after that began to count', () => {
    fc.assert(
      fc.property(evening, (steps) => {
        const { happens, passes, take, isUnattended } = openRestaurant()
        let listening = false
        for (const [step, ms] of steps) {
          if (step.type === 'presence') listening = step.listening
          happens(step)
          passes(ms)
          const alerts = take().filter(({ type }) => type === 'alert')
          expect(alerts.length).toBeLessThanOrEqual(listening ? 0 : 1)
        }
        if (!listening) passes(10 * second)
        expect(isUnattended()).toBe(!listening)
      }),
    )
  })
})
