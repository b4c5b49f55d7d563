import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { setUpApp } from '../../../../test/support/app.ts'
import { silentSocket } from '../../../../test/support/pages/silent-socket.ts'
import { deviceActor } from '../../../../test/support/restaurants/device-actor.ts'
import type { Bus } from '../../ports/bus.ts'
import { Connection } from '../connection.ts'
import { Rooms } from '../rooms.ts'
import { tickMs } from './presence-times.ts'
import { PresenceRegistry } from './registry.ts'
import { type PresenceSignal, ScreenPublisher } from './screen-publisher.ts'

const app = setUpApp()

function start({ severalNodes = true } = {}) {
  let now = 0
  const told: [listening: number, crew: string[]][] = []
  const publish: Bus['publish'] = (signals) => {
    for (const signal of signals) if (signal.kind === 'presence') told.push([signal.listening, signal.crew])
  }
  const rooms = new Rooms((restaurantId) => publisher.screensChanged(restaurantId))
  const registry = new PresenceRegistry(() => now)
  const changed: string[] = []
  const publisher = new ScreenPublisher(
    { ...app.ctx, bus: { ...app.ctx.bus, publish }, now: () => now },
    registry,
    rooms,
    { node: 'this one', severalNodes, onPresenceChanged: (restaurantId) => void changed.push(restaurantId) },
  )
  const openScreen = (session: string, id: string) => {
    const crewMember = { id, name: id, role: 'Server' as const }
    const screen = new Connection(silentSocket, { ...deviceActor('r1', session), crewMember }, now)
    rooms.joinStaff(screen, 'r1')
    return screen
  }
  const letTimePass = (ms: number) => {
    now += ms
  }
  const tick = () => publisher.tick()
  const passTime = (ms: number) => {
    for (let left = ms; left > 0; left -= tickMs) {
      letTimePass(Math.min(left, tickMs))
      tick()
    }
  }
  return { told, changed, rooms, registry, publisher, openScreen, letTimePass, tick, passTime }
}

it('tells other nodes who listens, but not that a screen was away for a moment', async () => {
  const { told, rooms, publisher, openScreen, passTime } = start()
  const maya = openScreen('a', 'maya')
  openScreen('b', 'ana')
  await setImmediate()
  expect(told).toEqual([[2, ['ana', 'maya']]])
  passTime(3_000)
  rooms.remove(maya)
  await setImmediate()
  const again = openScreen('a', 'maya')
  await setImmediate()
  expect(told).toHaveLength(1)
  passTime(3_000)
  rooms.remove(again)
  await setImmediate()
  passTime(3_000)
  await setImmediate()
  expect(told).toEqual([
    [2, ['ana', 'maya']],
    [1, ['ana']],
  ])
  // What was lost on the way is repeated.
  publisher.republish()
  expect(told).toHaveLength(3)
})

it('tells other nodes of a screen that is back, when the repetition was first to miss it', async () => {
  const { told, rooms, publisher, openScreen, passTime, letTimePass } = start()
  const maya = openScreen('a', 'maya')
  openScreen('b', 'ana')
  await setImmediate()
  passTime(3_000)
  rooms.remove(maya)
  await setImmediate()
  letTimePass(3_000)
  publisher.republish()
  expect(told.at(-1)).toEqual([1, ['ana']])
  openScreen('a', 'maya')
  await setImmediate()
  expect(told.at(-1)).toEqual([2, ['ana', 'maya']])
})

it('repeats that the last screen has left, until no other node can count it', async () => {
  const { told, rooms, publisher, openScreen, passTime, letTimePass } = start()
  const maya = openScreen('a', 'maya')
  await setImmediate()
  passTime(3_000)
  rooms.remove(maya)
  await setImmediate()
  passTime(3_000)
  await setImmediate()
  expect(told).toEqual([
    [1, ['maya']],
    [0, []],
  ])
  // The first time may have been lost with the broker.
  letTimePass(5_000)
  publisher.republish()
  letTimePass(7_000)
  publisher.republish()
  expect(told.slice(2)).toEqual([
    [0, []],
    [0, []],
  ])
  letTimePass(1)
  publisher.republish()
  expect(told).toHaveLength(4)
})

it('keeps nothing of a screen that has left where no other node can have missed it', async () => {
  const { told, rooms, publisher, openScreen, passTime } = start({ severalNodes: false })
  const maya = openScreen('a', 'maya')
  await setImmediate()
  rooms.remove(maya)
  await setImmediate()
  passTime(3_000)
  await setImmediate()
  const before = told.length
  publisher.republish()
  expect(told).toHaveLength(before)
})

const screenElsewhere: PresenceSignal = {
  kind: 'presence',
  node: 'another',
  restaurantId: 'r1',
  listening: 1,
  screens: 1,
  crew: ['maya'],
}

it('counts the screens of a node that stops for as long as after a reload', () => {
  const { registry, publisher, changed, passTime } = start()
  publisher.receive(screenElsewhere)
  passTime(500)
  registry.nodeStops('another')
  // Sent before, and late.
  publisher.receive(screenElsewhere)
  passTime(1_999)
  expect(registry.presenceOf('r1').listening).toBe(true)
  expect(changed).toEqual(['r1'])
  passTime(1)
  expect(registry.presenceOf('r1').listening).toBe(false)
  expect(changed).toEqual(['r1', 'r1'])
})

it('counts the screens of a node that fell silent for twelve seconds', () => {
  const { registry, publisher, changed, passTime } = start()
  publisher.receive(screenElsewhere)
  passTime(6_000)
  publisher.receive({ ...screenElsewhere, restaurantId: 'r2' })
  passTime(11_999)
  expect(registry.presenceOf('r1').listening).toBe(true)
  passTime(1)
  expect(registry.presenceOf('r1').listening).toBe(false)
  expect(changed).toEqual(['r1', 'r2', 'r1', 'r2'])
})

it.each([3_600_000, -3_600_000])(
  'counts the screens of another node for as long as it has been silent, though the clock jumps by %i ms',
  (jumpMs) => {
    const { registry, publisher, changed, letTimePass, tick, passTime } = start()
    publisher.receive(screenElsewhere)
    passTime(3_000)
    letTimePass(jumpMs)
    tick()
    publisher.republish()
    passTime(3_000)
    expect(registry.presenceOf('r1').listening).toBe(true)
    expect(changed).toEqual(['r1'])
    passTime(6_500)
    expect(registry.presenceOf('r1').listening).toBe(false)
    expect(changed).toEqual(['r1', 'r1'])
  },
)

it('counts the screens of a node that stops no longer because the clock is set back', () => {
  const { registry, publisher, letTimePass, passTime } = start()
  publisher.receive(screenElsewhere)
  registry.nodeStops('another')
  letTimePass(-3_600_000)
  passTime(2_500)
  expect(registry.presenceOf('r1').listening).toBe(false)
})

it('waits no longer for a screen that may be back because the clock is set back', async () => {
  const { told, rooms, openScreen, letTimePass, passTime } = start()
  const maya = openScreen('a', 'maya')
  openScreen('b', 'ana')
  await setImmediate()
  passTime(3_000)
  rooms.remove(maya)
  await setImmediate()
  letTimePass(-3_600_000)
  passTime(1_500)
  await setImmediate()
  expect(told).toEqual([[2, ['ana', 'maya']]])
  passTime(1_000)
  await setImmediate()
  expect(told.at(-1)).toEqual([1, ['ana']])
})
