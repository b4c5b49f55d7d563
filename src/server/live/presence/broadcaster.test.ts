import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setUpApp } from '../../../../test/support/app.ts'
import { silentSocket } from '../../../../test/support/pages/silent-socket.ts'
import { deviceActor } from '../../../../test/support/restaurants/device-actor.ts'
import type { Presence } from '../../ports/presence.ts'
import { Connection } from '../connection.ts'
import { Rooms } from '../rooms.ts'
import { PresenceBroadcaster } from './broadcaster.ts'

const app = setUpApp()
const rooms = new Rooms(() => {})
let presence: Presence
let broadcaster: PresenceBroadcaster

beforeEach(() => {
  vi.useFakeTimers()
  broadcaster = new PresenceBroadcaster({ ...app.ctx, now: Date.now, presence: () => presence }, rooms)
})
afterEach(() => {
  broadcaster.stop()
  vi.useRealTimers()
})

/** A screen, and the numbers that it is told. */
function openScreen() {
  const told: number[] = []
  const headerBytes = 2
  const send = (frame: Buffer): void => {
    told.push(JSON.parse(frame.toString('utf8', headerBytes)).screens)
  }
  const screen = new Connection({ ...silentSocket, send }, deviceActor('r1'), 0)
  rooms.joinStaff(screen, 'r1')
  return { screen, told }
}

function change(screens: number, ...listeners: string[]): void {
  presence = { listening: screens > 0, screens, listeners: new Set(listeners) }
  broadcaster.presenceChanged('r1')
}

it('says nothing new while as many listen as before, even if they are others', () => {
  const { told } = openScreen()
  change(2, 'maya', 'ana')
  vi.advanceTimersByTime(100)
  change(2, 'maya')
  change(2, 'maya', 'tom')
  vi.advanceTimersByTime(1_000)
  expect(told).toEqual([2])
  change(3, 'maya', 'tom', 'ana')
  vi.advanceTimersByTime(1_000)
  expect(told).toEqual([2, 3])
})

it('corrects what a newcomer was told meanwhile', () => {
  const { told } = openScreen()
  change(2)
  vi.advanceTimersByTime(100)
  change(3)
  const newcomer = openScreen()
  broadcaster.greet(newcomer.screen)
  vi.advanceTimersByTime(100)
  expect(newcomer.told).toEqual([3])
  change(2)
  vi.advanceTimersByTime(1_000)
  expect(newcomer.told).toEqual([3, 2])
  expect(told.at(-1)).toBe(2)
})

it('tells a guest whose page opened while nobody listened that somebody does, however short that was', () => {
  openScreen()
  change(1)
  vi.advanceTimersByTime(2_000)
  change(0)
  const guest = openScreen()
  change(1)
  vi.advanceTimersByTime(1_000)
  expect(guest.told).toEqual([1])
})

it('tells the number when all have come, or after five seconds', () => {
  const { told } = openScreen()
  for (let screens = 1; screens <= 20; screens++) {
    change(screens)
    vi.advanceTimersByTime(400)
  }
  expect(told).toEqual([1, 13])
  vi.advanceTimersByTime(1_000)
  expect(told).toEqual([1, 13, 20])
  change(21)
  vi.advanceTimersByTime(1_000)
  expect(told).toEqual([1, 13, 20, 21])
})
