import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { WebSocket } from 'ws'
import { api } from '#contract/api.ts'
import type { ClientMessageInput, ServerMessage } from '#contract/live.ts'
import { serviceTypes } from '#contract/requests/requests.ts'
import { post } from '../bench/load/http-client.ts'
import { type ServerProcess, startServer } from '../test/support/servers/server-process.ts'
import { readTrace, type Step, traceOptions } from './trace.ts'

const restaurantName = 'Blue Door'
const guestCount = 6

/** A restaurant's database in a folder of its own, closed. */
export type Restaurant = { database: string; cookie: string }

export async function openRestaurant(folder: string): Promise<Restaurant> {
  const database = join(folder, 'tableside.db')
  const server = await startServer(`file:${database}`)
  const body = { restaurantName, email: 'owner@example.com', password: randomUUID(), timeZone: 'UTC' }
  const cookies = await expectCreated(server, api.accounts.signUp.path, body)
  await server.stop()
  return { database, cookie: cookies.join('; ') }
}

/** What was on the disk before, by path, and all that a server did there while guests asked. */
export type Recording = { before: ReadonlyMap<string, Buffer>; steps: Step[] }

export async function recordBurst(restaurant: Restaurant, taps: number, traces: string): Promise<Recording> {
  const { database } = restaurant
  const before = readFiles(dirname(database))
  mkdirSync(traces)
  const prefix = join(traces, 'call')
  const runner = ['strace', '-q', ...traceOptions(prefix)]
  const server = await startServer(`file:${database}`, {}, [], { runner })
  let told: Told
  try {
    told = await burst(server, restaurant, taps)
    if (told.requests.size < taps)
      throw new Error(`Only ${told.requests.size} of ${taps} requests were answered`)
  } finally {
    await server.kill()
  }
  return { before, steps: readTrace(prefix, database, told.requests) }
}

/** Ids of requests. */
export type Told = { requests: Set<string>; completed: Set<string> }

/**
 * Guests ask at tables of their own, and the crew completes every third request. Guests who get no answer try again;
 * it ends when the server does.
 */
export async function burst(server: ServerProcess, { cookie }: Restaurant, taps: number): Promise<Told> {
  const told: Told = { requests: new Set(), completed: new Set() }
  await Promise.all(
    Array.from({ length: guestCount }, async (_, guest) => {
      // One screen for each guest: a screen that sends too much is closed.
      const crew = await openCrew(server, cookie, (id) => told.completed.add(id))
      for (let tap = guest; tap < taps && crew.isConnected(); tap += guestCount) {
        const id = randomUUID()
        if (!(await ask(server, id, tap))) return
        told.requests.add(id)
        if (Math.floor(tap / guestCount) % 3 === 0) await crew.complete(id)
      }
      crew.close()
    }),
  )
  return told
}

/** A folder's files, by path. */
function readFiles(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder).map((name) => join(folder, name))
  return new Map(paths.map((path) => [path, readFileSync(path)]))
}

async function expectCreated({ url }: ServerProcess, path: string, body: unknown): Promise<string[]> {
  const answer = await post(new URL(path, url), { origin: url }, body)
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.body}`)
  return answer.cookies
}

/** False when the server has gone. */
async function ask(server: ServerProcess, id: string, tap: number): Promise<boolean> {
  const serviceType = serviceTypes[tap % serviceTypes.length]
  const body = { id, restaurantId: restaurantName, tableNumber: `${tap}`, serviceType }
  for (;;) {
    const answer = await post(
      new URL(api.requests.send.path, server.url),
      { origin: server.url },
      body,
    ).catch(() => undefined)
    if (answer?.status === 201) return true
    if (!answer) return false
    if (answer.status !== 503) throw new Error(`${answer.status} ${answer.body}`)
  }
}

async function openCrew({ url }: ServerProcess, cookie: string, onCompleted: (id: string) => void) {
  const options = { perMessageDeflate: false, headers: { origin: url, cookie } }
  const socket = new WebSocket(new URL('/ws', url), options)
  const waiting = new Map<string, () => void>()
  const send = (message: ClientMessageInput) => socket.send(JSON.stringify(message))
  socket.on('message', (data: Buffer) => {
    const message: ServerMessage = JSON.parse(data.toString())
    if (message.type === 'request-completed') {
      onCompleted(message.id)
      waiting.get(message.id)?.()
    } else if (message.type === 'error' && message.ref !== undefined)
      send({ type: 'complete-request', id: message.ref, ref: message.ref })
  })
  // The server has gone.
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const done of waiting.values()) done()
  })
  await once(socket, 'open').catch(() => {})
  if (socket.readyState === WebSocket.OPEN) send({ type: 'get-pending-requests' })
  return {
    isConnected: () => socket.readyState === WebSocket.OPEN,
    complete: (id: string): Promise<void> =>
      new Promise((resolve) => {
        if (socket.readyState !== WebSocket.OPEN) return resolve()
        waiting.set(id, resolve)
        send({ type: 'complete-request', id, ref: id })
      }),
    close: () => socket.terminate(),
  }
}
