import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import type { ClientMessageInput, ServerMessage } from '#contract/live.ts'
import { startServer } from '../test/support/server-process.ts'
import { openConnections, post } from './http-client.ts'
import { PendingAnswers, type Guest, type Screen, type SystemUnderTest } from './system-under-test.ts'

type LiveConnection = {
  call(message: ClientMessageInput): Promise<ServerMessage>
  terminate(): void
}

/** Tableside as `npm start` runs it; limits of guests are off, since they all come from one address here. */
export async function startTableside(
  name: string,
  databaseUrl: string,
  restaurants: number,
  nodeOptions: string[] = [],
): Promise<SystemUnderTest> {
  const server = await startServer(databaseUrl, {}, nodeOptions)
  const { url } = server
  const at = (path: string) => new URL(path, url)
  const nameOf = (restaurant: number) => `Restaurant ${restaurant}`
  const staffCookies: string[] = []

  for (let restaurant = 0; restaurant < restaurants; restaurant++) {
    const { status, cookies, body } = await post(
      at('/api/restaurant-signup'),
      {},
      {
        restaurantName: nameOf(restaurant),
        email: 'owner@example.com',
        password: randomBytes(12).toString('base64url'),
        timeZone: 'Europe/Berlin',
      },
    )
    if (status !== 201) throw new Error(`sign-up: ${status} ${body}`)
    const cookie = cookies.join('; ')
    staffCookies.push(cookie)
    const setUp = await post(
      at('/api/tables/setup'),
      { origin: url, cookie },
      { setupType: 'count', tableCount: 40 },
    )
    if (setUp.status !== 201) throw new Error(`tables: ${setUp.status} ${setUp.body}`)
  }

  function connect(cookie: string | null, hear: (message: ServerMessage) => void): Promise<LiveConnection> {
    const answers = new PendingAnswers<ServerMessage>()
    let refs = 0
    const socket = new WebSocket(at('/ws'), {
      perMessageDeflate: false,
      headers: { origin: url, ...(cookie !== null && { cookie }) },
    })
    socket.on('message', (data: Buffer) => {
      const message: ServerMessage = JSON.parse(data.toString())
      if (message.type === 'error') answers.fail(new Error(JSON.stringify(message)))
      else if (message.type === 'ack') answers.settle(message.ref ?? '', message)
      else hear(message)
    })
    socket.on('close', (code) => answers.fail(new Error(`closed: ${code}`)))
    const line: LiveConnection = {
      call(message) {
        const ref = `${++refs}`
        const answer = answers.waitFor(ref)
        socket.send(JSON.stringify({ ...message, ref }))
        return answer
      },
      terminate: () => socket.terminate(),
    }
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(line))
      socket.once('error', reject)
    })
  }

  async function openLiveGuest(restaurantId: string, tableNumber: string): Promise<Guest> {
    const line = await connect(null, () => {})
    await line.call({ type: 'set-restaurant-context', restaurantId, tableNumber })
    return {
      async ask({ id, serviceType }) {
        await line.call({ type: 'service-request', id, restaurantId, tableNumber, serviceType })
      },
      close: () => line.terminate(),
    }
  }

  function openHttpGuest(restaurantId: string, tableNumber: string): Guest {
    let cookie = ''
    const call = at('/api/service-requests')
    return {
      async ask({ id, serviceType }) {
        const headers = { origin: url, ...(cookie && { cookie }) }
        const { status, cookies, body } = await post(call, headers, {
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

  async function openScreen(restaurant: number, heard: (id: string) => void): Promise<Screen> {
    let line: LiveConnection
    let told: (open: number) => void = () => {}
    const comeBack = async () => {
      const open = new Promise<number>((resolve) => {
        told = resolve
      })
      line = await connect(staffCookies[restaurant] ?? '', (message) => {
        if (message.type === 'new-request') heard(message.request.id)
        else if (message.type === 'pending-requests') told(message.requests.length)
      })
      await line.call({ type: 'get-pending-requests' })
      return open
    }
    await comeBack()
    return {
      async complete(id) {
        await line.call({ type: 'complete-request', id })
      },
      drop: () => line.terminate(),
      comeBack,
      close: () => line.terminate(),
    }
  }

  return {
    name,
    pid: server.pid,
    lines: server.lines,
    openConnections: (count) => openConnections(at('/healthz'), count),
    openGuest: async (transport, restaurant, table) =>
      transport === 'live'
        ? openLiveGuest(nameOf(restaurant), table)
        : openHttpGuest(nameOf(restaurant), table),
    openScreen,
    stop: () => server.stop(),
  }
}
