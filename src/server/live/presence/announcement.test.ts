import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { announce, type Announcement, type AnnouncementEvent, idle } from './announcement.ts'

const second = 1_000
const minute = 60 * second

/** A restaurant whose screens come and go, and what it was told when: the number of screens that listen. */
function openRestaurant() {
  let state: Announcement = idle
  let now = 0
  let screens = 0
  const told: { at: number; screens: number }[] = []
  const dispatch = (type: AnnouncementEvent['type']): void => {
    const next = announce(state, { type, listening: screens > 0 }, now)
    state = next.state
    if (next.announces) told.push({ at: now, screens })
  }
  const passes = (ms: number): void => {
    const until = now + ms
    while (state.is !== 'idle' && state.until <= until) {
      now = state.until
      dispatch('time-passed')
    }
    now = until
  }
  const listen = (count: number): void => {
    screens = count
    dispatch('presence')
  }
  return { listen, passes, take: () => told.splice(0), isIdle: () => state.is === 'idle' }
}

it('screens that come within 50 ms are announced together', () => {
  const { listen, passes, take } = openRestaurant()
  listen(1)
  passes(49)
  listen(2)
  expect(take()).toEqual([])
  passes(1)
  expect(take()).toEqual([{ at: 50, screens: 2 }])
})

it('another number is announced when it has stayed for a second', () => {
  const { listen, passes, take, isIdle } = openRestaurant()
  listen(1)
  passes(500)
  listen(2)
  passes(999)
  expect(take()).toEqual([{ at: 50, screens: 1 }])
  passes(1)
  expect(take()).toEqual([{ at: 1_500, screens: 2 }])
  passes(second)
  expect(isIdle()).toBe(true)
})

it('a number that keeps changing is announced every five seconds', () => {
  const { listen, passes, take } = openRestaurant()
  for (let screens = 1; screens <= 40; screens++) {
    listen(screens)
    passes(300)
  }
  expect(take()).toEqual([
    { at: 50, screens: 1 },
    { at: 4_900, screens: 17 },
    { at: 9_700, screens: 33 },
  ])
})

it('whether anybody listens is announced at once, however much changed before', () => {
  const { listen, passes, take } = openRestaurant()
  listen(2)
  passes(100)
  listen(1)
  passes(100)
  take()
  listen(0)
  passes(50)
  expect(take()).toEqual([{ at: 250, screens: 0 }])
})

it('a screen that goes and comes back within 50 ms is announced as it is then', () => {
  const { listen, passes, take } = openRestaurant()
  listen(1)
  passes(100)
  take()
  listen(0)
  passes(20)
  listen(1)
  passes(minute)
  expect(take()).toEqual([{ at: 150, screens: 1 }])
})

it('what a busy server is late with is due now', () => {
  const late = { is: 'announced', at: 0, listening: true, isOutdated: true, until: 4_900 } as const
  const { state } = announce(late, { type: 'presence', listening: true }, 6_000)
  expect(state).toEqual({ ...late, until: 6_000 })
})

describe('whatever happens', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 * second })), {
    minLength: 1,
    maxLength: 40,
  })

  it('whether anybody listens is known within 50 ms, and how many within five seconds of the last change', () => {
    fc.assert(
      fc.property(steps, (evening) => {
        const { listen, passes, take, isIdle } = openRestaurant()
        let known = { at: -Infinity, screens: 0 }
        const learn = () => {
          for (const next of take()) {
            const isNews = next.screens > 0 !== known.screens > 0
            expect(isNews || next.at - known.at >= second, 'the number comes at most once a second').toBe(
              true,
            )
            known = next
          }
        }
        for (const [screens, ms] of evening) {
          listen(screens)
          passes(50)
          learn()
          expect(known.screens > 0).toBe(screens > 0)
          passes(ms)
          learn()
        }
        passes(5 * second)
        learn()
        expect(known.screens).toBe(evening.at(-1)?.[0])
        expect(isIdle()).toBe(true)
      }),
    )
  })
})
