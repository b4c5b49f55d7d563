import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type BusServer,
  busSeconds,
  closeBuses,
  completedSignal,
  startProxy,
  logEntries,
  nextGap,
  recordSignals,
  recordingLog,
  openBuses,
  brokers,
  presenceSignal,
  waitUntilReady,
} from '../../../../test/support/buses.ts'
import type { Bus, Signal } from '../../ports/bus.ts'
import type { LimitCount } from '../../ports/limits.ts'
import { createMemoryBus } from './memory-bus.ts'

afterEach(closeBuses)

describe.each<[string, (() => Promise<BusServer>) | null]>([['memory', null], ...brokers])(
  'the bus over %s',
  (_name, startServer) => {
    let server: BusServer | null = null
    beforeAll(async () => {
      server = startServer && (await startServer())
    })
    afterAll(() => server?.stop())

    async function twoNodes(): Promise<[Bus, Bus]> {
      const open = async (): Promise<Bus> => {
        const bus = server ? await server.open(server.url) : createMemoryBus(recordingLog)
        openBuses.push(bus)
        return bus
      }
      const first = await open()
      return [first, server ? await open() : first]
    }

    it('delivers to every node, including the sender, in order', async () => {
      const [a, b] = await twoNodes()
      const [byA, byB] = [recordSignals(a), recordSignals(b)]
      const signals: Signal[] = [
        completedSignal('1'),
        { kind: 'sessions-changed', sessionIds: ['s1', 's2'] },
        { kind: 'missed', restaurantId: 'Gasthaus „Zum Bären“ 🐻' },
        presenceSignal(3),
      ]
      a.publish(signals)
      a.publish([completedSignal('2')])
      await Promise.all([byA.count(5), byB.count(5)])
      expect(byA.signals).toEqual([...signals, completedSignal('2')])
      expect(byB.signals).toEqual([...signals, completedSignal('2')])
    })

    it('delivers to the sender at once, and only once', async () => {
      const [a, b] = await twoNodes()
      const [byA, byB] = [recordSignals(a), recordSignals(b)]
      a.publish([completedSignal('1'), presenceSignal(1)])
      expect(byA.signals).toEqual([completedSignal('1'), presenceSignal(1)])
      await byB.count(2)
      // The broker keeps the order, so by now an echo of the first two would have arrived.
      b.publish([completedSignal('2')])
      await byA.one(completedSignal('2'))
      expect(byA.signals).toEqual([completedSignal('1'), presenceSignal(1), completedSignal('2')])
    })

    it('delivers many signals at once', async () => {
      const [a, b] = await twoNodes()
      const [byA, byB] = [recordSignals(a), recordSignals(b)]
      for (let id = 0; id < 3000; id++) {
        a.publish([completedSignal(`a${id}`)])
        if (id % 10 === 0) b.publish([completedSignal(`b${id}`), completedSignal(`b${id + 1}`)])
      }
      await Promise.all([byA.count(3600), byB.count(3600)])
      const ids = (signals: Signal[], of: string) =>
        signals.flatMap((signal) =>
          signal.kind === 'event' && signal.event.message.type === 'request-completed'
            ? signal.event.message.id.startsWith(of)
              ? [Number(signal.event.message.id.slice(1))]
              : []
            : [],
        )
      for (const { signals } of [byA, byB]) {
        expect(signals).toHaveLength(3600)
        expect(ids(signals, 'a')).toEqual(Array.from({ length: 3000 }, (_, id) => id))
        expect(ids(signals, 'b')).toEqual(ids(signals, 'b').toSorted((x, y) => x - y))
      }
    })

    it('delivers repeated signals', async () => {
      const [a, b] = await twoNodes()
      const byB = recordSignals(b)
      const signals = [presenceSignal(1), presenceSignal(0), presenceSignal(1), presenceSignal(1)]
      a.publish(signals)
      await byB.count(4)
      expect(byB.signals).toEqual(signals)
    })

    it('replaces an event that is too large, and splits a long list without losing anything', async () => {
      const [a, b] = await twoNodes()
      const byB = recordSignals(b)
      const sessionIds = Array.from({ length: 1000 }, (_, id) => `session-${id}`.padEnd(43, '.'))
      a.publish([
        completedSignal('🐻'.repeat(2000)),
        { kind: 'sessions-changed', sessionIds },
        completedSignal('last'),
      ])
      await byB.one(completedSignal('last'))
      const [first, ...rest] = byB.signals
      expect([completedSignal('🐻'.repeat(2000)), { kind: 'missed', restaurantId: 'r1' }]).toContainEqual(
        first,
      )
      expect(rest.flatMap((signal) => (signal.kind === 'sessions-changed' ? signal.sessionIds : []))).toEqual(
        sessionIds,
      )
    })

    it('delivers what is longer than the broker takes, and what comes after it, without a gap', async () => {
      const [a, b] = await twoNodes()
      const byB = recordSignals(b)
      let gaps = 0
      for (const bus of [a, b]) bus.onGap(() => gaps++)
      const longName = '\u{FDFA}'.normalize('NFKC').repeat(40)
      const counts = Array.from({ length: 20 }, (_, at): LimitCount => [
        'guest-table',
        `${longName}${at}`,
        1,
        1,
      ])
      const crew = Array.from({ length: 300 }, (_, at) => `${at}-${randomUUID()}🐻`)
      const signals: Signal[] = [
        { kind: 'limits', server: 'a', number: 1, counts, sockets: [] },
        { kind: 'presence', node: 'a', restaurantId: 'r1', listening: 300, screens: 300, crew },
        { kind: 'devices-changed', restaurantId: 'r2' },
        completedSignal('1'),
      ]
      a.publish(signals)
      await byB.count(4)
      a.publish([completedSignal('last')])
      await byB.one(completedSignal('last'))
      expect(byB.signals).toEqual([...signals, completedSignal('last')])
      expect(gaps).toBe(0)
    })

    it('keeps delivering to the others when a listener throws', async () => {
      const [a, b] = await twoNodes()
      b.subscribe(() => {
        throw new Error('broken screen')
      })
      const byB = recordSignals(b)
      a.publish([completedSignal('1'), completedSignal('2')])
      await byB.count(2)
      expect(byB.signals).toEqual([completedSignal('1'), completedSignal('2')])
      expect(logEntries.map(({ level }) => level)).toEqual(['error', 'error'])
    })

    it('delivers what a listener publishes after the signal that the listener received', async () => {
      const [a, b] = await twoNodes()
      b.subscribe((signal) => {
        if (signal.kind === 'event') b.publish([presenceSignal(1)])
      })
      const [byA, byB] = [recordSignals(a), recordSignals(b)]
      a.publish([completedSignal('1')])
      await Promise.all([byA.count(2), byB.count(2)])
      expect(byA.signals).toEqual([completedSignal('1'), presenceSignal(1)])
      expect(byB.signals).toEqual([completedSignal('1'), presenceSignal(1)])
    })

    it('delivers nothing after unsubscribing', async () => {
      const [a, b] = await twoNodes()
      const [left, stayed] = [recordSignals(b), recordSignals(b)]
      a.publish([completedSignal('1')])
      await Promise.all([left.count(1), stayed.count(1)])
      left.leave()
      a.publish([completedSignal('2')])
      await stayed.count(2)
      expect(left.signals).toEqual([completedSignal('1')])
    })

    it('is ready until it is closed, and silent afterwards', async () => {
      const [a, b] = await twoNodes()
      const byA = recordSignals(a)
      expect(await Promise.all([a.ready(), b.ready()])).toEqual([true, true])
      await a.close()
      expect(await a.ready()).toBe(false)
      a.publish([completedSignal('1')])
      b.publish([completedSignal('2')])
      await b.close()
      await a.close()
      expect(byA.signals).toEqual([])
      expect(logEntries).toEqual([])
    })
  },
)

