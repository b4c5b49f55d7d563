import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { io, type Socket } from 'socket.io-client'
import { startProcess } from '../../test/support/servers/server-process.ts'
import { post } from '../load/http-client.ts'
import type { Storing } from './socket-io-server.ts'
import {
  describeServers,
  type Guest,
  Refused,
  restaurantName,
  type Screen,
  type SystemUnderTest,
  type Transport,
} from './system-under-test.ts'

type Options = { databaseUrl: string; databasePid: number | null; storing: Storing; nodeOptions?: string[] }

/** For comparison: socket.io over WebSockets only, on node:sqlite or PostgreSQL. */
export async function startSocketIo(
  name: string,
  { databaseUrl, databasePid, storing, nodeOptions = [] }: Options,
): Promise<SystemUnderTest> {
  const database = databaseUrl.replace(/^file:/u, '')
  if (database !== databaseUrl) await mkdir(dirname(database), { recursive: true })
  const program = join(import.meta.dirname, 'socket-io-server.ts')
  const server = await startProcess([...nodeOptions, program, database, storing], {})
  const { url } = server

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
      async sendRequest({ id, serviceType }) {
        await socket.emitWithAck('service-request', { id, restaurantId, tableNumber, serviceType })
      },
      close: () => socket.disconnect(),
    }
  }

  function openHttpGuest(restaurantId: string, tableNumber: string): Guest {
    const endpoint = new URL('/api/service-requests', url)
    return {
      async sendRequest({ id, serviceType }) {
        const { status, body } = await post(endpoint, {}, { id, restaurantId, tableNumber, serviceType })
        if (status !== 201) throw new Refused(`${status} ${body}`)
      },
      close: () => {},
    }
  }

  async function openScreen(restaurant: number, onRequest: (id: string) => void): Promise<Screen> {
    let socket: Socket
    const tables = new Map<string, string>()
    const reconnect = async () => {
      socket = await connect()
      socket.on('new-request', ({ id, tableNumber }: { id: string; tableNumber: string }) => {
        tables.set(id, tableNumber)
        onRequest(id)
      })
      socket.on('request-completed', (id: string) => tables.delete(id))
      const pending: unknown[] = await socket.emitWithAck('join-crew', restaurantName(restaurant))
      return pending.length
    }
    await reconnect()
    const tap = (name: string, id: string) =>
      socket.emitWithAck(name, restaurantName(restaurant), tables.get(id), id)
    return {
      accept: (id) => tap('accept-request', id),
      complete: (id) => tap('complete-request', id),
      drop: () => socket.io.engine.close(),
      reconnect,
      close: () => socket.disconnect(),
    }
  }

  const openGuest = async (transport: Transport, restaurant: number, table: string): Promise<Guest> =>
    (transport === 'live' ? openLiveGuest : openHttpGuest)(restaurantName(restaurant), table)
  return {
    name,
    databaseUrl,
    databasePid,
    ...describeServers([server]),
    openGuest,
    openScreen,
  }
}
