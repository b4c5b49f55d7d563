import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Signal } from '../ports/bus.ts'
import { createLimitGossip, joinServers, type LimitGossip } from './limit-gossip.ts'

const minutes = 60_000
/** As long as a server gathers what it counts. */
const gatherMs = 20
/** How often a server says that it is there. */
const beatMs = 1_000
const untilGoneMs = 5_000

type Joined = {
  gossip: LimitGossip
  listeners: Set<(signal: Signal) => void>
  gaps: Set<() => void>
  isCutOff: boolean
  sent: number
  count: () => number
  leave: () => void
}
let servers: Joined[]
beforeEach(() => {
  servers = []
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server that all others hear, and that can be cut off. */
function join({ workers = 1 } = {}): Joined {
  const gossip = createLimitGossip({ guests: true, now: () => performance.now() })
  const listeners = new Set<(signal: Signal) => void>()
  const gaps = new Set<() => void>()
  const server: Joined = {
    gossip,
    listeners,
    gaps,
    isCutOff: false,
    sent: 0,
    count: () => 0,
    leave: () => {},
  }
  servers.push(server)
  const bus = {
    publish(signals: readonly Signal[]) {
      server.sent += signals.length
      for (const other of servers) {
        if (other !== server && (other.isCutOff || server.isCutOff)) continue
        for (const signal of signals) for (const listener of other.listeners) listener(signal)
      }
    },
    subscribe: (listener: (signal: Signal) => void) => {
      // Each worker passes on what it hears.
      for (let worker = 0; worker < workers; worker++) listeners.add((signal) => listener(signal))
      return () => listeners.clear()
    },
    onGap: (listener: () => void) => {
      gaps.add(listener)
      return () => gaps.clear()
    },
    ready: async () => true,
    close: async () => {},
  }
  return Object.assign(server, joinServers(bus, gossip))
}

async function takeAsMany(server: Joined, key = 'phone'): Promise<number> {
  for (let taken = 0; ; taken++) {
    const problem = await server.gossip.limits.take('guest-device', key).catch((error: unknown) => error)
    if (problem) return taken
  }
}

const refusal = (server: Joined, key = 'phone') =>
  server.gossip.limits.check('guest-device', key).then(
    () => null,
    (error: unknown) => String(error),
  )

describe('servers that count together', () => {
  it('refuse what any of them has refused, and no other key', async () => {
    const [a, b, c] = [join(), join(), join()]
    expect(await takeAsMany(a)).toBe(12)
    vi.advanceTimersByTime(gatherMs)
    expect(await Promise.all([b, c].map((server) => takeAsMany(server)))).toEqual([0, 0])
    expect(await takeAsMany(b, 'another phone')).toBe(12)
    vi.advanceTimersByTime(10 * minutes)
    expect(await takeAsMany(b)).toBe(12)
  })

  it('share one budget, however it is used', async () => {
    const both = [join(), join()]
    let taken = 0
    for (const server of [...both, ...both, ...both, ...both, ...both, ...both, ...both]) {
      taken += await server.gossip.limits.take('guest-device', 'phone').then(
        () => 1,
        () => 0,
      )
      vi.advanceTimersByTime(gatherMs)
    }
    expect(taken).toBe(12)
  })

  it('take what they let pass in the same moment off the time that follows', async () => {
    const [a, b] = [join(), join()]
    expect(await takeAsMany(a)).toBe(12)
    expect(await takeAsMany(b)).toBe(12)
    vi.advanceTimersByTime(gatherMs)
    for (const server of [a, b]) expect(await refusal(server)).toContain('Please wait 20 minutes')
    vi.advanceTimersByTime(20 * minutes)
    expect(await takeAsMany(a)).toBe(12)
  })

  it('tell a server that starts later what they know', async () => {
    const [a, b] = [join(), join()]
    await takeAsMany(a)
    vi.advanceTimersByTime(gatherMs)
    a.leave()
    expect(await refusal(join())).toContain('Please wait 10 minutes')
    expect(await takeAsMany(b)).toBe(0)
  })

  it('make up for what was lost on the way', async () => {
    const [a, b] = [join(), join()]
    b.isCutOff = true
    await takeAsMany(a)
    vi.advanceTimersByTime(gatherMs)
    expect(await refusal(b)).toBeNull()
    b.isCutOff = false
    for (const missed of a.gaps) missed()
    vi.advanceTimersByTime(beatMs)
    expect(await refusal(b)).toContain('Please wait 10 minutes')
  })

  it('say once a second at most what may have been lost, and nothing of it when alone', async () => {
    const a = join()
    for (let table = 0; table < 100; table++) await takeAsMany(a, `phone ${table}`)
    const lose = () => {
      for (const missed of a.gaps) for (let worker = 0; worker < 8; worker++) missed()
    }
    const sentInSeconds = (...seconds: number[]) =>
      seconds.map((ms) => {
        const before = servers.map(({ sent }) => sent)
        vi.advanceTimersByTime(ms)
        return servers.map(({ sent }, at) => sent - (before[at] ?? 0))
      })
    lose()
    expect(a.sent).toBe(1)
    expect(sentInSeconds(beatMs)).toEqual([[1]])
    join()
    const before = a.sent
    lose()
    expect(a.sent).toBe(before)
    // Five signals, which the other answers with as many, and its sign of life.
    expect(sentInSeconds(beatMs, beatMs)).toEqual([
      [5, 6],
      [1, 1],
    ])
  })

  it('tell little of a long key, and refuse it everywhere', async () => {
    const [a, b] = [join(), join()]
    const table = `unverified new r1 ${'صلى الله عليه وسلم'.repeat(40)}`
    for (let taps = 0; taps < 20; taps++) await a.gossip.limits.take('guest-table', table)
    const told: Signal[] = []
    b.listeners.add((signal) => told.push(signal))
    vi.advanceTimersByTime(gatherMs)
    expect(JSON.stringify(told).length).toBeLessThan(300)
    for (const server of [a, b])
      await expect(server.gossip.limits.check('guest-table', table)).rejects.toThrow('asked many times')
    await a.gossip.limits.check('guest-table', `${table}2`)
    await b.gossip.limits.clear('guest-table', table)
    await b.gossip.limits.check('guest-table', table)
  })

  it('count once what several workers of a server have heard', async () => {
    const [a, b] = [join(), join({ workers: 3 })]
    for (let taps = 0; taps < 5; taps++) await a.gossip.limits.take('guest-device', 'phone')
    vi.advanceTimersByTime(gatherMs)
    expect(await takeAsMany(b)).toBe(7)
  })

  it('know how many they are, and say nothing of their counts when alone', async () => {
    const a = join()
    expect(a.count()).toBe(1)
    await takeAsMany(a)
    vi.advanceTimersByTime(gatherMs)
    expect(a.sent).toBe(1)
    const b = join()
    expect([a.count(), b.count()]).toEqual([2, 2])
    b.leave()
    expect(a.count()).toBe(1)
  })

  it('count the sockets of all, without those of a server that is gone', () => {
    const [a, b, c] = [join(), join(), join()]
    a.gossip.setSockets('guest', 5)
    b.gossip.setSockets('guest', 2)
    vi.advanceTimersByTime(gatherMs)
    expect([a, b, c].map(({ gossip }) => gossip.socketsElsewhere('guest'))).toEqual([2, 5, 7])
    a.gossip.setSockets('guest', 1)
    vi.advanceTimersByTime(gatherMs)
    expect(c.gossip.socketsElsewhere('guest')).toBe(3)
    a.isCutOff = true
    vi.advanceTimersByTime(untilGoneMs)
    expect([c.gossip.socketsElsewhere('guest'), c.count()]).toEqual([2, 2])
    b.leave()
    expect([c.gossip.socketsElsewhere('guest'), c.count()]).toEqual([0, 1])
    a.isCutOff = false
    vi.advanceTimersByTime(untilGoneMs)
    expect([c.gossip.socketsElsewhere('guest'), c.count()]).toEqual([1, 2])
  })
})