describe.each(brokers)('the bus over %s, between several nodes', (_name, startServer) => {
  let server: BusServer
  let door: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    server = await startServer()
    door = await startProxy(server.url)
  })
  afterEach(() => door.reopen())
  afterAll(async () => {
    await door.remove()
    await server.stop()
  })

  async function open(url: string): Promise<Bus> {
    const bus = await server.open(url)
    openBuses.push(bus)
    return bus
  }

  it('repairs broken connections, and makes every node check for missed events', async () => {
    const [a, b] = [await open(server.url), await open(server.url)]
    for (let time = 0; time < 2; time++) {
      const gaps = Promise.all([nextGap(a), nextGap(b)])
      await server.breakConnections()
      await gaps
      await waitUntilReady(a, b)
      const [byA, byB] = [recordSignals(a), recordSignals(b)]
      a.publish([completedSignal(String(time))])
      await Promise.all([byA.one(completedSignal(String(time))), byB.one(completedSignal(String(time)))])
    }
  })

  it('serves its own node while the server is away, and makes the others check afterwards', async () => {
    const [a, b] = [await open(door.url), await open(server.url)]
    const [byA, byB] = [recordSignals(a), recordSignals(b)]
    door.shut()
    const complaints = [/^not sending to/, /^not receiving from/]
    const isAmong = (messages: string[]) =>
      complaints.every((complaint) => messages.some((text) => complaint.test(text)))
    await expect.poll(() => logEntries.map(({ message }) => message)).toSatisfy(isAmong)
    expect(await a.ready()).toBe(false)
    for (let id = 0; id < 20_000; id++) a.publish([completedSignal(String(id))])
    expect(byA.signals).toHaveLength(20_000)
    expect(byA.signals.at(-1)).toEqual(completedSignal('19999'))
    const gaps = Promise.all([nextGap(a), nextGap(b)])
    door.reopen()
    await gaps
    await waitUntilReady(a)
    a.publish([completedSignal('last')])
    await Promise.all([byA.one(completedSignal('last')), byB.one(completedSignal('last'))])
    expect(byA.signals).toHaveLength(20_001)
    expect(byB.signals).toEqual([completedSignal('last')])
  })

  it('reads only what other nodes sent', async () => {
    const [a, b] = [await open(server.url), await open(server.url)]
    const [byA, byB] = [recordSignals(a), recordSignals(b)]
    const parse = vi.spyOn(JSON, 'parse')
    for (let id = 0; id < 100; id++) a.publish([completedSignal(String(id))])
    await byB.count(100)
    b.publish([completedSignal('last')])
    await byA.one(completedSignal('last'))
    expect(parse.mock.calls.filter(([text]) => text.includes('request-completed'))).toHaveLength(101)
  })

  it('measures how long signals take to the server and back, once however many they are', async () => {
    const [a, b] = [await open(server.url), await open(server.url)]
    const byB = recordSignals(b)
    a.publish([completedSignal('1'), presenceSignal(1)])
    await expect.poll(() => busSeconds.length).toBe(1)
    a.publish([completedSignal('2')])
    await byB.count(3)
    expect(byB.signals).toEqual([completedSignal('1'), presenceSignal(1), completedSignal('2')])
    expect(busSeconds).toEqual([expect.any(Number)])
    expect(busSeconds[0]).toBeGreaterThan(0)
    expect(busSeconds[0]).toBeLessThan(10)
  })

  it('understands nodes of the earlier version, and they understand it', async () => {
    const bus = await open(server.url)
    const byBus = recordSignals(bus)
    const earlier = await server.openEarlierVersion()
    const signals = [completedSignal('Zum Bären: 🐻'), presenceSignal(2)]
    bus.publish(signals)
    // It passes on what it does not know to listeners, which know it no better.
    const understood = () => earlier.received.filter((signal) => !JSON.stringify(signal).includes('probe'))
    await expect.poll(understood).toMatchObject(signals)
    await earlier.send(completedSignal('from the earlier version'))
    await byBus.one(completedSignal('from the earlier version'))
    expect(byBus.signals).toEqual([...signals, completedSignal('from the earlier version')])
    await earlier.close()
  })

  it('starts without its server, and becomes ready once that is there', async () => {
    door.shut()
    const bus = await open(door.url)
    expect(await bus.ready()).toBe(false)
    const gap = nextGap(bus)
    door.reopen()
    await gap
    await waitUntilReady(bus)
    const byBus = recordSignals(bus)
    bus.publish([completedSignal('1')])
    await byBus.count(1)
    expect(byBus.signals).toEqual([completedSignal('1')])
  })

  it('closes while its server is away', async () => {
    const bus = await open(door.url)
    door.shut()
    bus.publish([completedSignal('1')])
    await bus.close()
    expect(await bus.ready()).toBe(false)
  })

  it('sends what was published before it is closed', async () => {
    const [a, b] = [await open(server.url), await open(server.url)]
    const byB = recordSignals(b)
    for (let id = 0; id < 2000; id++) a.publish([completedSignal(String(id))])
    await a.close()
    await byB.count(2000)
    expect(byB.signals.at(-1)).toEqual(completedSignal('1999'))
  })
})
