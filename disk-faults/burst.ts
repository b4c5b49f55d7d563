import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
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
  const cookie = await signUp(server)
  await server.stop()
  return { database, cookie }
}

/** Resolves with the owner's cookies. */
export async function signUp(server: ServerProcess): Promise<string> {
  const body = { restaurantName, email: 'owner@example.com', password: randomUUID(), timeZone: 'UTC' }
  return (await expectCreated(server, api.accounts.signUp.path, body)).join('; ')
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

type BurstOptions = {
  told?: Told
  /** The number of the first table: a tap at one with an open request is told of that one. */
  first?: number
  /** Told of each tap that was answered with 503. */
  onRefused?: () => void
}

/** How long whoever is refused waits before they try again: who asks too often is closed. */
const againMs = 100

/**
 * Guests ask at tables of their own, and the crew completes every third request. Whoever is told to try again does;
 * it ends when the server does. `told` grows meanwhile.
 */
export async function burst(
  server: ServerProcess,
  { cookie }: Pick<Restaurant, 'cookie'>,
  taps: number,
  {
    told = { requests: new Set(), completed: new Set() },
    onRefused = () => {},
    first = 0,
  }: BurstOptions = {},
): Promise<Told> {
  await Promise.all(
    Array.from({ length: guestCount }, async (_, guest) => {
      // One screen for each guest: a screen that sends too much is closed.
      const crew = await openCrew(server, cookie, (id) => told.completed.add(id))
      for (let tap = first + guest; tap < first + taps && crew.isConnected(); tap += guestCount) {
        const id = randomUUID()
        if (!(await ask(server, id, tap, onRefused))) return
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
async function ask(server: ServerProcess, id: string, tap: number, onRefused: () => void): Promise<boolean> {
  const serviceType = serviceTypes[tap % serviceTypes.length]
  const body = { id, restaurantId: restaurantName, tableNumber: `${tap}`, serviceType }
  for (;;) {
    const answer = await post(
      new URL(api.requests.send.path, server.url),
      { origin: server.url },
      body,
    ).catch(() => undefined)
    if (!answer) return false
    // What was refused may be stored all the same: nobody knows where COMMIT was not answered.
    if (answer.status === 201 || answer.status === 200) return true
    if (answer.status !== 503) throw new Error(`${answer.status} ${answer.body}`)
    onRefused()
    await setTimeout(againMs)
  }
}

/** A crew screen that connects again when it is closed or told to come back, until nothing answers any more. */
async function openCrew({ url }: ServerProcess, cookie: string, onCompleted: (id: string) => void) {
  const options = { perMessageDeflate: false, headers: { origin: url, cookie } }
  const waiting = new Map<string, () => void>()
  let isOver = false
  let socket: WebSocket
  const send = (message: ClientMessageInput) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }
  const complete = (id: string) => send({ type: 'complete-request', id, ref: id })
  const end = () => {
    isOver = true
    for (const done of waiting.values()) done()
  }
  const connect = async (): Promise<void> => {
    socket = new WebSocket(new URL('/ws', url), options)
    socket.on('message', (data: Buffer) => {
      const message: ServerMessage = JSON.parse(data.toString())
      if (message.type === 'request-completed') {
        onCompleted(message.id)
        waiting.get(message.id)?.()
        waiting.delete(message.id)
      } else if (message.type === 'error' && message.ref !== undefined)
        setTimeout(againMs, message.ref).then(complete, () => {})
    })
    socket.on('error', () => {})
    try {
      await once(socket, 'open')
    } catch (error) {
      if (!isOver && String(error).includes('503')) return setTimeout(againMs).then(connect)
      // The server has gone.
      return end()
    }
    socket.once('close', () => {
      if (!isOver) setTimeout(againMs).then(connect, end)
    })
    send({ type: 'get-pending-requests' })
    for (const id of waiting.keys()) complete(id)
  }
  await connect()
  return {
    isConnected: () => !isOver,
    complete: (id: string): Promise<void> =>
      new Promise((resolve) => {
        if (isOver) return resolve()
        waiting.set(id, resolve)
        complete(id)
      }),
    close() {
      isOver = true
      socket.terminate()
    },
  }
}
