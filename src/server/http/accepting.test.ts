import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { setUpApp } from '../../../test/support/app.ts'

const app = setUpApp()

/** Only Linux spreads connections over several listeners. */
const onLinux = process.platform === 'linux' ? ['Linux'] : []

it.for(onLinux)('accepts many connections in a few turns of the event loop on %s', async () => {
  const [turns, accepted] = [new Set<number>(), { connections: 0 }]
  let turn = 0
  let next = setImmediate(function count() {
    turn++
    next = setImmediate(count)
  })
  const onAccepted = (): void => {
    turns.add(turn)
    accepted.connections++
  }
  subscribe('net.server.socket', onAccepted)
  onTestFinished(() => {
    clearImmediate(next)
    unsubscribe('net.server.socket', onAccepted)
  })
  // All wait to be accepted before the first turn.
  const sockets = Array.from({ length: 320 }, () => connect(app.port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const answers = sockets.map(async (socket) => {
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    const [answer] = await once(socket, 'data')
    return String(answer).split('\r\n')[0]
  })
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']))
  for (const socket of sockets) socket.destroy()
  expect(accepted.connections).toBe(320)
  expect(turns.size).toBeLessThan(150)
})
