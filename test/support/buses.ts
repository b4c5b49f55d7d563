import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Client } from 'pg'
import { createClient } from 'redis'
import { expect } from 'vitest'
import type { BusMetrics } from '../../src/server/adapters/bus/broker-bus.ts'
import { createPostgresBus } from '../../src/server/adapters/bus/postgres-bus.ts'
import { createRedisBus } from '../../src/server/adapters/bus/redis-bus.ts'
import type { Bus, Signal } from '../../src/server/ports/bus.ts'
import type { Log } from '../../src/server/ports/monitoring.ts'
import { emptyDatabase } from './database.ts'
import { portOf } from './ports.ts'

type Entry = { level: 'info' | 'warn' | 'error'; details: object; message: string }

export const logEntries: Entry[] = []
const record = (level: Entry['level']) => (details: object, message: string) =>
  void logEntries.push({ level, details, message })
export const recordingLog: Log = { info: record('info'), warn: record('warn'), error: record('error') }

/** How long signals took to a broker and back. */
export const busSeconds: number[] = []
export const recordingMetrics: BusMetrics = {
  retried() {},
  busAnswered: (seconds) => void busSeconds.push(seconds),
}

export const openBuses: Bus[] = []

export async function closeBuses(): Promise<void> {
  await Promise.all(openBuses.splice(0).map((bus) => bus.close()))
  logEntries.length = 0
  busSeconds.length = 0
}

export const completedSignal = (id: string): Signal => ({
  kind: 'event',
  event: {
    topic: { kind: 'staff', restaurantId: 'r1' },
    message: { type: 'request-completed', id, by: null },
  },
})
export const presenceSignal = (count: number): Signal => ({
  kind: 'presence',
  node: 'a',
  restaurantId: 'r1',
  listening: count,
  crew: [],
  screens: count,
})

/** Everything that a bus delivers from now on. */
export function recordSignals(bus: Bus) {
  const signals: Signal[] = []
  let news = () => {}
  const leave = bus.subscribe((signal) => {
    signals.push(signal)
    news()
  })
  const until = (enough: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      news = () => {
        if (enough()) resolve()
      }
      news()
    })
  return {
    signals,
    leave,
    count: (count: number) => until(() => signals.length >= count),
    one: (signal: Signal) => until(() => signals.some((s) => JSON.stringify(s) === JSON.stringify(signal))),
  }
}

export const nextGap = (bus: Bus): Promise<void> => new Promise((resolve) => bus.onGap(resolve))

export async function waitUntilReady(...buses: Bus[]): Promise<void> {
  await expect.poll(() => Promise.all(buses.map((bus) => bus.ready()))).not.toContain(false)
}

export type BusServer = {
  url: string
  open: (url: string) => Promise<Bus>
  /** Closes every connection of every bus at the server. */
  breakConnections: () => Promise<void>
  /** What is sent over the server, read and written as nodes do that know nothing of `from`. */
  openEarlierVersion: () => Promise<EarlierVersion>
  stop: () => Promise<void>
}

type EarlierVersion = {
  received: unknown[]
  send: (signal: Signal) => Promise<unknown>
  close: () => Promise<unknown>
}

async function postgresServer(): Promise<BusServer> {
  const { url, drop } = await emptyDatabase()
  const admin = new Client({ connectionString: url })
  await admin.connect()
  return {
    url,
    open: (via) => createPostgresBus(via, recordingLog, recordingMetrics),
    async breakConnections() {
      const { rowCount } = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'tableside-bus-%'`,
      )
      expect(rowCount).toBe(4)
    },
    async openEarlierVersion() {
      const client = new Client({ connectionString: url })
      await client.connect()
      const received: unknown[] = []
      client.on('notification', ({ payload = '' }) =>
        received.push(JSON.parse(payload.slice(payload.indexOf(':') + 1))),
      )
      await client.query('listen tableside')
      return {
        received,
        send: (signal) => client.query("select pg_notify('tableside', $1)", [`0:${JSON.stringify(signal)}`]),
        close: () => client.end(),
      }
    },
    async stop() {
      await admin.end()
      await drop()
    },
  }
}

async function redisServer(server: string): Promise<BusServer> {
  const url = new URL('/15', server).href
  const admin = createClient({ url })
  await admin.connect()
  return {
    url,
    open: (via) => createRedisBus(via, recordingLog, recordingMetrics),
    async breakConnections() {
      const ours = (await admin.clientList()).filter(
        ({ name, db }) => name.startsWith('tableside-bus-') && db === 15,
      )
      expect(ours).toHaveLength(4)
      for (const { id } of ours) await admin.sendCommand(['CLIENT', 'KILL', 'ID', String(id)])
    },
    async openEarlierVersion() {
      const [client, listener] = [createClient({ url }), createClient({ url })]
      await Promise.all([client.connect(), listener.connect()])
      const received: unknown[] = []
      await listener.subscribe('tableside/15', (text) => received.push(JSON.parse(text)))
      return {
        received,
        send: (signal) => client.publish('tableside/15', JSON.stringify(signal)),
        close: () => Promise.all([client.close(), listener.close()]),
      }
    },
    stop: () => admin.close(),
  }
}

/** A proxy in front of a server, which can be made unreachable and reachable again. */
export async function startProxy(url: string, onConnection: (near: Socket, far: Socket) => void = () => {}) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let open = true
  const door = createServer((near) => {
    if (!open) return near.destroy()
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
    onConnection(near, far)
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(portOf(door))
  const shut = () => {
    open = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: through.href,
    shut,
    /** What is open forwards nothing any more, without a word; what comes works. */
    freeze: () => {
      for (const socket of sockets) socket.unpipe().resume()
    },
    reopen: () => {
      open = true
    },
    remove: async () => {
      shut()
      door.close()
      await once(door, 'close')
    },
  }
}

const postgresUrl = process.env['TEST_DATABASE_URL']
const redisUrl = process.env['TEST_REDIS_URL']
export const brokers: [string, () => Promise<BusServer>][] = [
  ...(postgresUrl ? [['PostgreSQL', postgresServer] as [string, () => Promise<BusServer>]] : []),
  ...(redisUrl ? [['Redis', () => redisServer(redisUrl)] as [string, () => Promise<BusServer>]] : []),
]
