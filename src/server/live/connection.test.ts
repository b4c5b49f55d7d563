import { expect, it } from 'vitest'
import { anonymousActor } from '../core/actor.ts'
import { broadcast, Connection, type Socket, toFrame } from './connection.ts'

function pair(bufferedBytes = 0) {
  const sent: string[] = []
  const ended: string[] = []
  const socket: Socket & { bufferedBytes: number } = {
    send: (frame) => sent.push(frame.subarray(2).toString()),
    close: (code) => ended.push(`closed ${code}`),
    terminate: () => ended.push('terminated'),
    ping: () => sent.push('ping'),
    bufferedBytes,
    listen() {},
  }
  return { connection: new Connection(socket, anonymousActor(), 0), sent, ended, socket }
}

it('sends a snapshot before the events that occurred while it was being read', async () => {
  const { connection, sent } = pair()
  const database = Promise.withResolvers<void>()
  const snapshot = connection.sendSnapshot(async () => {
    await database.promise
    return toFrame({ type: 'pending-requests', requests: [], recent: [], seq: 4 })
  })
  broadcast([connection], { type: 'request-completed', id: 'r1', by: null, seq: 5 })
  expect(sent).toEqual([])
  database.resolve()
  await snapshot
  expect(sent.map((text) => JSON.parse(text).type)).toEqual(['pending-requests', 'request-completed'])
})

it('sends neither a snapshot nor held events once it is closing', async () => {
  const { connection, sent, ended } = pair()
  const database = Promise.withResolvers<void>()
  const snapshot = connection.sendSnapshot(async () => {
    await database.promise
    return toFrame({ type: 'pending-requests', requests: [], recent: [], seq: 4 })
  })
  broadcast([connection], { type: 'request-completed', id: 'r1', by: null, seq: 5 })
  connection.close(1012, 'Restarting')
  broadcast([connection], { type: 'request-completed', id: 'r2', by: null, seq: 6 })
  database.resolve()
  await snapshot
  expect({ sent, ended }).toEqual({ sent: [], ended: ['closed 1012'] })
})

it('sends the answer to a message before the events that occurred while its list was being read', () => {
  const { connection, sent } = pair()
  connection.holdUntilAnswered()
  broadcast([connection], { type: 'request-completed', id: 'r1', by: null })
  connection.sendDirectly({ type: 'ack', requests: [] })
  connection.markAnswered()
  broadcast([connection], { type: 'request-completed', id: 'r2', by: null })
  expect(sent.map((text) => JSON.parse(text))).toMatchObject([{ requests: [] }, { id: 'r1' }, { id: 'r2' }])
})

it('disconnects a reader that falls too far behind', () => {
  const { connection, sent, ended } = pair(256 * 1024 + 1)
  broadcast([connection], { type: 'presence', listening: true, screens: 1 })
  expect(ended).toEqual(['terminated'])
  expect(sent).toEqual([])
})

it('keeps a reader while a snapshot larger than its limit reaches it', async () => {
  const { connection, ended, socket } = pair()
  socket.send = (frame) => void (socket.bufferedBytes += frame.length)
  const large = Buffer.alloc(1024 * 1024)
  await connection.sendSnapshot(async () => {
    broadcast([connection], { type: 'request-completed', id: 'r1', by: null, seq: 5 })
    return large
  })
  connection.send(Buffer.alloc(255 * 1024))
  expect(ended).toEqual([])
  // It asks for one snapshot after another and receives none.
  await connection.sendSnapshot(async () => large)
  broadcast([connection], { type: 'request-completed', id: 'r2', by: null, seq: 6 })
  expect(ended).toEqual(['terminated'])
})

it('disconnects a reader that falls too far behind after a large snapshot has reached it', async () => {
  const { connection, ended, socket } = pair()
  await connection.sendSnapshot(async () => Buffer.alloc(1024 * 1024))
  broadcast([connection], { type: 'request-completed', id: 'r1', by: null, seq: 5 })
  expect(ended).toEqual([])
  socket.bufferedBytes = 256 * 1024 + 1
  broadcast([connection], { type: 'request-completed', id: 'r2', by: null, seq: 6 })
  expect(ended).toEqual(['terminated'])
})

it('accepts 20 messages a second', () => {
  const { connection } = pair()
  const passed = (now: number, tries: number) =>
    Array.from({ length: tries }, () => connection.takeRateToken(now)).filter(Boolean).length
  expect(passed(1000, 30)).toBe(20)
  expect(passed(1500, 30)).toBe(10)
  expect(passed(10_000, 30)).toBe(20)
})

it('counts as listening while it answers and is visible, whatever it reports about push', () => {
  const { connection } = pair()
  expect(connection.isListening).toBe(false)
  connection.screen = { sound: false, push: false, visible: true }
  expect(connection.isListening).toBe(true)
  expect(connection.markSilent(5_000, 8_000)).toBe(false)
  expect(connection.markSilent(8_001, 8_000)).toBe(true)
  expect(connection.isListening).toBe(false)
  expect(connection.markHeard(8_500)).toBe(true)
  expect(connection.isListening).toBe(true)
  connection.screen = { sound: true, push: false, visible: false }
  expect(connection.isListening).toBe(false)
  connection.screen = { sound: true, push: true, visible: false }
  expect(connection.isListening).toBe(false)
})
