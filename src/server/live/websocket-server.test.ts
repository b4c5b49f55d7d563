import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { ServerMessage } from '#contract/live.ts'
import { portOf } from '../../../test/support/ports.ts'
import { anonymousActor } from '../core/actor.ts'
import { broadcast, Connection, toFrame } from './connection.ts'
import { acceptWebSockets } from './websocket-server.ts'

const ignore = () => {}
let server: Server
let opened: Connection[]

beforeEach(async () => {
  server = createServer()
  opened = []
  const gateway: Parameters<typeof acceptWebSockets>[1] = {
    admit: async () => ignore,
    isDraining: () => false,
    open: (socket, actor) => void opened.push(new Connection(socket, actor, 0)),
  }
  const admit = async () => ({ actor: anonymousActor() })
  acceptWebSockets(server, gateway, admit, { info: ignore, warn: ignore, error: ignore })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const connection of opened) connection.terminate()
  server.close()
})

/** A WebSocket client, what it has received in order, and the connection at the other end. */
async function connect() {
  const socket = new WebSocket(`ws://127.0.0.1:${portOf(server)}/ws`)
  const received: unknown[] = []
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())))
  socket.on('ping', () => received.push('ping'))
  const closed = new Promise<number>((resolve) =>
    socket.on('close', (code) => {
      received.push(`closed ${code}`)
      resolve(code)
    }),
  )
  await once(socket, 'open')
  const connection = opened.at(-1)
  if (!connection) throw new Error('not opened')
  return { socket, received, closed, connection }
}

const completed = (id: string): ServerMessage => ({ type: 'request-completed', id, by: null })
const answer: ServerMessage = { type: 'ack', ref: 'r' }
const snapshot: ServerMessage = { type: 'pending-requests', requests: [], recent: [], seq: 4 }

it('keeps the order of broadcasts, answers, snapshots, pings and the close', async () => {
  const { received, closed, connection } = await connect()
  const other = await connect()
  const crew = [connection, other.connection]
  const database = Promise.withResolvers<void>()

  broadcast(crew, completed('1'))
  connection.sendDirectly(answer)
  connection.ping(0)
  broadcast(crew, completed('2'))
  const sent = connection.sendSnapshot(async () => {
    await database.promise
    return toFrame(snapshot)
  })
  broadcast(crew, completed('held back'))
  connection.ping(0)
  connection.sendDirectly(answer)
  database.resolve()
  await sent
  broadcast(crew, completed('3'))
  connection.close(1012, 'Restarting')
  broadcast(crew, completed('too late'))

  expect(await closed).toBe(1012)
  expect(received).toEqual([
    completed('1'),
    answer,
    'ping',
    completed('2'),
    'ping',
    answer,
    snapshot,
    completed('held back'),
    completed('3'),
    'closed 1012',
  ])
  await expect.poll(() => other.received.length).toBe(5)
  expect(other.received).toEqual(['1', '2', 'held back', '3', 'too late'].map(completed))
})

/** A frame gives lengths of up to 125, up to 65,535 and more bytes in different ways. */
it.each([125, 126, 65_535, 65_536, 200_000])(
  'sends a text of %i bytes to everybody, in any script',
  async (bytes) => {
    const crew = [await connect(), await connect()]
    const envelope = Buffer.byteLength(JSON.stringify(completed('')))
    const texts = ['', 'ä火🐻'].map((start) =>
      completed(start + 'x'.repeat(bytes - envelope - Buffer.byteLength(start))),
    )
    for (const text of texts) {
      expect(Buffer.byteLength(JSON.stringify(text))).toBe(bytes)
      broadcast(
        crew.map(({ connection }) => connection),
        text,
      )
    }
    for (const { received } of crew) {
      await expect.poll(() => received.length).toBe(texts.length)
      expect(received).toEqual(texts)
    }
  },
)

it('cuts off a reader that falls too far behind, and nobody else', async () => {
  const slow = await connect()
  const quick = await connect()
  slow.socket.pause()
  const text = 'x'.repeat(50_000)
  let sent = 0
  while (!slow.connection.isClosing) {
    broadcast([slow.connection, quick.connection], completed(text))
    sent++
    // Far more than the buffers of the operating system hold.
    expect(sent).toBeLessThan(2_000)
    await new Promise(setImmediate)
  }
  slow.socket.resume()
  expect(await slow.closed).toBe(1006)
  expect(slow.received.length - 1).toBeLessThan(sent)
  await expect.poll(() => quick.received.length).toBe(sent)
})
