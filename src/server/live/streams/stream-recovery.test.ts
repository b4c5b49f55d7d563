import { expect, it, onTestFinished, vi } from 'vitest'
import { setUpApp } from '../../../../test/support/app.ts'
import { silentSocket } from '../../../../test/support/pages/silent-socket.ts'
import { type Actor, anonymousActor, type Grant } from '../../core/actor.ts'
import { Connection, toFrame } from '../connection.ts'
import { Rooms } from '../rooms.ts'
import { StreamRecovery } from './stream-recovery.ts'

const app = setUpApp()

const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const

/** A restaurant's guests, and who is told to come back. */
async function start(count: number) {
  const restaurantId = await app.idOf(await app.restaurant())
  const rooms = new Rooms(() => {})
  const sentAway: Connection[] = []
  const recovery = new StreamRecovery(
    app.ctx,
    rooms,
    (connection) => sentAway.push(connection),
    (_to, task) => void task(),
  )
  onTestFinished(() => recovery.close())
  const guests = Array.from({ length: count }, () => new Connection(silentSocket, anonymousActor(), 0))
  for (const guest of guests) rooms.joinTable(guest, { restaurantId, tableKey: '7' })
  return {
    restaurantId,
    recovery,
    rooms,
    stream: `${restaurantId} staff`,
    sentAway,
    guests,
    announce: (seq: number) =>
      recovery.deliver({
        topic: { kind: 'staff', restaurantId },
        message: { type: 'request-completed', id: `${seq}`, by: null, seq },
      }),
    setStored: (lastSeq: number) =>
      app.ctx.db.transact(async (db) => {
        await db
          .insertInto('liveStream')
          .values({ restaurantId, name: 'staff', lastSeq })
          .onConflict((c) => c.columns(['restaurantId', 'name']).doUpdateSet({ lastSeq }))
          .execute()
      }),
  }
}

it('forgets where a stream is when nobody hears it any more', async () => {
  const { recovery, rooms, stream, guests, setStored } = await start(2)
  await setStored(1)
  expect(await recovery.snapshots.follow(stream)).toBe(1)
  await setStored(5)
  recovery.forgetUnheard()
  expect(await recovery.snapshots.follow(stream)).toBe(1)
  for (const guest of guests) rooms.remove(guest)
  recovery.forgetUnheard()
  expect(await recovery.snapshots.follow(stream)).toBe(5)
})

it('sends guests away few at a time when an event of their restaurant is lost', async () => {
  const { sentAway, guests, announce, setStored } = await start(60)
  await setStored(3)
  vi.useFakeTimers({ toFake: [...timers] })
  announce(1)
  announce(3)
  vi.advanceTimersByTime(250)
  await expect.poll(() => sentAway.length).toBe(25)
  const after = [100, 100, 1_000].map((ms) => {
    vi.advanceTimersByTime(ms)
    return sentAway.length
  })
  vi.useRealTimers()
  expect(after).toEqual([50, 60, 60])
  expect(new Set(sentAway)).toEqual(new Set(guests))
})

it('lets managers’ pages read again what has no number after signals were lost', async () => {
  const { restaurantId, recovery, rooms } = await start(0)
  const grant: Grant = {
    subjectId: 'floor',
    restaurantId,
    authAt: 0,
    idleUntil: Infinity,
    recent: false,
    via: 'password',
  }
  const manager = { ...anonymousActor(), restaurantId, grants: new Map([['manager' as const, grant]]) }
  const follow = (actor: Actor) => {
    const connection = new Connection(silentSocket, actor, 0)
    rooms.joinStaff(connection, restaurantId)
    return { connection, sent: vi.spyOn(connection, 'send').mockReturnValue() }
  }
  const [page, screen] = [follow(manager), follow(anonymousActor())]
  recovery.recallPages([page.connection, screen.connection])
  expect(page.sent.mock.calls.flat()).toEqual([
    toFrame({ type: 'opening-changed' }),
    toFrame({ type: 'manager-notes-changed' }),
  ])
  expect(screen.sent).not.toHaveBeenCalled()
})

it('lets guests ask again few at a time after signals were lost, and nobody else', async () => {
  const { restaurantId, recovery, rooms, sentAway, guests } = await start(60)
  const screen = new Connection(silentSocket, anonymousActor(), 0)
  rooms.joinStaff(screen, restaurantId)
  const asked: Connection[] = []
  for (const each of [screen, ...guests])
    vi.spyOn(each, 'send').mockImplementation(() => void asked.push(each))
  vi.useFakeTimers({ toFake: [...timers] })
  recovery.recallPages([screen, ...guests])
  const after = [0, 100, 100, 1_000].map((ms) => {
    vi.advanceTimersByTime(ms)
    return asked.length
  })
  vi.useRealTimers()
  expect(after).toEqual([25, 50, 60, 60])
  expect(new Set(asked)).toEqual(new Set(guests))
  expect(sentAway).toEqual([])
})

it('sends a screen away whose list cannot be read after an event was lost', async () => {
  const { restaurantId, rooms, sentAway, announce, setStored } = await start(0)
  await setStored(3)
  // Whoever is not signed in cannot read it.
  const screen = new Connection(silentSocket, anonymousActor(), 0)
  rooms.joinStaff(screen, restaurantId)
  vi.useFakeTimers({ toFake: [...timers] })
  announce(1)
  announce(3)
  vi.advanceTimersByTime(250)
  await expect.poll(() => sentAway).toEqual([screen])
  vi.useRealTimers()
})

it('sends nobody away for an event that comes after all', async () => {
  const { sentAway, announce, setStored } = await start(1)
  await setStored(3)
  vi.useFakeTimers({ toFake: [...timers] })
  announce(1)
  announce(3)
  const read = vi.spyOn(app.ctx.db.reader, 'run')
  vi.advanceTimersByTime(250)
  announce(2)
  // It has seen what was stored until now.
  await Promise.all(read.mock.results.map(({ value }) => value))
  await setStored(5)
  announce(5)
  // The second time it waits longer.
  vi.advanceTimersByTime(499)
  expect(sentAway).toHaveLength(0)
  vi.advanceTimersByTime(1)
  await expect.poll(() => sentAway.length).toBe(1)
  vi.useRealTimers()
})
