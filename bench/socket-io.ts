import { join } from 'node:path'
import { io, type Socket } from 'socket.io-client'
import { startProcess } from '../test/support/server-process.ts'
import { openConnections, post } from './http-client.ts'
import type { Guest, Screen, SystemUnderTest } from './system-under-test.ts'

/** The comparison: socket.io over websockets only, with one commit for each request on node:sqlite. */
export async function startSocketIo(
  name: string,
  file: string,
  nodeOptions: string[] = [],
): Promise<SystemUnderTest> {
  const program = join(import.meta.dirname, 'socket-io-server.ts')
  const server = await startProcess([...nodeOptions, program, file], {})
  const { url } = server
  const nameOf = (restaurant: number) => `Restaurant ${restaurant}`

  function connect(): Promise<Socket> {
    const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false })
    return new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(socket))
      socket.once('connect_error', reject)
    })
  }

  async function openLiveGuest(restaurantId: string, tableNumber: string): Promise<Guest> {
    const socket = await connect()
    await socket.emitWithAck('join-table', restaurantId, tableNumber)
    return {
      async ask({ id, serviceType }) {
        await socket.emitWithAck('service-request', { id, restaurantId, tableNumber, serviceType })
      },
      close: () => socket.disconnect(),
    }
  }

  function openHttpGuest(restaurantId: string, tableNumber: string): Guest {
    const call = new URL('/api/service-requests', url)
    return {
      async ask({ id, serviceType }) {
        const { status, body } = await post(call, {}, { id, restaurantId, tableNumber, serviceType })
        if (status !== 201) throw new Error(`${status} ${body}`)
      },
      close: () => {},
    }
  }

  async function openScreen(restaurant: number, heard: (id: string) => void): Promise<Screen> {
    let socket: Socket
    const tables = new Map<string, string>()
    const comeBack = async () => {
      socket = await connect()
      socket.on('new-request', ({ id, tableNumber }: { id: string; tableNumber: string }) => {
        tables.set(id, tableNumber)
        heard(id)
      })
      socket.on('request-completed', (id: string) => tables.delete(id))
      const pending: unknown[] = await socket.emitWithAck('join-crew', nameOf(restaurant))
      return pending.length
    }
    await comeBack()
    return {
      async complete(id) {
        await socket.emitWithAck('complete-request', nameOf(restaurant), tables.get(id), id)
      },
      drop: () => socket.io.engine.close(),
      comeBack,
      close: () => socket.disconnect(),
    }
  }

  return {
    name,
    pid: server.pid,
    lines: server.lines,
    openConnections: (count) => openConnections(new URL('/healthz', url), count),
    openGuest: async (transport, restaurant, table) =>
      transport === 'live'
        ? openLiveGuest(nameOf(restaurant), table)
        : openHttpGuest(nameOf(restaurant), table),
    openScreen,
    stop: () => server.stop(),
  }
}
