import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type ClientMessageInput, closeCodes, type ServerMessage } from '#contract/live.ts'
import { freePort } from '../../test/support/ports.ts'
import { samplesIn } from '../../test/support/reading/prometheus.ts'
import { type ServerProcess, startServer } from '../../test/support/servers/server-process.ts'
import { post } from '../load/http-client.ts'
import { createSeenReports } from './seen-reports.ts'
import {
  describeServers,
  type Guest,
  PendingAnswers,
  Refused,
  restaurantName,
  type Screen,
  type SystemUnderTest,
  type Transport,
  type WriteCounts,
} from './system-under-test.ts'

type Options = {
  restaurants: number
  databasePid?: number | null
  /** Servers on the same database; guests and screens spread over them. */
  nodes?: number
  nodeOptions?: string[]
  /** Whether screens do what the Crew Dashboard does by itself: choose a crew member, follow, ping, report what they show. */
  screensAsPages?: boolean
}

const crewPerRestaurant = 10
const endWithParent = ['--import', join(import.meta.dirname, 'end-with-parent.ts')]
const pingMs = 15_000

class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed'
}

const maxReconnects = 20

/** The server closes the connection of a screen that keeps sending more than 20 messages a second. */
const messageMs = 1_000 / 19

type LiveConnection = {
  call(message: ClientMessageInput): Promise<ServerMessage>
  terminate(): void
}

/** What a crew page says on each connection. */
const pageOpens = (
  restaurant: number,
  crewMemberId: string,
): Extract<ClientMessageInput, { type: 'resume' }>['messages'] => [
  { type: 'set-restaurant-context', restaurantId: restaurantName(restaurant) },
  { type: 'set-crew-member-context', crewMemberId },
  { type: 'update-assigned-tables', tables: [] },
  { type: 'listening', sound: true, push: false, visible: true },
  { type: 'get-pending-requests' },
  { type: 'get-team-messages' },
]

/** Returns their ids. */
async function addCrew(origin: string, cookie: string): Promise<string[]> {
  const ids: string[] = []
  for (let member = 1; member <= crewPerRestaurant; member++) {
    const answer = await post(
      new URL('/api/crew', origin),
      { origin, cookie },
      { name: `Member ${member}`, role: 'Server' },
    )
    if (answer.status !== 201) throw new Error(`crew: ${answer.status} ${answer.body}`)
    const { id }: { id: string } = JSON.parse(answer.body)
    ids.push(id)
  }
  return ids
}

/** As the servers count them for Prometheus. */
async function countWrites(servers: readonly ServerProcess[]): Promise<WriteCounts> {
  const texts = await Promise.all(
    servers.map(async ({ url }) => (await fetch(new URL('/metrics', url))).text()),
  )
  const samples = texts.flatMap(samplesIn)
  const sum = (metric: string) =>
    samples.filter(({ name }) => name === metric).reduce((total, { value }) => total + value, 0)
  return {
    writes: sum('tableside_transactions_total'),
    commits: sum('tableside_commit_seconds_count'),
  }
}

/** Tableside as `npm start` runs it, without guest limits because all guests come from one address. */
export async function startTableside(
  name: string,
  databaseUrl: string,
  { restaurants, databasePid = null, nodes = 1, nodeOptions = [], screensAsPages = false }: Options,
): Promise<SystemUnderTest & { ownerCookies: readonly string[] }> {
  await using started = new AsyncDisposableStack()
  // On a port that the system chooses, a server accepts only one connection in each turn of its event loop.
  const ports = []
  for (let node = 0; node < nodes; node++) ports.push(await freePort())
  const starts = await Promise.allSettled(
    ports.map((port) =>
      startServer(databaseUrl, { PORT: String(port), TRUST_PROXY: 'loopback' }, [
        ...endWithParent,
        ...nodeOptions,
      ]),
    ),
  )
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  for (const server of servers) started.defer(() => server.stop())
  for (const start of starts) if (start.status === 'rejected') throw start.reason
  let clients = 0
  let screens = 0
  const nextOrigin = () => servers[clients++ % nodes]?.url ?? ''
  const staffCookies: string[] = []
  const crews: string[][] = []

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
    crews.push(screensAsPages ? await addCrew(origin, cookie) : [])
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
    const crew = crews[restaurant] ?? []
    const crewMemberId = crew[screens++ % crew.length]
    let openCount = 0
    let nextAt = 0
    const turn = async () => {
      const now = performance.now()
      // After a pause, what was left out in the last second goes at once.
      nextAt = Math.max(nextAt, now - 1_000) + messageMs
      if (nextAt > now) await sleep(nextAt - now)
    }
    const seen =
      crewMemberId === undefined
        ? undefined
        : createSeenReports(async (ids) => {
            await turn()
            await connection.call({ type: 'requests-seen', ids })
          })
    const connection = await stayConnected(async (onRestart) => {
      const { promise: listed, resolve } = Promise.withResolvers<number>()
      const show = (id: string) => {
        onRequest(id)
        seen?.shown(id)
      }
      const onMessage = (message: ServerMessage) => {
        if (message.type === 'new-request') show(message.request.id)
        else if (message.type === 'request-completed') seen?.gone(message.id)
        else if (message.type === 'pending-requests') {
          for (const { id } of message.requests) show(id)
          resolve(message.requests.length)
        }
      }
      const opened = await connect(origin, staffCookies[restaurant] ?? '', onMessage, onRestart)
      await opened.call(
        crewMemberId === undefined
          ? { type: 'get-pending-requests' }
          : { type: 'resume', messages: pageOpens(restaurant, crewMemberId) },
      )
      openCount = await listed
      return opened
    })
    const ping =
      crewMemberId === undefined
        ? undefined
        : setInterval(() => void connection.call({ type: 'ping' }).catch(() => {}), pingMs)
    return {
      async accept(id) {
        await turn()
        await connection.call({ type: 'accept-request', id })
      },
      async complete(id) {
        await turn()
        await connection.call({ type: 'complete-request', id })
      },
      drop: connection.terminate,
      async reconnect() {
        await connection.reconnect()
        return openCount
      },
      close() {
        clearInterval(ping)
        seen?.stop()
        connection.terminate()
      },
    }
  }

  async function openGuest(transport: Transport, restaurant: number, table: string): Promise<Guest> {
    const restaurantId = restaurantName(restaurant)
    if (transport === 'live') return openLiveGuest(restaurantId, table)
    return openHttpGuest(restaurantId, table, transport === 'http')
  }
  started.move()
  return {
    name,
    databaseUrl,
    databasePid,
    ownerCookies: staffCookies,
    countWrites: () => countWrites(servers),
    ...describeServers(servers),
    openGuest,
    openScreen,
  }
}
