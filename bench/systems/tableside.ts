import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type ClientMessageInput, closeCodes, type ServerMessage } from '#contract/live.ts'
import { freePort } from '../../test/support/ports.ts'
import { startServer } from '../../test/support/servers/server-process.ts'
import { post } from '../load/http-client.ts'
import {
  describeServers,
  type Guest,
  PendingAnswers,
  Refused,
  restaurantName,
  type Screen,
  type SystemUnderTest,
  type Transport,
} from './system-under-test.ts'

type Options = {
  restaurants: number
  databasePid?: number | null
  /** Servers on the same database; guests and screens spread over them. */
  nodes?: number
  nodeOptions?: string[]
}

class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed'
}

const maxReconnects = 20

/** The server closes the connection of a screen that keeps sending more than 20 messages a second. */
const completionMs = 1_000 / 19

type LiveConnection = {
  call(message: ClientMessageInput): Promise<ServerMessage>
  terminate(): void
}

/** Tableside as `npm start` runs it, without guest limits because all guests come from one address. */
export async function startTableside(
  name: string,
  databaseUrl: string,
  { restaurants, databasePid = null, nodes = 1, nodeOptions = [] }: Options,
): Promise<SystemUnderTest & { ownerCookies: readonly string[] }> {
  // On a port that the system chooses, a server accepts only one connection in each turn of its event loop.
  const ports = []
  for (let node = 0; node < nodes; node++) ports.push(await freePort())
  const servers = await Promise.all(
    ports.map((port) =>
      startServer(databaseUrl, { PORT: String(port), TRUST_PROXY: 'loopback' }, nodeOptions),
    ),
  )
  let clients = 0
  const nextOrigin = () => servers[clients++ % nodes]?.url ?? ''
  const staffCookies: string[] = []

  for (let restaurant = 0; restaurant < restaurants; restaurant++) {
    const origin = nextOrigin()
    const { status, cookies, body } = await post(
      new URL('/api/restaurant-signup', origin),
      // One address may not sign up this many.
      { 'x-forwarded-for': `10.0.0.${restaurant}` },
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
      new URL('/api/tables/setup', origin),
      { origin, cookie },
      { setupType: 'count', tableCount: 40 },
    )
    if (setUp.status !== 201) throw new Error(`tables: ${setUp.status} ${setUp.body}`)
  }

  function connect(
    origin: string,
    cookie: string | null,
    onMessage: (message: ServerMessage) => void,
    onRestart: () => void,
  ): Promise<LiveConnection> {
    const answers = new PendingAnswers<ServerMessage>()
    let refs = 0
    const socket = new WebSocket(new URL('/ws', origin), {
      perMessageDeflate: false,
      headers: { origin, ...(cookie !== null && { cookie }) },
    })
    socket.on('message', (data: Buffer) => {
      const message: ServerMessage = JSON.parse(data.toString())
      if (message.type === 'ack') answers.settle(message.ref ?? '', message)
      // Messages that an overloaded server reads all at once look like a flood: it says so, and closes the connection.
      else if (message.type === 'error')
        answers.failOne(message.ref ?? '', new Refused(JSON.stringify(message)))
      else onMessage(message)
    })
    socket.on('close', (code) => {
      if (code === closeCodes.restart || code === closeCodes.flooding) onRestart()
      answers.fail(new ConnectionClosed(`${code}`))
    })
    const connection: LiveConnection = {
      async call(message) {
        if (socket.readyState !== WebSocket.OPEN) throw new ConnectionClosed('before the call')
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

  /** Comes back whenever the server has closed the connection, as pages do; an overloaded server does. */
  async function stayConnected(open: (onRestart: () => void) => Promise<LiveConnection>) {
    let current: Promise<LiveConnection>
    function reconnect(): Promise<LiveConnection> {
      current = open(() => void reconnect())
      // The next call reports it.
      current.catch(() => {})
      return current
    }
    await reconnect()
    return {
      reconnect,
      async call(message: ClientMessageInput): Promise<void> {
        for (let reconnects = 0; ; reconnects++) {
          try {
            await (await current).call(message)
            return
          } catch (error) {
            if (!(error instanceof ConnectionClosed)) throw error
            if (reconnects === maxReconnects)
              throw new Refused(`Closed ${reconnects} times: ${error.message}`)
          }
        }
      },
      terminate: () => void current.then((connection) => connection.terminate()),
    }
  }

  async function openLiveGuest(restaurantId: string, tableNumber: string): Promise<Guest> {
    const origin = nextOrigin()
    const connection = await stayConnected(async (onRestart) => {
      const opened = await connect(origin, null, () => {}, onRestart)
      await opened.call({ type: 'set-restaurant-context', restaurantId, tableNumber })
      return opened
    })
    return {
      sendRequest: (request) =>
        connection.call({ type: 'service-request', restaurantId, tableNumber, ...request }),
      close: connection.terminate,
    }
  }

  function openHttpGuest(restaurantId: string, tableNumber: string, keepsCookie: boolean): Guest {
    let cookie = ''
    const origin = nextOrigin()
    const endpoint = new URL('/api/service-requests', origin)
    return {
      async sendRequest({ id, serviceType }) {
        const headers = { origin, ...(cookie && { cookie }) }
        const { status, cookies, body } = await post(endpoint, headers, {
          id,
          restaurantId,
          tableNumber,
          serviceType,
        })
        if (status !== 201) throw new Refused(`${status} ${body}`)
        if (keepsCookie) cookie ||= cookies.join('; ')
      },
      close: () => {},
    }
  }

  async function openScreen(restaurant: number, onRequest: (id: string) => void): Promise<Screen> {
    const origin = nextOrigin()
    let openCount = 0
    const connection = await stayConnected(async (onRestart) => {
      const { promise: listed, resolve } = Promise.withResolvers<number>()
      const onMessage = (message: ServerMessage) => {
        if (message.type === 'new-request') onRequest(message.request.id)
        else if (message.type === 'pending-requests') {
          for (const { id } of message.requests) onRequest(id)
          resolve(message.requests.length)
        }
      }
      const opened = await connect(origin, staffCookies[restaurant] ?? '', onMessage, onRestart)
      await opened.call({ type: 'get-pending-requests' })
      openCount = await listed
      return opened
    })
    let nextAt = 0
    return {
      async complete(id) {
        const now = performance.now()
        // After a pause, what was left out in the last second goes at once.
        nextAt = Math.max(nextAt, now - 1_000) + completionMs
        if (nextAt > now) await sleep(nextAt - now)
        await connection.call({ type: 'complete-request', id })
      },
      drop: connection.terminate,
      async reconnect() {
        await connection.reconnect()
        return openCount
      },
      close: connection.terminate,
    }
  }

  async function openGuest(transport: Transport, restaurant: number, table: string): Promise<Guest> {
    const restaurantId = restaurantName(restaurant)
    if (transport === 'live') return openLiveGuest(restaurantId, table)
    return openHttpGuest(restaurantId, table, transport === 'http')
  }
  return {
    name,
    databaseUrl,
    databasePid,
    ownerCookies: staffCookies,
    ...describeServers(servers),
    openGuest,
    openScreen,
  }
}
