import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import type { ClientMessageInput, ServerMessage } from '#contract/live.ts'
import { startServer } from '../test/support/server-process.ts'
import { post } from './http-client.ts'
import {
  describeServer,
  type Guest,
  PendingAnswers,
  restaurantName,
  type Screen,
  type SystemUnderTest,
  type Transport,
} from './system-under-test.ts'

type LiveConnection = {
  call(message: ClientMessageInput): Promise<ServerMessage>
  terminate(): void
}

/** Tableside as `npm start` runs it, without guest limits because all guests come from one address. */
export async function startTableside(
  name: string,
  databaseUrl: string,
  restaurants: number,
  nodeOptions: string[] = [],
): Promise<SystemUnderTest> {
  const server = await startServer(databaseUrl, {}, nodeOptions)
  const { url } = server
  const urlOf = (path: string) => new URL(path, url)
  const staffCookies: string[] = []

  for (let restaurant = 0; restaurant < restaurants; restaurant++) {
    const { status, cookies, body } = await post(
      urlOf('/api/restaurant-signup'),
      {},
      {
        restaurantName: restaurantName(restaurant),
        email: 'owner@example.com',
        password: randomBytes(12).toString('base64url'),
        timeZone: 'Europe/Berlin',
      },
    )
    if (status !== 201) throw new Error(`sign-up: ${status} ${body}`)
    const cookie = cookies.join('; ')
    staffCookies.push(cookie)
    const setUp = await post(
      urlOf('/api/tables/setup'),
      { origin: url, cookie },
      { setupType: 'count', tableCount: 40 },
    )
    if (setUp.status !== 201) throw new Error(`tables: ${setUp.status} ${setUp.body}`)
  }

  function connect(
    cookie: string | null,
    onMessage: (message: ServerMessage) => void,
  ): Promise<LiveConnection> {
    const answers = new PendingAnswers<ServerMessage>()
    let refs = 0
    const socket = new WebSocket(urlOf('/ws'), {
      perMessageDeflate: false,
      headers: { origin: url, ...(cookie !== null && { cookie }) },
    })
    socket.on('message', (data: Buffer) => {
      const message: ServerMessage = JSON.parse(data.toString())
      if (message.type === 'error') answers.fail(new Error(JSON.stringify(message)))
      else if (message.type === 'ack') answers.settle(message.ref ?? '', message)
      else onMessage(message)
    })
    socket.on('close', (code) => answers.fail(new Error(`closed: ${code}`)))
    const connection: LiveConnection = {
      call(message) {
        const ref = `${++refs}`
        const answer = answers.waitFor(ref)
        socket.send(JSON.stringify({ ...message, ref }))
        return answer
      },
      terminate: () => socket.terminate(),
    }
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(connection))
      socket.once('error', reject)
    })
  }

  async function openLiveGuest(restaurantId: string, tableNumber: string): Promise<Guest> {
    const connection = await connect(null, () => {})
    await connection.call({ type: 'set-restaurant-context', restaurantId, tableNumber })
    return {
      async sendRequest({ id, serviceType }) {
        await connection.call({ type: 'service-request', id, restaurantId, tableNumber, serviceType })
      },
      close: () => connection.terminate(),
    }
  }

  function openHttpGuest(restaurantId: string, tableNumber: string): Guest {
    let cookie = ''
    const endpoint = urlOf('/api/service-requests')
    return {
      async sendRequest({ id, serviceType }) {
        const headers = { origin: url, ...(cookie && { cookie }) }
        const { status, cookies, body } = await post(endpoint, headers, {
          id,
          restaurantId,
          tableNumber,
          serviceType,
        })
        if (status !== 201) throw new Error(`${status} ${body}`)
        cookie ||= cookies.join('; ')
      },
      close: () => {},
    }
  }

  async function openScreen(restaurant: number, onRequest: (id: string) => void): Promise<Screen> {
    let connection: LiveConnection
    const reconnect = async () => {
      const { promise: openCount, resolve } = Promise.withResolvers<number>()
      connection = await connect(staffCookies[restaurant] ?? '', (message) => {
        if (message.type === 'new-request') onRequest(message.request.id)
        else if (message.type === 'pending-requests') resolve(message.requests.length)
      })
      await connection.call({ type: 'get-pending-requests' })
      return openCount
    }
    await reconnect()
    return {
      async complete(id) {
        await connection.call({ type: 'complete-request', id })
      },
      drop: () => connection.terminate(),
      reconnect,
      close: () => connection.terminate(),
    }
  }

  const openGuest = async (transport: Transport, restaurant: number, table: string): Promise<Guest> =>
    (transport === 'live' ? openLiveGuest : openHttpGuest)(restaurantName(restaurant), table)
  return { name, ...describeServer(server), openGuest, openScreen }
}
